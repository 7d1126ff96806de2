/** Asks for work by long poll whenever there is room for a job, until the worker drains. */
import type { WorkerContext } from '../context.ts';
import { createBackoff, messageOf, waitAtMost } from '../retry.ts';
import { performJob } from '../run/job.ts';
import { createSlots, type SlotTask } from '../run/slots.ts';

const WAIT_SECONDS = 25;
const ANSWER_MS = 15_000;
/** A router that is stopping, or wants no work done here, answers at once. It is not asked again sooner than this. */
const MIN_INTERVAL_MS = 1_000;
/** A lease lasts at least so long, in case this clock is far ahead of the router's. */
const MIN_LEASE_MS = 1_000;

/**
 * Resolves when the worker drains and the last job it took is over.
 * @param interrupted jobs it holds already, which come first
 */
export async function runLeaseLoop(worker: WorkerContext, interrupted: SlotTask[]): Promise<void> {
  const { draining, options, log } = worker;
  const backoff = createBackoff();
  const slots = createSlots(options.concurrency);
  for (const task of interrupted) if ((await slots.free(draining)) > 0) slots.run(task);
  while (!draining.aborted) {
    const free = await slots.free(draining);
    if (free === 0) break;
    const asked = performance.now();
    try {
      const leases = await ask(worker, free);
      for (const answer of leases) {
        // The first heartbeat corrects it by how far the clocks are apart.
        const lease = worker.leases.hold(answer, Math.max(Date.parse(answer.expires_at), Date.now() + MIN_LEASE_MS));
        slots.run((slot) => performJob(worker, lease, slot));
      }
      backoff.reset();
      if (leases.length === 0) await waitAtMost(MIN_INTERVAL_MS - (performance.now() - asked), draining);
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
