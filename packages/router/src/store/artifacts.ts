/** Artifacts of jobs, as their workers reported them. */
import { createHash } from 'node:crypto';
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { pageOf } from './page-of-job.ts';

export interface StoredArtifact {
  job_id: string;
  id: string;
  worker_id: string;
  document: Record<string, unknown>;
  created_at: string;
}

/** The same for the same document, reported by the same worker for the same job. */
export function artifactKey({ job_id, worker_id, document }: Omit<StoredArtifact, 'id' | 'created_at'>): string {
  return `${job_id} ${worker_id} ${hashOf(JSON.stringify(document))}`;
}

export async function insertArtifact(
  tx: Queries,
  { job_id, id, worker_id, document, created_at }: StoredArtifact,
): Promise<void> {
  const text = JSON.stringify(document);
  await tx.run(
    `insert into artifacts (job_id, id, worker_id, document, document_sha256, created_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [job_id, id, worker_id, text, hashOf(text), created_at],
  );
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

/** The ids of those artifacts that are stored, by `artifactKey`. Exact while their jobs are locked. */
export async function findArtifacts(
  tx: Queries,
  artifacts: Omit<StoredArtifact, 'id' | 'created_at'>[],
): Promise<Map<string, string>> {
  const rows = await together(
    ...artifacts.map(({ job_id, worker_id, document }) => {
      const text = JSON.stringify(document);
      // Rows of former versions have no hash.
      return tx.get<{ id: string }>(
        `select id from artifacts where job_id = $1 and worker_id = $2 and document_sha256 = $3
         union all
         select id from artifacts where job_id = $1 and worker_id = $2 and document_sha256 is null and document = $4
         order by id limit 1`,
        [job_id, worker_id, hashOf(text), text],
      );
    }),
  );
  return new Map(
    artifacts.flatMap((artifact, i) => (rows[i] === undefined ? [] : [[artifactKey(artifact), rows[i].id]])),
  );
}

function hashOf(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}
