/** The logs of jobs, chunk by chunk, and how many bytes of logs a member has. */
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { pageOf } from './page-of-job.ts';

export interface StoredLog {
  job_id: string;
  id: string;
  attempt: number;
  stream: string;
  sequence: number | null;
  lines: string[];
  created_at: string;
}

/** A chunk whose (attempt, stream, sequence) is stored already is not stored again. */
export async function insertLogs(tx: Queries, logs: StoredLog[]): Promise<void> {
  const inserted = logs.map(({ job_id, id, attempt, stream, sequence, lines, created_at }) =>
    tx.run(
      `insert into job_logs (job_id, id, attempt, stream, sequence, lines, created_at) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict do nothing`,
      [job_id, id, attempt, stream, sequence, JSON.stringify(lines), created_at],
    ),
  );
  await together(...inserted);
}

/** `more`: there may be chunks after these. */
export async function listLogs(
  db: Queries,
  job_id: string,
  after: string,
  limit: number,
): Promise<{ chunks: StoredLog[]; more: boolean }> {
  const { rows, more } = await pageOf<Omit<StoredLog, 'lines'> & { lines: string }>(
    db,
    'job_logs',
    'octet_length(lines)',
    job_id,
    after,
    limit,
  );
  return { chunks: rows.map((row) => ({ ...row, lines: JSON.parse(row.lines) as string[] })), more };
}

export interface Chunk {
  job_id: string;
  stream: string;
  sequence: number;
}

/** The id of each chunk of its job's present attempt that is stored, by `nameOf`. Exact while the jobs are locked. */
export async function findChunks(db: Queries, chunks: Chunk[]): Promise<Map<string, string>> {
  const rows = await together(
    ...chunks.map(({ job_id, stream, sequence }) =>
      db.get<{ id: string }>(
        `select id from job_logs where job_id = $1 and attempt = (select attempt from jobs where id = $1)
         and stream = $2 and sequence = $3`,
        [job_id, stream, sequence],
      ),
    ),
  );
  return new Map(chunks.flatMap((chunk, i) => (rows[i] === undefined ? [] : [[nameOf(chunk), rows[i].id]])));
}

export function nameOf({ job_id, stream, sequence }: Chunk): string {
  return `${job_id} ${stream} ${sequence}`;
}

/** The log bytes of these jobs' members, locked until the transaction ends. Locked after the jobs, and always in the same order. */
export async function lockMemberLogs(tx: Queries, job_ids: string[]): Promise<Map<string, number>> {
  if (job_ids.length === 0) return new Map();
  const rows = await tx.all<{ member_id: string; log_bytes: number }>(
    `select member_id, log_bytes from member_logs
     where member_id in (select member_id from jobs where id ${tx.dialect.isAmong('$1')})
     order by member_id ${tx.dialect.forUpdate}`,
    [JSON.stringify([...new Set(job_ids)])],
  );
  return new Map(rows.map(({ member_id, log_bytes }) => [member_id, log_bytes]));
}

export async function addMemberLogs(tx: Queries, added: ReadonlyMap<string, number>): Promise<void> {
  const updates = [...added].map(([member_id, bytes]) =>
    tx.run(
      `insert into member_logs (member_id, log_bytes) values ($1, $2)
       on conflict (member_id) do update set log_bytes = member_logs.log_bytes + excluded.log_bytes`,
      [member_id, bytes],
    ),
  );
  await together(...updates);
}

export async function memberLogBytes(db: Queries, member_id: string): Promise<number> {
  const row = await db.get<{ log_bytes: number }>('select log_bytes from member_logs where member_id = $1', [
    member_id,
  ]);
  return row?.log_bytes ?? 0;
}
