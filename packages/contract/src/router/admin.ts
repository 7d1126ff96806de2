/** What operators look at: the router's health, its sums, its history, a worker's page, and news of what changes. */
import { z } from 'zod';
import { inDigits } from '../wire.ts';
import { JobEvent } from './compute.ts';
import { OffsetInstant } from './vocabulary.ts';
import { Worker } from './workers.ts';

export const RouterHealth = z.object({
  status: z.string(),
  service: z.string(),
  version: z.string(),
  db_status: z.string(),
  timestamp: z.string(),
});
export type RouterHealth = z.infer<typeof RouterHealth>;

const count = z.int();
/** `GET /admin/summary` */
export const Summary = z.object({
  active_members_count: count,
  total_datasets_count: count,
  compute_nodes_available: count,
  compute_nodes_busy: count,
  queued_jobs: count,
  leased_jobs: count,
  running_jobs: count,
  completed_jobs: count,
  failed_jobs: count,
  canceled_jobs: count,
  estimated_revenue_from_jobs: z.number(),
  annual_membership_revenue: z.number(),
  workers_online: count,
  workers_offline: count,
  workers_busy: count,
  /** Workers that were heard once and went silent while they held a lease or work was said to go on. */
  stale_workers: count,
  active_leases: count,
  expired_leases: count,
  /** Finished jobs on their way into the ledger, and those it refused for good. */
  ledger_waiting: count,
  ledger_refused: count,
});
export type Summary = z.infer<typeof Summary>;

export const ActiveLease = z.object({
  lease_id: z.string(),
  job_id: z.string(),
  job_type: z.string(),
  status: z.string(),
  expires_at: OffsetInstant,
});
export type ActiveLease = z.infer<typeof ActiveLease>;
/** `GET /admin/workers/{id}`: one worker, its leases and what it did. */
export const WorkerPage = z.object({
  worker: Worker,
  active_leases: z.array(ActiveLease),
  recent_events: z.array(JobEvent),
});
export type WorkerPage = z.infer<typeof WorkerPage>;

/** `GET /admin/history`: what happened per bucket of time, oldest first; times with nothing are there with zeros. */
export const HistoryQuery = z.object({ days: inDigits(z.int().min(1).max(366).default(30)) });
export const History = z.object({
  /** 3600 up to three days, else 86400. */
  bucket_seconds: z.int(),
  buckets: z.array(
    z.object({
      /** Where the bucket begins. */
      at: OffsetInstant,
      created: z.int(),
      completed: z.int(),
      failed: z.int(),
      canceled: z.int(),
      /** Of the jobs completed in it. */
      spend_usd: z.number(),
      /** Jobs queued at its end. */
      queued: z.int(),
    }),
  ),
});
export type History = z.infer<typeof History>;

/** `GET /admin/news` (`text/event-stream`), event `changed`: gathered for a fraction of a second. */
export const RouterChanged = z.object({
  /** Jobs that changed or logged, at most a hundred; null when there were more. */
  jobs: z.array(z.string()).nullable(),
  workers: z.boolean(),
});
export type RouterChanged = z.infer<typeof RouterChanged>;
