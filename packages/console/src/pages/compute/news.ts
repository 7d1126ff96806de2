/** `GET /router/admin/news`: what changed on the router makes what is shown stale. Rests while nobody looks at the window. */
import type { RouterChanged } from '@rcpt/contract/router/compute.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { KEYS } from '../../api/keys.ts';

const LINGER_MS = 3_000;
const AGAIN_MS = 10_000;

let users = 0;
let source: EventSource | null = null;
let closing: ReturnType<typeof setTimeout> | undefined;
let opening: ReturnType<typeof setTimeout> | undefined;
let missed = false;

/** One stream for all pages of this window; it outlives the step from one page to the next. `there`: a router answers. */
export function useRouterNews(there: boolean): void {
  const store = useQueryClient();
  useEffect(() => {
    if (!there) return;
    users++;
    clearTimeout(closing);
    const look = () => (document.visibilityState === 'visible' ? open(store) : close());
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      if (--users === 0) closing = setTimeout(close, LINGER_MS);
    };
  }, [store, there]);
}

function open(store: QueryClient): void {
  if (source !== null) return;
  clearTimeout(opening);
  const stream = new EventSource('/router/admin/news');
  source = stream;
  stream.addEventListener('open', () => {
    // What happened while nobody listened is not told again.
    if (missed) void store.invalidateQueries({ queryKey: KEYS.compute() });
    missed = false;
  });
  stream.addEventListener('changed', ({ data }: MessageEvent<string>) => forget(store, JSON.parse(data)));
  stream.addEventListener('error', () => {
    missed = true;
    // The browser itself resumes a stream that broke off, but not one that was refused.
    if (stream.readyState !== EventSource.CLOSED || source !== stream) return;
    source = null;
    opening = setTimeout(() => users > 0 && document.visibilityState === 'visible' && open(store), AGAIN_MS);
  });
}

function close(): void {
  clearTimeout(opening);
  if (source === null) return;
  missed = true;
  source.close();
  source = null;
}

const WITH_JOBS = ['summary', 'history', 'jobs', 'queue', 'workers', 'worker', 'nodes'];
const WITH_WORKERS = ['summary', 'workers', 'worker', 'nodes', 'queue'];

/** A job that logs is told several times a second; pages ask again less often. */
const CALM_MS = 2_000;
const BUSY_MS = 300;
const stale = new Set<string>();
let told_at = Number.NEGATIVE_INFINITY;
let telling: ReturnType<typeof setTimeout> | undefined;

function forget(store: QueryClient, { jobs, workers }: RouterChanged): void {
  if (jobs?.length !== 0) for (const name of WITH_JOBS) stale.add(name);
  if (workers) for (const name of WITH_WORKERS) stale.add(name);
  for (const id of jobs ?? ['']) stale.add(id === '' ? 'job' : `job ${id}`);
  if (telling === undefined) telling = setTimeout(tell, Math.max(0, told_at + CALM_MS - performance.now()), store);
}

/** Not before the last answers are there: what is asked twice at once is answered late. */
function tell(store: QueryClient): void {
  telling = undefined;
  if (store.isFetching({ queryKey: KEYS.compute() }) > 0) {
    telling = setTimeout(tell, BUSY_MS, store);
    return;
  }
  told_at = performance.now();
  for (const name of stale) void store.invalidateQueries({ queryKey: KEYS.compute(...name.split(' ')) });
  stale.clear();
}
