/** What jobs made, as their workers reported it. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { pageOf } from './page-of-job.ts';

export interface StoredArtifact {
  job_id: string;
  id: string;
  worker_id: string;
  document: Record<string, unknown>;
  created_at: string;
}

export async function insertArtifact(
  tx: Queries,
  { job_id, id, worker_id, document, created_at }: StoredArtifact,
): Promise<void> {
  await tx.run('insert into artifacts (job_id, id, worker_id, document, created_at) values ($1, $2, $3, $4, $5)', [
    job_id,
    id,
    worker_id,
    JSON.stringify(document),
    created_at,
  ]);
}

export async function listArtifacts(
  db: Queries,
  job_id: string,
  after: string,
  limit: number,
): Promise<StoredArtifact[]> {
  const { rows } = await pageOf<Omit<StoredArtifact, 'document'> & { document: string }>(
    db,
    'artifacts',
    'octet_length(document)',
    job_id,
    after,
    limit,
  );
  return rows.map((row) => ({ ...row, document: JSON.parse(row.document) as StoredArtifact['document'] }));
}

/** The id of the same artifact, reported by the same worker. */
export async function findArtifact(
  db: Queries,
  { job_id, worker_id, document }: Pick<StoredArtifact, 'job_id' | 'worker_id' | 'document'>,
): Promise<string | undefined> {
  const row = await db.get<{ id: string }>(
    'select id from artifacts where job_id = $1 and worker_id = $2 and document = $3 order by id limit 1',
    [job_id, worker_id, JSON.stringify(document)],
  );
  return row?.id;
}
