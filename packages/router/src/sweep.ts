/** Leases that ran out are given back: looked for every second, decided by the same rules as every other act. */
import type { Logger } from '@rcpt/service/log.ts';
import { expire } from './domain/job.ts';
import { instant } from './domain/time.ts';
import type { Router } from './router.ts';
import { expiredLeases } from './store/jobs.ts';

const EVERY_MS = 1_000;
const AT_ONCE = 500;

/** Several processes may sweep: the second finds the lease renewed or gone and does nothing. */
export async function sweep({ db, writer, now }: Pick<Router, 'db' | 'writer' | 'now'>): Promise<number> {
  const ids = await expiredLeases(db, instant(now()), AT_ONCE);
  const swept = await Promise.all(
    ids.map((job_id) =>
      writer.act<boolean>({
        kind: 'job',
        job_id,
        perform(job, record, clock) {
          const effect = expire(job, clock);
          if (effect !== null) record.effect(effect);
          return effect !== null;
        },
      }),
    ),
  );
  return swept.filter(Boolean).length;
}

/** Returns how to stop. */
export function keepSweeping(router: Pick<Router, 'db' | 'writer' | 'now'>, logger: Logger): () => Promise<void> {
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
