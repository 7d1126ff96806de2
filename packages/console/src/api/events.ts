/**
 * `GET /events`: what changed on the ledger makes what is shown here stale. Without the stream, pages still ask again. It
 * rests while nobody looks at the window: over HTTP/1.1 a browser opens six connections to a host, for all its windows.
 */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { QueryClient } from '@tanstack/react-query';
import { findLedger } from './away.ts';
import { KEYS } from './keys.ts';

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;

/** Listens until the answer is called. */
export function listen(store: QueryClient): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;
  let missed = false;

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    source = new EventSource('/events');
    source.addEventListener('open', () => {
      wait = FIRST_WAIT_MS;
      // What happened while nobody listened is not told again.
      if (missed) void store.invalidateQueries();
      missed = false;
    });
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => forget(store, JSON.parse(data) as Changed));
    source.addEventListener('error', () => {
      missed = true;
      void findLedger();
      // A closed stream was refused; the browser itself resumes one that broke off.
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    });
  };
  const look = () => {
    if (document.visibilityState === 'visible') {
      if (source === null) open();
    } else if (source !== null) {
      missed = true;
      close();
    }
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    close();
  };
}

function forget(store: QueryClient, { runs, receipts, settings }: Changed): void {
  const stale = (...names: readonly (readonly unknown[])[]) =>
    names.map((queryKey) => store.invalidateQueries({ queryKey }));
  if (runs === null) stale(['run'], ['runs']);
  else if (runs.length > 0) stale(['runs'], ...runs.map(KEYS.run));
  if (receipts) stale(['receipts'], ['share'], ['ledger']);
  if (settings) stale(['settings'], KEYS.session);
}
