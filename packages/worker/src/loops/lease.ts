/** Asks for work by long poll whenever there is room for a job, until the worker drains. */

import type { WorkerContext } from '../context.ts';
import { createBackoff, messageOf, waitAtMost } from '../retry.ts';
import { performJob } from '../run/job.ts';

const WAIT_SECONDS = 25;
const ANSWER_MS = 15_000;
/** An empty answer that comes at once, from a router that is stopping or wants no work done here, is not asked for again sooner. */
const CALM_MS = 1_000;
/** What a lease is good for at least, should this clock be far ahead of the router's. */
const UNSURE_MS = 1_000;

/** A job that waits for a slot to run in. */
export type Perform = (slot: number) => Promise<void>;

/**
 * Resolves when the worker drains and the last job it took is over.
 * @param interrupted jobs it holds already, which come first
 */
export async function runLeaseLoop(worker: WorkerContext, interrupted: Perform[]): Promise<void> {
  const { draining, options, log } = worker;
  const backoff = createBackoff();
  const slots = createSlots(options.concurrency);
  for (const perform of interrupted) if ((await slots.free(draining)) > 0) slots.run(perform);
  while (!draining.aborted) {
    const free = await slots.free(draining);
    if (free === 0) break;
    const asked = performance.now();
    try {
      const leases = await ask(worker, free);
      for (const answer of leases) {
        // Until a heartbeat has told how far the clocks are apart; a router that is gone before that renews nothing.
        const lease = worker.leases.hold(answer, Math.max(Date.parse(answer.expires_at), Date.now() + UNSURE_MS));
        slots.run((slot) => performJob(worker, lease, slot));
      }
      backoff.reset();
      if (leases.length === 0) await waitAtMost(CALM_MS - (performance.now() - asked), draining);
    } catch (error) {
      if (draining.aborted) break;
      log.warn({ reason: messageOf(error) }, 'no lease could be asked for');
      await backoff.wait(draining).catch(() => undefined);
    }
  }
  await slots.empty();
}

async function ask({ router, capabilities, draining }: WorkerContext, max_jobs: number) {
  const answer = await router.lease(
    {
      supported_job_types: capabilities.supports ?? [],
      supported_gpu_skus: capabilities.gpu_skus ?? [],
      max_jobs: Math.min(100, max_jobs),
      wait_seconds: WAIT_SECONDS,
    },
    AbortSignal.any([draining, AbortSignal.timeout(WAIT_SECONDS * 1_000 + ANSWER_MS)]),
  );
  return answer.leases;
}

/** Room for `count` jobs at a time, numbered from 0. */
function createSlots(count: number) {
  const open = Array.from({ length: count }, (_, slot) => slot);
  const running = new Set<Promise<void>>();
  return {
    /** How many are free, as soon as one is; 0 once `signal` aborts. */
    async free(signal: AbortSignal): Promise<number> {
      while (open.length === 0 && !signal.aborted) {
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        await Promise.race([...running, aborted]);
      }
      return signal.aborted ? 0 : open.length;
    },
    run(perform: Perform): void {
      const slot = open.shift()!;
      const job = perform(slot).finally(() => {
        open.unshift(slot);
        running.delete(job);
      });
      running.add(job);
    },
    async empty(): Promise<void> {
      await Promise.all(running);
    },
  };
}
