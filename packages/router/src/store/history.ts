/** Jobs in the order they were created and in the order they ended, for the history. */
import type { Queries } from '@rcpt/service/db/db.ts';

export interface CreatedJob {
  id: string;
  created_at: string;
}

export interface FinishedJob {
  id: string;
  status: 'completed' | 'failed' | 'canceled';
  actual_cents: number | null;
  actual_started_at: string | null;
  actual_finished_at: string;
}

/** Ids sort by the instant they were made. */
export function createdAfter(db: Queries, id: string, limit: number): Promise<CreatedJob[]> {
  return db.all<CreatedJob>('select id, created_at from jobs where id > $1 order by id limit $2', [id, limit]);
}

export function finishedAfter(
  db: Queries,
  { actual_finished_at, id }: Pick<FinishedJob, 'actual_finished_at' | 'id'>,
  limit: number,
): Promise<FinishedJob[]> {
  return db.all<FinishedJob>(
    `select id, status, actual_cents, actual_started_at, actual_finished_at from jobs
     where actual_finished_at is not null and (actual_finished_at, id) > ($1, $2) order by actual_finished_at, id limit $3`,
    [actual_finished_at, id, limit],
  );
}

/** Jobs that left the queue and have not ended: with when they started, null while they are only leased. */
export function startsOfHeld(db: Queries): Promise<{ actual_started_at: string | null }[]> {
  return db.all(`select actual_started_at from jobs where status in ('leased', 'running')`);
}

export async function countAllQueued(db: Queries): Promise<number> {
  const row = await db.get<{ n: number }>(`select count(*) as n from jobs where status = 'queued'`);
  return row?.n ?? 0;
}
