/** The changes of an organization as an event stream, for as long as its reader may read them. */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { EventStream } from '@rcpt/service/http/event-stream.ts';
import { type ChangeFeed, merged } from './feed.ts';

/** With the lookup, well below the five seconds in which what is withdrawn has to end. */
const LOOK_MS = 3_000;

/** Event `changed`. A slow reader gets what it missed as one event. Ends when `mayListen` answers false. */
export async function streamChanges(
  feed: ChangeFeed,
  organization_id: string,
  stream: EventStream,
  mayListen: () => Promise<boolean>,
): Promise<void> {
  let missed: Changed | undefined;
  let wake = () => {};
  const stop = feed.subscribe(organization_id, (changed) => {
    missed = merged(missed, changed);
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
