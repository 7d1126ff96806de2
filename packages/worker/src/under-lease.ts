/** Calls that carry a lease: repeated while the router is away, given up when the lease is lost. */
import { ProblemError } from '@rcpt/contract/client/call.ts';
import type { WorkerContext } from './context.ts';
import { type ActiveLease, LeaseLost, type Loss } from './leases.ts';
import { isTransient, messageOf, retry } from './retry.ts';

export const CALL_MS = 30_000;

/** Throws `LeaseLost`, or what the router refuses for another reason. */
export async function underLease<T>({ log }: WorkerContext, lease: ActiveLease, attempt: () => Promise<T>): Promise<T> {
  try {
    return await retry(attempt, {
      signal: lease.lost,
      // An unknown token is the heartbeat's business: it registers anew, and then the lease is void.
      isRetryable: (error) => isTransient(error) || statusOf(error) === 401,
      onFailure: (error) =>
        log.warn({ job_id: lease.job.id, reason: messageOf(error) }, 'the router did not answer; trying again'),
    });
  } catch (error) {
    const loss = lossOf(error);
    if (loss === null) throw error;
    lease.lose(loss);
    throw new LeaseLost(loss);
  }
}

const LOSSES: Record<string, Loss> = {
  job_canceled: 'canceled',
  lease_expired: 'expired',
  lease_invalid: 'expired',
  job_state_conflict: 'expired',
  not_found: 'expired',
};

function lossOf(error: unknown): Loss | null {
  return error instanceof ProblemError ? (LOSSES[error.problem.code] ?? null) : null;
}

function statusOf(error: unknown): number | null {
  return error instanceof ProblemError ? error.problem.status : null;
}
