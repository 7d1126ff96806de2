/** How far behind the event loop is: whoever is far behind does better to refuse than to let all wait. */

const LOOK_EVERY_MS = 100;

export interface Pressure {
  /** Milliseconds; half of it is forgotten with every look that is in time. */
  delay(): number;
  close(): void;
}

export function watchEventLoop(): Pressure {
  let looked = performance.now();
  let delay = 0;
  const late = () => Math.max(0, performance.now() - looked - LOOK_EVERY_MS);
  const timer = setInterval(() => {
    delay = Math.max(late(), delay / 2);
    looked = performance.now();
  }, LOOK_EVERY_MS).unref();
  return { delay: () => Math.max(delay, late()), close: () => clearInterval(timer) };
}
