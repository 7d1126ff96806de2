/** Slots for jobs: as many run at the same time as the worker has slots, numbered from 0. */

/** A job that waits for a slot. */
export type SlotTask = (slot: number) => Promise<void>;

export function createSlots(count: number) {
  const open = Array.from({ length: count }, (_, slot) => slot);
  const running = new Set<Promise<void>>();
  return {
    /** How many are free, as soon as one is; 0 once `signal` aborts. */
    async free(signal: AbortSignal): Promise<number> {
      while (open.length === 0 && !signal.aborted) {
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        );
        await Promise.race([...running, aborted]);
      }
      return signal.aborted ? 0 : open.length;
    },
    run(task: SlotTask): void {
      const slot = open.shift()!;
      const job = task(slot).finally(() => {
        open.unshift(slot);
        running.delete(job);
      });
      running.add(job);
    },
    async empty(): Promise<void> {
      await Promise.all(running);
    },
  };
}
