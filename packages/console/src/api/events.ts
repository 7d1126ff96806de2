/** `GET /events`: what changed on the ledger makes what is shown here stale. Without the stream, pages still ask again. */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { QueryClient } from '@tanstack/react-query';
import { untilLedgerAnswers } from './availability.ts';
import { KEYS } from './keys.ts';
import { streamOf } from './shared-event-stream.ts';

const events = streamOf<Changed>('/events');

/** Listens until the answer is called. */
export function listenForChanges(store: QueryClient): () => void {
  return events({
    changed: (what) => markStale(store, what),
    missed: () => void store.invalidateQueries(),
    // It also ends with the right to hear it.
    broke: () => void untilLedgerAnswers().then(() => store.invalidateQueries({ queryKey: KEYS.session })),
  });
}

function markStale(store: QueryClient, { runs, receipts, settings }: Changed): void {
  const stale = (...names: readonly (readonly unknown[])[]) =>
    names.map((queryKey) => store.invalidateQueries({ queryKey }));
  if (runs === null) stale(['run'], ['runs']);
  else if (runs.length > 0) stale(['runs'], ...runs.map(KEYS.run));
  if (receipts) stale(['receipts'], ['share'], ['ledger']);
  if (settings) stale(['settings'], KEYS.session);
  if (receipts || settings) stale(['activity']);
}
