/** When the copier works and when it rests. */
import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_REST_MS = 5_000;
const REST_SLICE_MS = 20;

/** Keeps work to its part of the time for as long as `busy()`. */
export class Throttle {
  readonly #busy: () => boolean;
  readonly #stopping: AbortSignal;
  readonly #rest_per_work: number;
  #work_began = performance.now();

  /** @param rest_per_work 9 for a tenth of the time */
  constructor(busy: () => boolean, stopping: AbortSignal, rest_per_work: number) {
    this.#rest_per_work = rest_per_work;
    this.#busy = busy;
    this.#stopping = stopping;
  }

  begin(): void {
    this.#work_began = performance.now();
  }

  /** Rests for what was worked since `begin` or the last rest; shorter when the mints are over, or the copier stops. */
  async rest(): Promise<void> {
    const worked_ms = performance.now() - this.#work_began;
    const until = performance.now() + Math.min(LONGEST_REST_MS, worked_ms * this.#rest_per_work);
    while (this.#busy() && !this.#stopping.aborted) {
      const left_ms = until - performance.now();
      if (left_ms <= 0) break;
      await pause(Math.min(left_ms, REST_SLICE_MS), this.#stopping);
    }
    this.begin();
  }
}

/** Ends early, without an error, when the signal comes. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** A signal to wait for. It remembers that it was given. */
export class WakeSignal {
  #woken = false;
  #resume: (() => void) | null = null;

  wake(): void {
    this.#woken = true;
    this.#resume?.();
  }

  /** Until it wakes, or for `ms`. */
  async wait(ms: number): Promise<void> {
    if (!this.#woken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.#resume = resolve;
      await promise;
      this.#resume = null;
      clearTimeout(timer);
    }
    this.#woken = false;
  }
}
