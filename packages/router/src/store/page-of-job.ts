/** A page of the rows that belong to one job. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';

/** The next rows of a job, in order, as many as fit one answer. It is empty only at the end. */
export async function pageOf<Row>(
  db: Queries,
  table: 'job_events' | 'job_logs' | 'artifacts',
  size: string,
  job_id: string,
  after: string,
  limit: number,
): Promise<{ rows: Row[]; more: boolean }> {
  const sizes = await db.all<{ id: string; byte_size: number }>(
    `select id, ${size} as byte_size from ${table} where job_id = $1 and id > $2 order by id limit $3`,
    [job_id, after, limit],
  );
  const page = fitting(sizes);
  const last = page.at(-1);
  if (last === undefined) return { rows: [], more: false };
  const rows = await db.all<Row>(
    `select * from ${table} where job_id = $1 and id > $2 and id <= $3 order by id limit $4`,
    [job_id, after, last.id, limit],
  );
  return { rows, more: page.length === limit || page.length < sizes.length };
}
