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
  changed(change: Change): void;
  /** Anything may have changed: the stream was closed for a while. */
  missed(): void;
  /** From now on all is told; what is shown was asked for a moment before. */
  opened?(): void;
  /** The stream broke off, or was refused; it is asked for again. */
  broke?(): void;
}

type Message = { changed: string } | 'missed' | 'opened' | 'broke';
type Deliver = (message: Message) => void;

/** The stream is open while it has a listener. */
export function streamOf<Change>(path: string): (listener: StreamListener<Change>) => () => void {
  const listeners = new Set<StreamListener<Change>>();
  let leave = () => {};
  let isFirst = true;
  const deliver = (message: Message) => {
    for (const listener of listeners)
      if (typeof message === 'object') listener.changed(JSON.parse(message.changed) as Change);
      else listener[message]?.();
  };
  return (listener) => {
    listeners.add(listener);
    if (listeners.size === 1) leave = listenWhileVisible(path, isFirst, deliver);
    isFirst = false;
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) leave();
    };
  };
}

/** `fresh`: what is shown was asked for just now. Listens until the returned function is called; pauses while the window is hidden. */
function listenWhileVisible(path: string, fresh: boolean, deliver: Deliver): () => void {
  const channel = canShare() ? new BroadcastChannel(path) : null;
  let visible: AbortController | null = null;
  let missed = false;
  const receive: Deliver = (message) => {
    if (visible === null) missed = true;
    else deliver(message);
  };
  const broadcast: Deliver = (message) => {
    channel?.postMessage(message);
    receive(message);
  };
  const onVisibility = () => {
    if (document.visibilityState !== 'visible') {
      visible?.abort();
      visible = null;
      fresh = false;
    } else if (visible === null) {
      visible = new AbortController();
      if (missed) deliver('missed');
      missed = false;
      void openUnderLock(path, visible.signal, fresh, broadcast);
    }
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  document.addEventListener('visibilitychange', onVisibility);
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    visible?.abort();
    channel?.close();
  };
}

function canShare(): boolean {
  return 'locks' in navigator;
}

/** Waits until no other window asks; then this one does. The lock of a window that is closed or crashes is free again. */
async function openUnderLock(path: string, signal: AbortSignal, fresh: boolean, broadcast: Deliver): Promise<void> {
  if (!canShare()) return keepOpen(path, signal, fresh, broadcast);
  let waited = true;
  await navigator.locks.request(path, { ifAvailable: true }, async (lock) => {
    if (lock === null) return;
    waited = false;
    await keepOpen(path, signal, fresh, broadcast);
  });
  if (!waited || signal.aborted) return;
  await navigator.locks
    .request(path, { signal }, () => keepOpen(path, signal, false, broadcast))
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
}

/** Until the signal: a stream that ended is asked for again, ever later while it is refused. */
async function keepOpen(path: string, signal: AbortSignal, fresh: boolean, broadcast: Deliver): Promise<void> {
  const over = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  let isNew = fresh;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    await openOnce(path, signal, broadcast, () => {
      broadcast(isNew ? 'opened' : 'missed');
      isNew = false;
      wait = FIRST_WAIT_MS;
    });
    if (signal.aborted) return;
    broadcast('broke');
    await Promise.race([untilLedgerAnswers().then(() => pause(wait)), over]);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** Resolves when it ended, was refused, or the signal came. */
function openOnce(path: string, signal: AbortSignal, broadcast: Deliver, onOpen: () => void): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(path);
    const end = () => {
      source.close();
      signal.removeEventListener('abort', end);
      resolve();
    };
    source.addEventListener('open', onOpen);
    source.addEventListener('changed', ({ data }: MessageEvent<string>) => broadcast({ changed: data }));
    // The browser would resume it by itself, but not one that was refused.
    source.addEventListener('error', end);
    signal.addEventListener('abort', end);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
