/** Results that a run before this one did not bring to the router: delivered while their leases live, else thrown away. */
import { finishJob } from './job.ts';
import { type JobFolder, readLease, readOutcome, removeJobFolder } from './job-folder.ts';
import { sentUpTo, shipLogs } from './logs/ship.ts';
import { openComplete } from './logs/spool.ts';
import { wordsFor } from './patience.ts';
import type { Worker } from './worker.ts';

/** Resolves when none is left. The heartbeat says meanwhile which leases still live. */
export async function resumeJobs(worker: Worker, folders: JobFolder[]): Promise<void> {
  await Promise.all(folders.map((folder) => resume(worker, folder)));
}

/** A job without an outcome died with its worker; its lease runs out and it is queued again. */
async function resume(worker: Worker, folder: JobFolder): Promise<void> {
  const { log } = worker;
  const [lease, outcome] = await Promise.all([readLease(folder), readOutcome(folder)]);
  if (lease === null || outcome === null) {
    log.warn({ job_id: lease?.job.id }, 'a job was interrupted; its lease is left to run out');
    return removeJobFolder(folder);
  }
  const held = worker.held.hold(lease);
  try {
    const reader = await openComplete(folder.log_file, await sentUpTo(folder));
    await finishJob(worker, held, folder, outcome, shipLogs(worker, held, folder, reader));
  } catch (error) {
    log.warn({ job_id: lease.job.id, reason: wordsFor(error) }, 'a kept result could not be delivered');
  } finally {
    worker.held.release(held);
    await removeJobFolder(folder);
  }
}
