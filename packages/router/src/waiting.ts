/**
 * Long polls: workers that wait for a job, and workers that wait for word about themselves. A new job wakes one worker
 * that can do it, not all of them; whoever was first is woken first.
 */
import { gpuPrice } from '@rcpt/contract/prices.ts';
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import { type NewsDesk, queueKey } from './news.ts';

export interface Waiting {
  /** Resolves true when a job that matches has arrived, false after `seconds` or when `signal` aborts. */
  forJob(gpu_skus: string[], job_types: JobType[], seconds: number, signal: AbortSignal): Promise<boolean>;
  /** Resolves true when something about the worker changed. */
  forWord(worker_id: string, seconds: number, signal: AbortSignal): Promise<boolean>;
  /** Lets everybody go: the service is stopping. */
  close(): void;
}

interface Waiter {
  keys: Set<string>;
  wake(called: boolean): void;
}

export function createWaiting(desk: NewsDesk): Waiting {
  const forJobs = new Set<Waiter>();
  const forWords = new Map<string, Set<Waiter>>();

  desk.onQueued((key, jobs) => {
    let left = jobs;
    for (const waiter of forJobs) {
      if (left === 0) break;
      if (!waiter.keys.has(key)) continue;
      waiter.wake(true);
      left--;
    }
  });
  desk.onWorker((worker_id) => {
    const called = worker_id === null ? [...forWords.values()] : [forWords.get(worker_id) ?? new Set<Waiter>()];
    for (const waiters of called) for (const waiter of waiters) waiter.wake(true);
  });

  function wait(waiters: Set<Waiter>, keys: string[], seconds: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        keys: new Set(keys),
        wake(called) {
          clearTimeout(late);
          signal.removeEventListener('abort', gone);
          waiters.delete(waiter);
          resolve(called);
        },
      };
      const gone = () => waiter.wake(false);
      const late = setTimeout(gone, seconds * 1000);
      if (signal.aborted) return waiter.wake(false);
      signal.addEventListener('abort', gone, { once: true });
      waiters.add(waiter);
    });
  }

  return {
    forJob(gpu_skus, job_types, seconds, signal) {
      const skus = gpu_skus.filter((sku) => gpuPrice(sku) !== null);
      const keys = skus.flatMap((sku) => job_types.map((type) => queueKey(sku, type)));
      return wait(forJobs, keys, seconds, signal);
    },
    async forWord(worker_id, seconds, signal) {
      const waiters = forWords.get(worker_id) ?? new Set<Waiter>();
      forWords.set(worker_id, waiters);
      const called = await wait(waiters, [], seconds, signal);
      if (waiters.size === 0) forWords.delete(worker_id);
      return called;
    },
    close() {
      for (const waiter of forJobs) waiter.wake(false);
      for (const waiters of forWords.values()) for (const waiter of waiters) waiter.wake(false);
    },
  };
}
