/**
 * Server-sent events of one address, for all windows of this browser together: over HTTP/1.1 it opens six connections to a
 * host. Of the visible windows one opens the stream and tells the others; where windows cannot agree (`navigator.locks` wants
 * HTTPS or this machine), each asks for itself while it is seen.
 */
import { untilLedgerAnswers } from './availability.ts';

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;

interface StreamListener<Change> {
  /** Event `changed`. */
  changed(news: Change): void;
  /** Anything may have changed: the stream was closed for a while. */
  missed(): void;
  /** From now on all is told; what is shown was asked for a moment before. */
  opened?(): void;
  /** The stream broke off, or was refused; it is asked for again. */
  broke?(): void;
}

type Word = { changed: string } | 'missed' | 'opened' | 'broke';
type Tell = (word: Word) => void;

/** The stream is open while it has a listener. */
export function streamOf<Change>(path: string): (listener: StreamListener<Change>) => () => void {
  const listeners = new Set<StreamListener<Change>>();
  let leave = () => {};
  let isFirst = true;
  const hear = (word: Word) => {
    for (const listener of listeners)
      if (typeof word === 'object') listener.changed(JSON.parse(word.changed) as Change);
      else listener[word]?.();
  };
  return (listener) => {
    listeners.add(listener);
    if (listeners.size === 1) leave = attend(path, isFirst, hear);
    isFirst = false;
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) leave();
    };
  };
}

/** `fresh`: what is shown was asked for just now. Listens until the returned function is called; pauses while the window is hidden. */
function attend(path: string, fresh: boolean, hear: Tell): () => void {
  const others = canAgree() ? new BroadcastChannel(path) : null;
  let seen: AbortController | null = null;
  let missed = false;
  const take: Tell = (word) => {
    if (seen === null) missed = true;
    else hear(word);
  };
  const tell: Tell = (word) => {
    others?.postMessage(word);
    take(word);
  };
  const look = () => {
    if (document.visibilityState !== 'visible') {
      seen?.abort();
      seen = null;
      fresh = false;
    } else if (seen === null) {
      seen = new AbortController();
      if (missed) hear('missed');
      missed = false;
      void inTurn(path, seen.signal, fresh, tell);
    }
  };
  others?.addEventListener('message', ({ data }: MessageEvent<Word>) => take(data));
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    seen?.abort();
    others?.close();
  };
}

function canAgree(): boolean {
  return 'locks' in navigator;
}

/** Waits until no other window asks; then this one does. The lock of a window that is closed or crashes is free again. */
async function inTurn(path: string, signal: AbortSignal, fresh: boolean, tell: Tell): Promise<void> {
  if (!canAgree()) return ask(path, signal, fresh, tell);
  let waited = true;
  await navigator.locks.request(path, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    waited = false;
    await ask(path, signal, fresh, tell);
  });
  if (!waited || signal.aborted) return;
  await navigator.locks
    .request(path, { signal }, () => ask(path, signal, false, tell))
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
}

/** Until the signal: a stream that ended is asked for again, ever later while it is refused. */
async function ask(path: string, signal: AbortSignal, fresh: boolean, tell: Tell): Promise<void> {
  const over = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  let isNew = fresh;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    await oneAnswer(path, signal, tell, () => {
      tell(isNew ? 'opened' : 'missed');
      isNew = false;
      wait = FIRST_WAIT_MS;
    });
    if (signal.aborted) return;
    tell('broke');
    await Promise.race([untilLedgerAnswers().then(() => pause(wait)), over]);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** Resolves when it ended, was refused, or the signal came. */
function oneAnswer(path: string, signal: AbortSignal, tell: Tell, onOpen: () => void): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(path);
    const end = () => {
      source.close();
      signal.removeEventListener('abort', end);
      resolve();
    };
    source.addEventListener('open', onOpen);
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => tell({ changed: data }));
    // The browser would resume it by itself, but not one that was refused.
    source.addEventListener('error', end);
    signal.addEventListener('abort', end);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
