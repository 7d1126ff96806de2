/** The leases and events of one worker, and the counts of the summary page. */
import type { JobStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { StoredEvent } from './job-events.ts';

const RECENT = 20;

export function leasesOfWorker(db: Queries, worker_id: string) {
  return db.all<{ lease_id: string; job_id: string; job_type: string; status: string; expires_at: string }>(
    `select lease_id, id as job_id, job_type, status, lease_expires_at as expires_at from jobs
     where status in ('leased', 'running') and worker_id = $1 and lease_id is not null order by id`,
    [worker_id],
  );
}

/** Jobs that ended, of all workers, among which one worker's are looked for. */
const LOOKED_THROUGH = 20_000;

/**
 * Newest first: what it did on the jobs it holds, on those it ended lately, and on those that were taken from it. There is no
 * index of events by worker, because with many workers each of them would be another page to write in every commit.
 */
export async function eventsOfWorker(db: Queries, worker_id: string): Promise<StoredEvent[]> {
  const rows = await db.all<Omit<StoredEvent, 'payload'> & { payload: string }>(
    `with its_jobs as (
       select id from jobs where status in ('leased', 'running') and worker_id = $1
       union
       select id from (
         select id from (
           select id, worker_id, actual_finished_at from jobs where actual_finished_at is not null
           order by actual_finished_at desc, id desc limit ${LOOKED_THROUGH}
         ) as ended
         where worker_id = $1 order by actual_finished_at desc, id desc limit ${RECENT}
       ) as its_last
       union
       select job_id from (
         select job_id from job_events where event_type = 'lease_expired' and worker_id = $1 order by id desc limit ${RECENT}
       ) as lost
     )
     select job_events.* from its_jobs join job_events on job_events.job_id = its_jobs.id
     where job_events.worker_id = $1 order by job_events.id desc limit ${RECENT}`,
    [worker_id],
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as StoredEvent['payload'] }));
}

export async function jobsPerStatus(
  db: Queries,
): Promise<{ status: JobStatus; jobs: number; estimated_cents: number }[]> {
  return db.all(
    'select status, count(*) as jobs, cast(coalesce(sum(estimated_cents), 0) as bigint) as estimated_cents from jobs group by status',
  );
}

export async function countHeld(db: Queries): Promise<number> {
  const row = await db.get<{ n: number }>(
    `select count(*) as n from jobs where status in ('leased', 'running') and lease_id is not null`,
  );
  return row?.n ?? 0;
}

export async function countExpired(db: Queries): Promise<number> {
  const row = await db.get<{ n: number }>(`select count(*) as n from job_events where event_type = 'lease_expired'`);
  return row?.n ?? 0;
}

export async function countDatasets(db: Queries): Promise<number> {
  const row = await db.get<{ n: number }>('select count(*) as n from datasets');
  return row?.n ?? 0;
}

export async function countMemberships(db: Queries): Promise<number> {
  const row = await db.get<{ n: number }>('select count(*) as n from members where membership_started_at is not null');
  return row?.n ?? 0;
}
