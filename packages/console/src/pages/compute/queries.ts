/** The queries of the compute pages. Changes of the router make them stale; while it is away each asks again by itself. */
import type { Job, JobEvent, JobQuery } from '@rcpt/contract/router/compute.ts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { router } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { problemOf, statusOf } from '../../api/problem.ts';

type JobFilters = Partial<Pick<z.input<typeof JobQuery>, 'status' | 'member_id' | 'ledger'>>;

const AGAIN_MS = 5_000;
const UNCONNECTED_MS = 15_000;
/** Leases are renewed without an event. */
const LEASES_MS = 15_000;
/** Heartbeats bring no event of their own. */
const FLEET_MS = 30_000;
export const PAGE_ROWS = 50;
const NAMED_MEMBERS = 500;

/** The router, or the ledger before it, does not answer for now. */
export function isAway(error: unknown): boolean {
  return [0, 502, 503, 504].includes(statusOf(error) ?? -1);
}

/** No router is connected to the organization. */
export function isUnconnected(error: unknown): boolean {
  return problemOf(error).code === 'router_not_connected';
}

interface Asked {
  state: { error: Error | null };
}
const every =
  (ms: number | false = false) =>
  ({ state }: Asked) =>
    isAway(state.error) ? AGAIN_MS : isUnconnected(state.error) ? UNCONNECTED_MS : ms;

export const summaryQuery = queryOptions({
  queryKey: KEYS.compute('summary'),
  queryFn: ({ signal }) => router.summary(signal),
  refetchInterval: every(),
});

export const historyQuery = (days: number) =>
  queryOptions({
    queryKey: KEYS.compute('history', days),
    queryFn: ({ signal }) => router.history(days, signal),
    refetchInterval: every(60_000),
    placeholderData: (before) => before,
  });

export const workersQuery = queryOptions({
  queryKey: KEYS.compute('workers'),
  queryFn: ({ signal }) => router.listWorkers(signal),
  refetchInterval: every(FLEET_MS),
});

export const workerQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.compute('worker', id),
    queryFn: ({ signal }) => router.getWorker(id, signal),
    refetchInterval: every(LEASES_MS),
  });

export const nodesQuery = queryOptions({
  queryKey: KEYS.compute('nodes'),
  queryFn: ({ signal }) => router.inventory(signal),
  refetchInterval: every(),
});

/** It changes when the router is started again. */
export const pricesQuery = queryOptions({
  queryKey: KEYS.compute('prices'),
  queryFn: ({ signal }) => router.prices(signal),
  staleTime: 60_000,
  refetchInterval: every(),
});

export const jobsQuery = (filters: JobFilters) =>
  infiniteQueryOptions({
    queryKey: KEYS.compute('jobs', filters),
    queryFn: ({ pageParam, signal }) => router.listJobs({ ...filters, limit: PAGE_ROWS, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last.length === PAGE_ROWS ? last.at(-1)?.id : undefined),
    placeholderData: (before) => before,
    refetchInterval: every(),
  });

/** The queue's first pages in one: enough to say why jobs wait. */
export const QUEUE_ROWS = 500;
export const queueQuery = queryOptions({
  queryKey: KEYS.compute('queue'),
  queryFn: ({ signal }) => router.listJobs({ status: 'queued', limit: QUEUE_ROWS }, signal),
  // Whether a worker takes them changes when one goes silent; no event says so.
  refetchInterval: every(FLEET_MS),
});

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.compute('job', id),
    queryFn: ({ signal }) => router.getJob(id, signal),
    // Why it waits changes when a worker goes silent; no event says so.
    refetchInterval: (asked) => every(nextLook(asked.state.data))(asked),
  });

/** What changes without an event: that a worker falls silent, that the ledger takes what was sent. */
function nextLook(job: Job | undefined): number | false {
  if (job?.ledger?.state === 'waiting') return NEXT_LOOK_MS;
  return job?.status === 'queued' ? FLEET_MS : false;
}

/** A moment after a job has ended its Run is opened in the ledger. */
const AFTERMATH_MS = 20_000;
const NEXT_LOOK_MS = 2_500;

export const memberLogsQuery = (member_id: string) =>
  queryOptions({
    queryKey: KEYS.compute('member-logs', member_id),
    queryFn: ({ signal }) => router.memberLogs(member_id, signal),
    staleTime: 10_000,
    retry: false,
  });

const EVENT_PAGES = 20;

/** How a job ended stands at the end, behind whatever its worker told. */
async function allEvents(id: string, signal: AbortSignal): Promise<JobEvent[]> {
  const events: JobEvent[] = [];
  for (let page = 0; page < EVENT_PAGES; page++) {
    const next = await router.jobEvents(id, events.at(-1)?.id ?? '', signal);
    events.push(...next);
    if (next.length < 500) break;
  }
  return events;
}

export const eventsQuery = ({ id, actual_finished_at }: Pick<Job, 'id' | 'actual_finished_at'>) =>
  queryOptions({
    queryKey: KEYS.compute('job', id, 'events'),
    queryFn: ({ signal }) => allEvents(id, signal),
    refetchInterval: (asked) => {
      const ended = actual_finished_at === null ? Number.NEGATIVE_INFINITY : Date.parse(actual_finished_at);
      return every(Date.now() - ended < AFTERMATH_MS ? NEXT_LOOK_MS : false)(asked);
    },
  });

export const artifactsQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.compute('job', id, 'artifacts'),
    queryFn: ({ signal }) => router.jobArtifacts(id, signal),
    refetchInterval: every(),
  });

/** The receipts of a job stand under the dates on which something happened to it. */
export const jobReceiptsQuery = (id: string, dates: readonly string[]) =>
  queryOptions({
    queryKey: KEYS.compute('job', id, 'receipts', dates),
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        dates.map((date) => router.listReceipts({ date, job_id: id, order: 'newest', limit: 100 }, signal)),
      );
      return pages.flatMap((page) => page.receipts).filter((receipt) => receipt.job_id === id);
    },
    refetchInterval: every(),
  });

export const quotesQuery = (date: string | undefined) =>
  queryOptions({
    queryKey: KEYS.compute('quotes', date ?? 'today'),
    queryFn: ({ signal }) =>
      router.listReceipts(
        { ...(date === undefined ? {} : { date }), receipt_type: 'compute_quote', order: 'newest', limit: 50 },
        signal,
      ),
    refetchInterval: every(),
  });

export const membersQuery = infiniteQueryOptions({
  queryKey: KEYS.compute('members', 'pages'),
  queryFn: ({ pageParam, signal }) => router.listMembers({ limit: PAGE_ROWS, offset: pageParam }, signal),
  initialPageParam: 0,
  getNextPageParam: (last, pages) => (last.length === PAGE_ROWS ? pages.length * PAGE_ROWS : undefined),
  refetchInterval: every(),
});

/** The newest members: for names in lists, and to choose from. */
export const memberNamesQuery = queryOptions({
  queryKey: KEYS.compute('members', 'names'),
  queryFn: ({ signal }) => router.listMembers({ limit: NAMED_MEMBERS, offset: 0 }, signal),
  staleTime: 60_000,
  refetchInterval: every(),
});

export const datasetsQuery = infiniteQueryOptions({
  queryKey: KEYS.compute('datasets', 'pages'),
  queryFn: ({ pageParam, signal }) => router.listDatasets({ limit: PAGE_ROWS, offset: pageParam }, signal),
  initialPageParam: 0,
  getNextPageParam: (last, pages) => (last.length === PAGE_ROWS ? pages.length * PAGE_ROWS : undefined),
  refetchInterval: every(),
});
