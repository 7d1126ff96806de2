/**
 * Long polls: workers that wait for a job, for a change of themselves, or for one of their leases to end. A new job wakes one
 * worker that can do it, not all of them: the one that has waited longest. A wake-up that was not used is passed on.
 */
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import { type Queue, queuesOf } from './domain/queue.ts';
import type { Notifier } from './notifier.ts';

interface LongPoll {
  /** True when there may be what was waited for, false when the time is over or the poll was canceled. */
  woken: Promise<boolean>;
  /** Ends the poll. Always called, also after it was woken; harmless when it is over. */
  cancel(): void;
  /** From now on the poll waits for these queues only; a wake-up for another one is passed on. */
  only(queues: Queue[]): void;
  /** Takes the wake-up, which is then not passed on. Returns the queue it was for; null when there was none. */
  take(): Queue | null;
}

/** The caller of a long poll. */
export interface Caller {
  /** It has hung up: nothing is leased to it. */
  gone(): boolean;
  onGone(listener: () => void): void;
}

export interface LongPolls {
  forJob(gpu_skus: string[], job_types: JobType[], seconds: number): LongPoll;
  forWorker(worker_id: string, seconds: number): LongPoll;
  /** For one of the worker's leases to end, in this process. */
  forRoom(worker_id: string, seconds: number): LongPoll;
  /** Wakes one poll for this queue: there may be a job. */
  wake(queue: Queue): void;
  /** Ends all polls: the service is stopping. */
  close(): void;
}

interface Waiter {
  queues: Set<Queue>;
  /** The queue it was woken for, until that is taken. */
  woken_for: Queue | null;
  end(woken: boolean): void;
}

export function createLongPolls(notifier: Notifier, known_skus: ReadonlySet<string>): LongPolls {
  const for_jobs = new Set<Waiter>();
  const for_workers = new Map<string, Set<Waiter>>();
  const for_room = new Map<string, Set<Waiter>>();
  let closed = false;

  function wakeForJobs(queue: Queue, jobs: number): void {
    let left = jobs;
    for (const waiter of for_jobs) {
      if (left === 0) return;
      if (!waiter.queues.has(queue)) continue;
      waiter.woken_for = queue;
      waiter.end(true);
      left--;
    }
  }
  notifier.onQueued(wakeForJobs);
  notifier.onWorker((worker_id) => {
    const woken = worker_id === null ? [...for_workers.values()] : [for_workers.get(worker_id) ?? []];
    for (const waiters of woken) for (const waiter of waiters) waiter.end(true);
  });
  notifier.onFreed((worker_id) => {
    for (const waiter of for_room.get(worker_id) ?? []) waiter.end(true);
  });

  function wait(waiters: Set<Waiter>, queues: Queue[], seconds: number, ended = () => {}): LongPoll {
    const { promise: woken, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = {
      queues: new Set(queues),
      woken_for: null,
      end(was_woken) {
        clearTimeout(late);
        waiters.delete(waiter);
        ended();
        resolve(was_woken);
      },
    };
    const late = setTimeout(() => waiter.end(false), seconds * 1000);
    waiters.add(waiter);
    // A poll that began now would hold up the service that is stopping.
    if (closed) waiter.end(false);

    function take(): Queue | null {
      const queue = waiter.woken_for;
      waiter.woken_for = null;
      return queue;
    }
    function passOn(): void {
      const queue = take();
      if (queue !== null) wakeForJobs(queue, 1);
    }
    return {
      woken,
      take,
      only(named) {
        waiter.queues = new Set(named);
        if (waiter.woken_for !== null && !waiter.queues.has(waiter.woken_for)) passOn();
      },
      cancel() {
        waiter.end(false);
        passOn();
      },
    };
  }

  function waitOn(all: Map<string, Set<Waiter>>, worker_id: string, seconds: number): LongPoll {
    const waiters = all.get(worker_id) ?? new Set<Waiter>();
    all.set(worker_id, waiters);
    return wait(waiters, [], seconds, () => {
      if (waiters.size === 0 && all.get(worker_id) === waiters) all.delete(worker_id);
    });
  }

  return {
    forJob(gpu_skus, job_types, seconds) {
      const skus = gpu_skus.filter((sku) => known_skus.has(sku));
      return wait(for_jobs, queuesOf(skus, job_types), seconds);
    },
    forWorker: (worker_id, seconds) => waitOn(for_workers, worker_id, seconds),
    forRoom: (worker_id, seconds) => waitOn(for_room, worker_id, seconds),
    wake: (queue) => wakeForJobs(queue, 1),
    close() {
      closed = true;
      for (const waiters of [for_jobs, ...for_workers.values(), ...for_room.values()])
        for (const waiter of waiters) waiter.end(false);
    },
  };
}
