/**
 * A worker from its start to the end of its drain: it registers, resumes the jobs of a crash, and then runs two loops beside each
 * other, loops/heartbeat.ts and loops/lease.ts. Each leased job runs in run/job.ts.
 */
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { workerClient } from '@rcpt/contract/client/worker.ts';
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import type { WorkerContext } from './context.ts';
import { createActiveLeases } from './leases.ts';
import type { Logger } from './log.ts';
import { runHeartbeatLoop } from './loops/heartbeat.ts';
import { runLeaseLoop } from './loops/lease.ts';
import { detectMachine, type Machine, openGauges, skusOf } from './machine.ts';
import { type Options, UsageError } from './options.ts';
import { identify } from './register.ts';
import { listJobFolders } from './run/folder.ts';
import { resumeJobs } from './run/resume.ts';
import { openScopes } from './run/scope.ts';
import { openStore } from './store.ts';

/** Resolves when the worker has drained. Throws `UsageError`, and refusals that are final. */
export async function runWorker(options: Options, log: Logger, stop: AbortSignal): Promise<void> {
  const leave = new AbortController();
  const draining = AbortSignal.any([stop, leave.signal]);
  const lock = lockState(options.state);
  const scopes = await openScopes(options);
  await scopes.endAll();
  const machine = await detectMachine(options.environment);
  const capabilities = capabilitiesOf(options, machine);
  const identity = await identify(options, capabilities, log, draining);
  const router = workerClient({
    base_url: options.router_url,
    get token() {
      return identity.worker_token;
    },
  });
  const store = openStore(options.artifacts_url);
  const leases = createActiveLeases();
  const worker: WorkerContext = {
    options,
    gauges: openGauges(machine, options.state, options.environment),
    capabilities,
    identity,
    router,
    store,
    scopes,
    leases,
    log,
    desired: 'run',
    draining,
    leave(refusal) {
      for (const lease of leases.list()) lease.lose('expired');
      leave.abort(refusal);
    },
  };
  const { isolated, grouped } = scopes;
  if (!isolated) log.warn('jobs are not isolated: they read what this user may read, this worker’s token included');
  const facts = { worker_id: identity.worker_id, router: options.router_url, isolated, grouped, pid: process.pid };
  log.info({ ...facts, ...capabilities }, 'ready');

  // Listed before the first lease: later the list would have the folders of running jobs, too.
  const left = await listJobFolders(options.state);
  const done = new AbortController();
  const beating = runHeartbeatLoop(worker, done.signal);
  const { interrupted, delivered } = await resumeJobs(worker, left);
  await Promise.all([delivered, runLeaseLoop(worker, interrupted)]);
  done.abort();
  await beating;
  store.close();
  lock.close();
  leave.signal.throwIfAborted();
}

/** One worker per folder. The lock is the kernel's, held through SQLite, and ends with the process however that ends. */
function lockState(state: string): DatabaseSync {
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(`${state}/.lock`);
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch {
    throw new UsageError(`--state: another worker runs in ${state}; takes a folder of its own`);
  }
}

function capabilitiesOf({ gpu_skus, executors, concurrency }: Options, machine: Machine): Capabilities {
  const skus = gpu_skus.length > 0 ? gpu_skus : skusOf(machine);
  if (skus.length === 0)
    throw new UsageError('--sku: got nothing and found no GPU with a price; takes the SKU this worker offers');
  const { cpu, cpu_count, memory_bytes, gpus } = machine;
  return {
    gpu_skus: skus,
    supports: [...executors.keys()],
    max_concurrent_jobs: concurrency,
    cpu,
    cpu_count,
    memory_bytes,
    gpus: gpus.map(({ name, memory_mib }) => ({ name, memory_mib })),
  };
}
