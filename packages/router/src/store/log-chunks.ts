/** Log chunks that are there already. */
import type { Queries } from '@rcpt/service/db.ts';

/** The id of a chunk of the job's present attempt; null when it did not come yet. */
export async function findChunk(db: Queries, job_id: string, stream: string, sequence: number): Promise<string | null> {
  const row = await db.get<{ id: string }>(
    `select id from job_logs where job_id = $1 and attempt = (select attempt from jobs where id = $1)
     and stream = $2 and sequence = $3`,
    [job_id, stream, sequence],
  );
  return row?.id ?? null;
}
