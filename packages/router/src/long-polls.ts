/**
 * Long polls: workers that wait for a job, and workers that wait for word about themselves. A new job wakes one worker
 * that can do it, not all of them; whoever was first is woken first. A call that was not needed is passed on.
 */
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import { type Notifier, queueKey } from './notifier.ts';

export interface LongPoll {
  /** True when what was waited for may have come, false when the time is over or the wait was canceled. */
  called: Promise<boolean>;
  /** Ends the wait; harmless when it is over. Always called, also by those who were called. */
  cancel(): void;
  /** From now on only calls for these queues are meant; an earlier one for another is passed on. */
  only(keys: string[]): void;
  /** The call was used: it is not passed on. Returns the queue it was for; null when there was none. */
  used(): string | null;
}

export interface LongPolls {
  forJob(gpu_skus: string[], job_types: JobType[], seconds: number): LongPoll;
  forWorker(worker_id: string, seconds: number): LongPoll;
  /** For one of the worker's leases to end, in this process. */
  forRoom(worker_id: string, seconds: number): LongPoll;
  /** Calls one of those who wait for such a job: there may be one. */
  call(key: string): void;
  /** Lets everybody go: the service is stopping. */
  close(): void;
}

interface Waiter {
  keys: Set<string>;
  /** The key it was called with and has not used. */
  call: string | null;
  settle(called: boolean): void;
}

const WORD = '';

export function createLongPolls(notifier: Notifier, known: ReadonlySet<string>): LongPolls {
  const forJobs = new Set<Waiter>();
  const forWords = new Map<string, Set<Waiter>>();
  const forRooms = new Map<string, Set<Waiter>>();
  let closed = false;

  function callForJobs(key: string, jobs: number): void {
    let left = jobs;
    for (const waiter of forJobs) {
      if (left === 0) return;
      if (!waiter.keys.has(key)) continue;
      waiter.call = key;
      waiter.settle(true);
      left--;
    }
  }
  notifier.onQueued(callForJobs);
  notifier.onWorker((worker_id) => {
    const called = worker_id === null ? [...forWords.values()] : [forWords.get(worker_id) ?? new Set<Waiter>()];
    for (const waiters of called) for (const waiter of waiters) waiter.settle(true);
  });
  notifier.onFreed((worker_id) => {
    for (const waiter of forRooms.get(worker_id) ?? []) waiter.settle(true);
  });

  function wait(waiters: Set<Waiter>, keys: string[], seconds: number, over = () => {}): LongPoll {
    let settle: Waiter['settle'] = () => {};
    const called = new Promise<boolean>((resolve) => {
      settle = (wasCalled) => {
        clearTimeout(late);
        waiters.delete(waiter);
        over();
        resolve(wasCalled);
      };
    });
    const late = setTimeout(() => settle(false), seconds * 1000);
    const waiter: Waiter = { keys: new Set(keys), call: null, settle: (wasCalled) => settle(wasCalled) };
    waiters.add(waiter);
    // Whoever comes while the service stops would hold it up.
    if (closed) settle(false);
    return {
      called,
      only(named) {
        waiter.keys = new Set(named);
        if (waiter.call === null || waiter.keys.has(waiter.call)) return;
        callForJobs(waiter.call, 1);
        waiter.call = null;
      },
      used() {
        const { call } = waiter;
        waiter.call = null;
        return call;
      },
      cancel() {
        settle(false);
        const unused = waiter.call;
        waiter.call = null;
        if (unused !== null) callForJobs(unused, 1);
      },
    };
  }

  function waitOn(all: Map<string, Set<Waiter>>, worker_id: string, seconds: number): LongPoll {
    const waiters = all.get(worker_id) ?? new Set<Waiter>();
    all.set(worker_id, waiters);
    return wait(waiters, [WORD], seconds, () => {
      if (waiters.size === 0) all.delete(worker_id);
    });
  }

  return {
    forJob(gpu_skus, job_types, seconds) {
      const skus = gpu_skus.filter((sku) => known.has(sku));
      const keys = skus.flatMap((sku) => job_types.map((type) => queueKey(sku, type)));
      return wait(forJobs, keys, seconds);
    },
    forWorker: (worker_id, seconds) => waitOn(forWords, worker_id, seconds),
    forRoom: (worker_id, seconds) => waitOn(forRooms, worker_id, seconds),
    call: (key) => callForJobs(key, 1),
    close() {
      closed = true;
      for (const waiter of forJobs) waiter.settle(false);
      for (const all of [forWords, forRooms])
        for (const waiters of all.values()) for (const waiter of waiters) waiter.settle(false);
    },
  };
}
