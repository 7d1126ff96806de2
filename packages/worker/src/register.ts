/** The worker's identity: registered once, its token stored in a file that only its owner can read. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { workerClient } from '@rcpt/contract/client/worker.ts';
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import { z } from 'zod';
import type { Logger } from './log.ts';
import type { Options } from './options.ts';
import { messageOf, retry } from './retry.ts';
import { VERSION } from './version.ts';

/** The router counts a worker as offline after three of these without a heartbeat. */
const HEARTBEAT_SECONDS = 30;
const CALL_MS = 15_000;

const StoredIdentity = z.object({
  router: z.string(),
  node_id: z.string(),
  worker_id: z.string(),
  worker_token: z.string(),
});
type StoredIdentity = z.infer<typeof StoredIdentity>;

export interface Identity {
  readonly worker_id: string;
  readonly worker_token: string;
  /** Registers again, when the router does not know the token any more. */
  renew(signal: AbortSignal): Promise<void>;
}

/** The stored identity when it is for this router and node, else a new one. Throws what the router refuses for good. */
export async function identify(
  options: Options,
  capabilities: Capabilities,
  log: Logger,
  signal: AbortSignal,
): Promise<Identity> {
  const file = join(options.state, 'worker.json');
  let identity = readIdentity(file, options) ?? (await registered(signal));

  async function registered(signal: AbortSignal): Promise<StoredIdentity> {
    const { worker_id, worker_token } = await register(options, capabilities, log, signal);
    const made = { router: options.router_url, node_id: options.node_id, worker_id, worker_token };
    storeIdentity(file, made);
    log.info({ worker_id, node_id: options.node_id }, 'registered');
    return made;
  }

  return {
    get worker_id() {
      return identity.worker_id;
    },
    get worker_token() {
      return identity.worker_token;
    },
    async renew(signal) {
      identity = await registered(signal);
    },
  };
}

function register(
  { router_url, enrollment_token, ...options }: Options,
  capabilities: Capabilities,
  log: Logger,
  signal: AbortSignal,
) {
  const client = workerClient({ base_url: router_url, token: enrollment_token });
  const { node_id, name, tags } = options;
  const body = {
    node_id,
    name,
    hostname: hostname(),
    tags,
    capabilities,
    version: VERSION,
    heartbeat_interval_seconds: HEARTBEAT_SECONDS,
  };
  return retry(() => client.register(body, AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)])), {
    signal,
    onFailure: (error) => log.warn({ reason: messageOf(error) }, 'the router does not register this worker yet'),
  });
}

/** A token is sent only to the host that issued it; its port may change. */
function readIdentity(file: string, { router_url, node_id }: Options): StoredIdentity | null {
  if (!existsSync(file)) return null;
  const stored = StoredIdentity.safeParse(parsed(readFileSync(file, 'utf8')));
  if (!stored.success || stored.data.node_id !== node_id) return null;
  return new URL(stored.data.router).hostname === new URL(router_url).hostname ? stored.data : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function storeIdentity(file: string, identity: StoredIdentity): void {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(identity, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
