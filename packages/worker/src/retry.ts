/** Trying again: pauses that double, with jitter so that workers that lost one router do not return together. */
import { setTimeout as pause } from 'node:timers/promises';
import { ProblemError } from '@rcpt/contract/client/call.ts';

const FIRST_MS = 200;
const MOST_MS = 15_000;

export interface Backoff {
  /** Throws the signal's reason when it aborts. */
  wait(signal: AbortSignal): Promise<void>;
  reset(): void;
}

export function createBackoff(): Backoff {
  let next = FIRST_MS;
  return {
    async wait(signal) {
      const ms = next * (0.5 + Math.random() / 2);
      next = Math.min(MOST_MS, next * 2);
      await waitFor(ms, signal);
    },
    reset() {
      next = FIRST_MS;
    },
  };
}

/** Throws the signal's reason when it aborts. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

/** The same, but an abort only ends it. */
export async function waitAtMost(ms: number, signal: AbortSignal): Promise<void> {
  await pause(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
}

/** May the same call succeed later? Everything but a clear no: a router that restarts, a proxy, a network. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return true;
  const { status } = error.problem;
  return status >= 500 || [408, 425, 429].includes(status);
}

export interface RetryOptions {
  /** Between two attempts. */
  signal: AbortSignal;
  onFailure(error: unknown): void;
  attempts?: number;
  /** Which errors are worth another attempt. */
  isRetryable?: (error: unknown) => boolean;
}

/** Repeats `attempt` until it succeeds or is refused for good. Throws the refusal, or the signal's reason. */
export async function retry<T>(attempt: () => Promise<T>, how: RetryOptions): Promise<T> {
  const backoff = createBackoff();
  for (let left = how.attempts ?? Number.POSITIVE_INFINITY; ; left--) {
    how.signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      how.signal.throwIfAborted();
      if (left <= 1 || !(how.isRetryable ?? isTransient)(error)) throw error;
      how.onFailure(error);
      await backoff.wait(how.signal);
    }
  }
}

/** What went wrong in one line: `fetch failed` alone says nothing. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause instanceof Error ? ` (${(error.cause as NodeJS.ErrnoException).code ?? error.cause.message})` : '';
  return `${error.message}${cause}`;
}
