/**
 * The jobs of a worker that crashed: results are delivered, and a job that was interrupted runs again under the same lease, its
 * log continued. The heartbeat and the router say meanwhile whether a lease is still live.
 */

import type { WorkerContext } from '../context.ts';
import { type ActiveLease, LeaseLost } from '../leases.ts';
import { sentUpTo, shipLogs } from '../logs/ship.ts';
import { openComplete } from '../logs/spool.ts';
import { messageOf } from '../retry.ts';
import { countRun, type JobFolder, readLease, readOutcome, removeJobFolder, type StoredLease } from './folder.ts';
import { finishJob, performJob } from './job.ts';
import type { SlotTask } from './slots.ts';

/** A job that crashes its worker each time is not run more often: its lease runs out, and with it the attempt. */
const RUNS_UNDER_A_LEASE = 3;

interface Resumed {
  /** Jobs to be run again, before any new one is leased. */
  interrupted: SlotTask[];
  /** Resolves when every result is delivered, or its lease is lost. */
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

/** The router renewed it at the crash at the latest, so it cannot last longer than its whole time from now. */
function restoreLease({ leases }: WorkerContext, stored: StoredLease): ActiveLease {
  return leases.hold(stored, Date.now() + stored.lease_ms);
}

async function runAgain(worker: WorkerContext, folder: JobFolder, stored: StoredLease): Promise<SlotTask> {
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
    worker.log.warn({ job_id: lease.job.id, reason }, 'a stored result could not be delivered');
  } finally {
    worker.leases.release(lease);
    await removeJobFolder(folder);
  }
}
