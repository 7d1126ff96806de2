/** Probes of dependencies: real, bounded in time, and cached so that a prober cannot load what it probes. */

export interface Probe {
  /** True when the dependency answered as it should, at most `cache_ms` ago. Never throws. */
  check(): Promise<boolean>;
}

export function createProbe(
  probe: (signal: AbortSignal) => Promise<void>,
  { timeout_ms = 3_000, cache_ms = 5_000, onFailure = (_: unknown) => {} } = {},
): Probe {
  let last: { at: number; ok: boolean } | null = null;
  let running: Promise<boolean> | null = null;

  async function ask(): Promise<boolean> {
    const signal = AbortSignal.timeout(timeout_ms);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`no answer within ${timeout_ms} ms`)), { once: true });
    });
    const ok = await Promise.race([probe(signal), late]).then(
      () => true,
      (error: unknown) => {
        onFailure(error);
        return false;
      },
    );
    last = { at: performance.now(), ok };
    running = null;
    return ok;
  }

  return {
    async check() {
      if (last !== null && performance.now() - last.at < cache_ms) return last.ok;
      running ??= ask();
      return running;
    },
  };
}
