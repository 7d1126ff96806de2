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
      await waitAtMost(ms, signal);
      signal.throwIfAborted();
    },
    reset() {
      next = FIRST_MS;
    },
  };
}

/** An abort ends the pause. */
export async function waitAtMost(ms: number, signal: AbortSignal): Promise<void> {
  await pause(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
}

/** Whether the same call may succeed later: after every failure but a clear refusal. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return true;
  const { status } = error.problem;
  return status >= 500 || [408, 425, 429].includes(status);
}

interface RetryOptions {
  /** Ends it between two attempts. */
  signal: AbortSignal;
  onFailure(error: unknown): void;
  attempts?: number;
  isRetryable?: (error: unknown) => boolean;
}

/** Repeats `attempt` until it succeeds or is refused for good. Throws the refusal, or the signal's reason. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, onFailure, attempts = Number.POSITIVE_INFINITY, isRetryable = isTransient } = options;
  const backoff = createBackoff();
  for (let left = attempts; ; left--) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      if (left <= 1 || !isRetryable(error)) throw error;
      onFailure(error);
      await backoff.wait(signal);
    }
  }
}

/** The message with its cause: `fetch failed` alone says nothing. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error
    ? `${error.message} (${(cause as NodeJS.ErrnoException).code ?? cause.message})`
    : error.message;
}
