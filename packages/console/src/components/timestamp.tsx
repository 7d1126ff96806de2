/** An instant: how long ago, and exactly when for whoever points at it or has it read aloud. */
import { useSyncExternalStore } from 'react';
import { exact, relative } from '../format/instant.ts';

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** One clock for the whole page, so that a thousand rows cost one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Timestamp({ at }: { at: string }) {
  const current = Math.max(useNow(), Date.now());
  return (
    <time dateTime={at} title={exact(at)} className="timestamp">
      {relative(at, current)}
    </time>
  );
}
