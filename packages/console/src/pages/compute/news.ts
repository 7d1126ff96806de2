/** `GET /router/admin/news`: what changed on the router makes what is shown stale. */
import type { RouterChanged } from '@rcpt/contract/router/admin.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { KEYS } from '../../api/keys.ts';
import { streamOf } from '../../api/stream.ts';

const LINGER_MS = 3_000;
const news = streamOf<RouterChanged>('/router/admin/news');

/** It outlives the step from one page to the next. `there`: a router answers. */
export function useRouterNews(there: boolean): void {
  const store = useQueryClient();
  useEffect(() => {
    if (!there) return;
    const stop = news({
      changed: (what) => forget(store, what),
      missed: () => void store.invalidateQueries({ queryKey: KEYS.compute() }),
    });
    return () => void setTimeout(stop, LINGER_MS);
  }, [store, there]);
}

/** Until the answer is called: something happened to this job, or may have. */
export function hearOfJob(id: string, listener: () => void): () => void {
  return news({
    changed: ({ jobs }) => {
      if (jobs === null || jobs.includes(id)) listener();
    },
    missed: listener,
    opened: listener,
  });
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
