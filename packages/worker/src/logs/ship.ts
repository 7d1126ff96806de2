/** Sends a job's log chunk by chunk, in order, each until the router has it. */
import { readFile, writeFile } from 'node:fs/promises';
import { ProblemError } from '@rcpt/contract/client/call.ts';
import type { WorkerContext } from '../context.ts';
import type { ActiveLease } from '../leases.ts';
import type { JobFolder } from '../run/folder.ts';
import { CALL_MS, underLease } from '../under-lease.ts';
import type { Reader } from './spool.ts';

/** Resolves when the whole log is acknowledged, or the router takes no more of it. Throws `LeaseLost`. */
export async function shipLogs(
  worker: WorkerContext,
  lease: ActiveLease,
  folder: JobFolder,
  reader: Reader,
): Promise<void> {
  try {
    for (;;) {
      const chunk = await reader.next(lease.lost);
      if (chunk === null) return;
      const body = { ...chunk, lease_token: lease.lease_token };
      const taken = await underLease(worker, lease, () =>
        worker.router.log(lease.job.id, body, callSignal(lease)),
      ).catch((error) => skipRefused(worker, lease, chunk.sequence, error));
      if (taken === 'log_quota') return;
      // After a crash this is behind by one chunk. It is sent again; the router knows its sequence and stores it once.
      await writeFile(folder.sent_file, String(reader.position));
    }
  } finally {
    await reader.close();
  }
}

/** The position to continue from after a restart; 0 when it is not known. */
export async function sentUpTo({ sent_file }: JobFolder): Promise<number> {
  const position = Number(await readFile(sent_file, 'utf8').catch(() => '0'));
  return Number.isSafeInteger(position) && position >= 0 ? position : 0;
}

function callSignal({ lost }: ActiveLease): AbortSignal {
  return AbortSignal.any([lost, AbortSignal.timeout(CALL_MS)]);
}

/** A chunk the router will never take must not hold up those after it, nor the result. */
function skipRefused(
  { log }: WorkerContext,
  { job }: ActiveLease,
  sequence: number,
  error: unknown,
): 'log_quota' | undefined {
  if (!(error instanceof ProblemError)) throw error;
  if (error.problem.code === 'log_quota') {
    log.warn(
      { job_id: job.id, sequence },
      'the quota for logs is used up; the job goes on and no more of its log is sent',
    );
    return 'log_quota';
  }
  log.error({ job_id: job.id, sequence, reason: error.message }, 'the router refuses a part of the log for good');
}
