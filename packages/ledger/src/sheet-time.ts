/**
 * A flight sheet is compiled and decided in one go, or in few, and nothing else of the process happens meanwhile: whoever
 * may work can send any number of dear ones. One organization gets a part of the process's time for them, and leaves the
 * others the rest.
 */
import { Refusal } from '@rcpt/service/error.ts';

const WINDOW_MS = 10_000;
const MOST_MS = 3_000;
const ORGANIZATIONS = 1_000;

export interface SheetTime {
  /** Throws `rate_limited`. */
  spend<T>(organization_id: string, work: () => T): T;
}

/**
 * @param what the organization's, e.g. `trials`
 * @param spent milliseconds that work took so far: this thread's own, so that a busy machine does not count against anybody
 */
export function shareSheetTime(what: string, spent = processorTime, now = passed): SheetTime {
  const windows = new Map<string, { began: number; spent_ms: number }>();

  function windowOf(organization_id: string) {
    const known = windows.get(organization_id);
    if (known !== undefined && now() - known.began < WINDOW_MS) return known;
    if (windows.size >= ORGANIZATIONS) windows.clear();
    const fresh = { began: now(), spent_ms: 0 };
    windows.set(organization_id, fresh);
    return fresh;
  }

  return {
    spend(organization_id, work) {
      const window = windowOf(organization_id);
      if (window.spent_ms >= MOST_MS)
        throw new Refusal(
          'rate_limited',
          `Your organization’s ${what} took all the time they may just now. Wait ten seconds.`,
        );
      const before = spent();
      try {
        return work();
      } finally {
        window.spent_ms += spent() - before;
      }
    },
  };
}

function passed(): number {
  return performance.now();
}

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
