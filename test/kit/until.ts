/** Longer than anything takes that is waited for, on a machine that is busy with others. */
const PATIENCE_MS = 300_000;
const PAUSE_MS = 10;

/** Waits for what will come, and resolves with it; fails when it does not. */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) return found as NonNullable<T>;
    if (performance.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
