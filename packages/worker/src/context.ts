/** What the loops and jobs of one worker share. */
import type { WorkerClient } from '@rcpt/contract/client/worker.ts';
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { ActiveLeases } from './leases.ts';
import type { Logger } from './log.ts';
import type { Options } from './options.ts';
import type { Identity } from './register.ts';
import type { Scopes } from './run/scope.ts';
import type { ArtifactStore } from './store.ts';

export interface WorkerContext {
  options: Options;
  /** Load, memory, disk and GPUs of the machine now, for the heartbeat. */
  gauges(): JsonObject;
  capabilities: Capabilities;
  identity: Identity;
  router: WorkerClient;
  store: ArtifactStore;
  scopes: Scopes;
  leases: ActiveLeases;
  log: Logger;
  /** The router's order, as the last heartbeat's answer said. */
  desired: 'run' | 'drain';
  /** Aborts when no new work is to be taken. */
  draining: AbortSignal;
  /** Ends the worker: the router does not accept its token any more. Its leases are lost. */
  leave(refusal: Error): void;
}
