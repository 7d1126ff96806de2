/** `GET /router/admin/news`: what changed on the router makes what is shown stale. */
import type { RouterChanged } from '@rcpt/contract/router/admin.ts';
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { KEYS } from '../../api/keys.ts';
import { streamOf } from '../../api/shared-event-stream.ts';

const LINGER_MS = 3_000;
const changes = streamOf<RouterChanged>('/router/admin/news');

/** It outlives the step from one page to the next. `there`: a router answers. */
export function useRouterChanges(there: boolean): void {
  const store = useQueryClient();
  useEffect(() => {
    if (!there) return;
    const stop = changes({
      changed: (what) => markStale(store, what),
      missed: () => void store.invalidateQueries({ queryKey: KEYS.compute() }),
    });
    return () => void setTimeout(stop, LINGER_MS);
  }, [store, there]);
}

/** Until the answer is called: something happened to this job, or may have. */
export function onJobChange(id: string, listener: () => void): () => void {
  return changes({
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
let invalidated_at = Number.NEGATIVE_INFINITY;
let timer: ReturnType<typeof setTimeout> | undefined;

function markStale(store: QueryClient, { jobs, workers }: RouterChanged): void {
  if (jobs?.length !== 0) for (const name of WITH_JOBS) stale.add(name);
  if (workers) for (const name of WITH_WORKERS) stale.add(name);
  for (const id of jobs ?? ['']) stale.add(id === '' ? 'job' : `job ${id}`);
  if (timer === undefined)
    timer = setTimeout(invalidateStale, Math.max(0, invalidated_at + CALM_MS - performance.now()), store);
}

/** Not before the last answers are there: what is asked twice at once is answered late. */
function invalidateStale(store: QueryClient): void {
  timer = undefined;
  if (store.isFetching({ queryKey: KEYS.compute() }) > 0) {
    timer = setTimeout(invalidateStale, BUSY_MS, store);
    return;
  }
  invalidated_at = performance.now();
  for (const name of stale) void store.invalidateQueries({ queryKey: KEYS.compute(...name.split(' ')) });
  stale.clear();
}
