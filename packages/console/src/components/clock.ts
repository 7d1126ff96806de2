/** The time, for what is shown relative to it: one timer for the whole page, none while nothing needs it. */
import { useSyncExternalStore } from 'react';

/** A hook that answers the time, anew so often. */
function createClock(tick_ms: number): () => number {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => {
    now = Date.now();
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    if (timer === undefined) {
      now = Date.now();
      timer = setInterval(tick, tick_ms);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  return () => useSyncExternalStore(subscribe, () => now);
}

/** For what is some time ago. */
export const useNow = createClock(20_000);
/** For what counts up or down. */
export const useSeconds = createClock(1_000);
