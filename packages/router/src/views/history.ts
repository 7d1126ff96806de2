/**
 * Jobs per hour or day. A job that ended does not change any more, so each is read once and added to its hour here; later requests
 * read only new jobs, a page at a time, and other work goes on between pages. The last minute is read again each time: commits of
 * now may arrive in any order, also from other processes.
 */
import type { History } from '@rcpt/contract/router/admin.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { usdNumber } from '../domain/price.ts';
import { instant, millisOf } from '../domain/time.ts';
import {
  type CreatedJob,
  countAllQueued,
  createdAfter,
  type FinishedJob,
  finishedAfter,
  startsOfHeld,
} from '../store/history.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURLY_DAYS = 3;
const UNSETTLED_MS = 60_000;
const KEPT_MS = 2_000;
const PAGE = 4_000;

interface JobHistory {
  read(days: number): Promise<History>;
}

interface Hour {
  created: number;
  completed: number;
  failed: number;
  canceled: number;
  cents: number;
  /** Left the queue: started, or ended without a start. */
  left: number;
}
/** By its number since 1970. */
type Hours = Map<number, Hour>;

interface Counts {
  queued: number;
  settled: Hours;
  unsettled: Hours;
}

export function createHistory(db: Db, now: () => number): JobHistory {
  const settled: Hours = new Map();
  let created: CreatedJob = { id: '', created_at: '' };
  let finished: Pick<FinishedJob, 'id' | 'actual_finished_at'> = { id: '', actual_finished_at: '' };
  let reading: Promise<Counts> | null = null;
  let until = 0;

  async function look(): Promise<Counts> {
    const unsettled: Hours = new Map();
    const settles = instant(now() - UNSETTLED_MS);
    let open = false;
    await pages(
      (after: CreatedJob) => createdAfter(db, after.id, PAGE),
      created,
      (job) => {
        open ||= job.created_at >= settles;
        hourOf(open ? unsettled : settled, job.created_at).created++;
        if (!open) created = job;
      },
    );
    await pages(
      (after: typeof finished) => finishedAfter(db, after, PAGE),
      finished,
      (job) => {
        const isSettled = job.actual_finished_at < settles;
        addFinished(isSettled ? settled : unsettled, job);
        if (isSettled) finished = job;
      },
    );
    const [queued, held] = await Promise.all([countAllQueued(db), startsOfHeld(db)]);
    for (const { actual_started_at } of held) hourOf(unsettled, actual_started_at ?? instant(now())).left++;
    return { queued, settled, unsettled };
  }

  return {
    async read(days) {
      if (reading === null || performance.now() >= until) {
        const before = reading?.catch(() => undefined);
        // One at a time: each goes on where the one before ended.
        const next = (before ?? Promise.resolve()).then(look).finally(() => {
          until = performance.now() + KEPT_MS;
        });
        until = Number.POSITIVE_INFINITY;
        reading = next;
        next.catch(() => {
          if (reading === next) reading = null;
        });
      }
      return historyOf(await reading, days, now());
    },
  };
}

/** `take` is called with each row of every page, in order. */
async function pages<After, Row extends After>(
  read: (after: After) => Promise<Row[]>,
  from: After,
  take: (row: Row) => void,
): Promise<void> {
  let after = from;
  for (;;) {
    const rows = await read(after);
    for (const row of rows) take(row);
    if (rows.length < PAGE) return;
    after = rows.at(-1)!;
    await new Promise((lap) => setImmediate(lap));
  }
}

function addFinished(hours: Hours, job: FinishedJob): void {
  const hour = hourOf(hours, job.actual_finished_at);
  hour[job.status]++;
  hour.cents += job.actual_cents ?? 0;
  hourOf(hours, job.actual_started_at ?? job.actual_finished_at).left++;
}

function hourOf(hours: Hours, at: string): Hour {
  const number = Math.floor(millisOf(at) / HOUR_MS);
  let hour = hours.get(number);
  if (hour === undefined) {
    hour = { created: 0, completed: 0, failed: 0, canceled: 0, cents: 0, left: 0 };
    hours.set(number, hour);
  }
  return hour;
}

/** The depth of the queue is counted back from now: per bucket, less the jobs created in it, plus those that left the queue in it. */
function historyOf({ queued, settled, unsettled }: Counts, days: number, now: number): History {
  const bucket_ms = days <= HOURLY_DAYS ? HOUR_MS : DAY_MS;
  const last = Math.floor(now / bucket_ms);
  const count = (days * DAY_MS) / bucket_ms;
  const buckets: History['buckets'] = [];
  let depth = queued;
  for (let bucket = last; bucket > last - count; bucket--) {
    const { cents, left, ...sums } = sumOf([settled, unsettled], (bucket * bucket_ms) / HOUR_MS, bucket_ms / HOUR_MS);
    const at = instant(bucket * bucket_ms);
    buckets.unshift({ at, ...sums, spend_usd: usdNumber(cents), queued: Math.max(0, depth) });
    depth += left - sums.created;
  }
  return { bucket_seconds: bucket_ms / 1000, buckets };
}

function sumOf(all: Hours[], from: number, hours: number): Hour {
  const sum: Hour = { created: 0, completed: 0, failed: 0, canceled: 0, cents: 0, left: 0 };
  for (const known of all)
    for (let number = from; number < from + hours; number++)
      for (const [member, value] of Object.entries(known.get(number) ?? {})) sum[member as keyof Hour] += value;
  return sum;
}
