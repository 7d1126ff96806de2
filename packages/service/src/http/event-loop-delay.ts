/** How far behind the event loop is: a service that is far behind refuses requests, so that those it has taken do not wait. */

const LOOK_EVERY_MS = 100;

export interface EventLoopDelay {
  /** Milliseconds it was late at two looks in a row: one long step of work that is done is no reason to refuse anybody. */
  delay(): number;
  close(): void;
}

export function watchEventLoopDelay(): EventLoopDelay {
  let looked = performance.now();
  let before = 0;
  let last = 0;
  const late = () => Math.max(0, performance.now() - looked - LOOK_EVERY_MS);
  const timer = setInterval(() => {
    before = last;
    last = late();
    looked = performance.now();
  }, LOOK_EVERY_MS).unref();
  return {
    delay: () => Math.min(last, Math.max(before, late())),
    close: () => clearInterval(timer),
  };
}
