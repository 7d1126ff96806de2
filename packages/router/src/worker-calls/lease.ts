/** A worker asks for jobs, and may wait for them. Which jobs it is granted is decided in commit/lease.ts. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeaseAnswer, LeaseRequest } from '@rcpt/contract/router/workers.ts';
import type { z } from 'zod';
import type { Granted } from '../commit/lease.ts';
import { type Queue, queuesOf } from '../domain/queue.ts';
import type { Caller } from '../long-polls.ts';
import type { Router } from '../router.ts';
import type { StoredWorker } from '../store/workers.ts';

type Body = z.infer<typeof LeaseRequest>;
type Answer = z.infer<typeof LeaseAnswer>;

/** When to ask again for jobs that another process held. */
const CONTENDED_MS = 20;
/** How often a worker that holds all it declared asks whether another process has ended one of its leases. */
const FREED_ELSEWHERE_MS = 1_000;
const NOTHING = { lease_id: null, lease_token: null, job: null, expires_at: null, leases: [] };

/**
 * With `wait_seconds` the answer waits for a job that this worker may be given, for an order, or for the time. A worker that
 * takes nothing new is answered at once.
 */
export async function leaseJobs(router: Router, worker: StoredWorker, body: Body, caller: Caller): Promise<Answer> {
  const { wait_seconds = 0 } = body;
  const ask = () => leaseNow(router, worker, body, caller);
  const { leases } =
    wait_seconds === 0 ? await ask() : await leaseWithin(wait_seconds, router, worker, body, caller, ask);
  if (leases[0] !== undefined) return { ...leases[0], message: 'leased', leases };
  return { ...NOTHING, message: 'no_matching_jobs' };
}

async function leaseWithin(
  wait_seconds: number,
  { long_polls }: Router,
  { id }: StoredWorker,
  { supported_gpu_skus, supported_job_types }: Body,
  caller: Caller,
  ask: () => Promise<Granted>,
): Promise<Granted> {
  const until = performance.now() + wait_seconds * 1000;
  let cancel = () => {};
  caller.onGone(() => cancel());
  let woken_for: Queue | null = null;
  try {
    for (;;) {
      const seconds = Math.max(0, (until - performance.now()) / 1000);
      // The polls begin before the database is asked: a job that arrives in between wakes them.
      const job = long_polls.forJob(supported_gpu_skus, supported_job_types, seconds);
      const orders = long_polls.forWorker(id, seconds);
      const room = long_polls.forRoom(id, seconds);
      cancel = () => {
        for (const poll of [job, orders, room]) poll.cancel();
      };
      try {
        const granted = await ask();
        const { resting, full, contended, queues, leases } = granted;
        const takes = woken_for === null || leases.length > 0 || (queues.includes(woken_for) && !caller.gone());
        // Another worker may be able to take what this one was woken for and is not given.
        if (woken_for !== null && !takes) long_polls.wake(woken_for);
        woken_for = null;
        job.only(queues);
        if (resting || leases.length > 0 || seconds === 0 || caller.gone()) return granted;
        if (contended) await sleep(CONTENDED_MS);
        else if (await Promise.race([orders.woken, ...(full ? [room.woken, aWhile(seconds)] : [job.woken])]))
          woken_for = job.take();
        else return granted;
      } finally {
        cancel();
      }
    }
  } finally {
    if (woken_for !== null) long_polls.wake(woken_for);
  }
}

function aWhile(seconds: number): Promise<boolean> {
  return sleep(Math.min(FREED_ELSEWHERE_MS, seconds * 1000), true, { ref: false });
}

function leaseNow(
  { writer, skus }: Router,
  { id, node_id }: StoredWorker,
  body: Body,
  caller: Caller,
): Promise<Granted> {
  const known_skus = body.supported_gpu_skus.filter((sku) => skus.has(sku));
  return writer.execute<Granted>({
    kind: 'lease',
    worker_id: id,
    node_id,
    queues: queuesOf(known_skus, body.supported_job_types),
    max_jobs: body.max_jobs ?? 1,
    wanted: () => !caller.gone(),
  });
}
