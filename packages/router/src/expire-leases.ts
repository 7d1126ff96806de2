/** Ends leases that ran out: it looks for them every second, and each is ended by a command of its own. */
import type { Logger } from '@rcpt/service/process/log.ts';
import { expire, freeFrom } from './domain/lease.ts';
import { instant } from './domain/time.ts';
import type { Router } from './router.ts';
import { type EndedLease, endedLeases } from './store/jobs.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 500;

/** Several processes may sweep: the second finds the lease renewed or gone and does nothing. */
export async function sweep(router: Sweeping): Promise<number> {
  return endLeases(router, await endedLeases(router.db, instant(router.now()), AT_ONCE));
}

/** Each job by itself, with its receipts. Returns how many were given back. */
export async function endLeases({ writer }: Sweeping, ended: EndedLease[]): Promise<number> {
  const swept = await Promise.all(
    ended.map(({ id, revoked_worker_id }) =>
      writer.execute<boolean>({
        kind: 'job',
        job_id: id,
        perform(job, record, clock) {
          const effect =
            expire(job, clock) ?? (revoked_worker_id === null ? null : freeFrom(revoked_worker_id, job, clock));
          if (effect !== null) record.effect(effect);
          return effect !== null;
        },
      }),
    ),
  );
  return swept.filter(Boolean).length;
}
type Sweeping = Pick<Router, 'db' | 'writer' | 'now'>;

/** Returns how to stop. */
export function keepSweeping(router: Sweeping, logger: Logger): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = sweep(router)
      .catch((error: unknown) => logger.warn({ err: error }, 'expired leases wait for the next sweep'))
      .finally(() => {
        busy = false;
      });
  }, EVERY_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
