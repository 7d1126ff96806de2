/**
 * What a run before this one left: results are delivered, and a job that was interrupted runs again under the lease that
 * is still held, its log going on where it was. Whether a lease still lives, the heartbeat and the router say meanwhile.
 */

import type { WorkerContext } from '../context.ts';
import { type ActiveLease, LeaseLost } from '../leases.ts';
import { sentUpTo, shipLogs } from '../logs/ship.ts';
import { openComplete } from '../logs/spool.ts';
import type { Perform } from '../loops/lease.ts';
import { messageOf } from '../retry.ts';
import { countRun, type JobFolder, readLease, readOutcome, removeJobFolder, type StoredLease } from './folder.ts';
import { finishJob, performJob } from './job.ts';

/** A job that takes its worker down each time is left to run out, and its attempts are used up. */
const RUNS_UNDER_A_LEASE = 3;

export interface Resumed {
  /** Jobs to be run again, before any new one is leased. */
  interrupted: Perform[];
  /** Resolves when every result is delivered, or is wanted no more. */
  delivered: Promise<unknown>;
}

export async function resumeJobs(worker: WorkerContext, folders: JobFolder[]): Promise<Resumed> {
  const taken = await Promise.all(folders.map((folder) => resume(worker, folder)));
  const interrupted = taken.flatMap((each) => each.interrupted);
  return { interrupted, delivered: Promise.all(taken.map((each) => each.delivered)) };
}

async function resume(worker: WorkerContext, folder: JobFolder): Promise<Resumed> {
  const { log, options } = worker;
  const [lease, outcome] = await Promise.all([readLease(folder), readOutcome(folder)]);
  if (lease !== null && outcome !== null) {
    const delivered = deliver(worker, folder, restoreLease(worker, lease), outcome);
    return { interrupted: [], delivered };
  }
  const runs = lease === null ? RUNS_UNDER_A_LEASE : lease.runs;
  if (lease === null || runs >= RUNS_UNDER_A_LEASE || !options.executors.has(lease.job.job_type)) {
    log.warn({ job_id: lease?.job.id, runs }, 'a job was interrupted; its lease is left to run out');
    await removeJobFolder(folder);
    return { interrupted: [], delivered: Promise.resolve() };
  }
  return { interrupted: [await runAgain(worker, folder, lease)], delivered: Promise.resolve() };
}

/** The router may have renewed it until the crash, for its whole time: longer than that from now it cannot live unheard. */
function restoreLease({ leases }: WorkerContext, stored: StoredLease): ActiveLease {
  return leases.hold(stored, Date.now() + stored.lease_ms);
}

async function runAgain(worker: WorkerContext, folder: JobFolder, stored: StoredLease): Promise<Perform> {
  await countRun(folder, stored);
  worker.log.warn({ job_id: stored.job.id, runs: stored.runs + 1 }, 'a job was interrupted; it runs again');
  const lease = restoreLease(worker, stored);
  return (slot) => performJob(worker, lease, slot, folder);
}

async function deliver(
  worker: WorkerContext,
  folder: JobFolder,
  lease: ActiveLease,
  outcome: Parameters<typeof finishJob>[3],
): Promise<void> {
  try {
    const reader = await openComplete(folder.log_file, await sentUpTo(folder));
    await finishJob(worker, lease, folder, outcome, shipLogs(worker, lease, folder, reader));
  } catch (error) {
    const reason = error instanceof LeaseLost ? error.message : messageOf(error);
    worker.log.warn({ job_id: lease.job.id, reason }, 'a kept result could not be delivered');
  } finally {
    worker.leases.release(lease);
    await removeJobFolder(folder);
  }
}
