/** What happens in an organization, told to one who looks on, for as long as they may. */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { EventStream } from '@rcpt/service/http/event-stream.ts';
import { type ChangeFeed, together } from './feed.ts';

/** With the lookup, well below the five seconds in which what is withdrawn has to end. */
const LOOK_MS = 3_000;

/** Event `changed`. Whoever reads slowly gets what was missed as one event. Ends when `mayListen` says no. */
export async function streamChanges(
  feed: ChangeFeed,
  organization_id: string,
  stream: EventStream,
  mayListen: () => Promise<boolean>,
): Promise<void> {
  let missed: Changed | undefined;
  let wake = () => {};
  const stop = feed.subscribe(organization_id, (changed) => {
    missed = together(missed, changed);
    wake();
  });
  const looking = setInterval(() => wake(), LOOK_MS);
  stream.ended.addEventListener('abort', () => wake());
  let looked_at = performance.now();
  try {
    while (!stream.ended.aborted) {
      const changed = missed;
      missed = undefined;
      if (changed !== undefined) await stream.send('changed', changed);
      if (performance.now() - looked_at >= LOOK_MS / 2) {
        if (!(await mayListen())) return;
        looked_at = performance.now();
      }
      if (missed === undefined && !stream.ended.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    clearInterval(looking);
    stop();
  }
}
