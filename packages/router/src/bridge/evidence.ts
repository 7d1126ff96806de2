/** What a finished job leaves for whoever examines its Run: its log to the byte, and the hashes of its artifacts. */
import type { NewEvidence } from '@rcpt/contract/ledger/runs.ts';
import type { Db } from '@rcpt/service/db.ts';
import { listArtifacts, listLogs } from '../store/jobs.ts';

/** In UTF-16 units; a longer log stays with the router. Far below the size of a body, also when written as JSON. */
const LOG_UNITS = 150_000;
const LOG_PAGE = 500;
/** The ledger takes more; a person does not. */
const MOST_ARTIFACTS = 50;

export interface Evidence {
  /** Tells the items of one job apart. */
  key: string;
  body: NewEvidence;
}

/** The same at every call: a finished job gets no more logs and artifacts. */
export async function evidenceOf(db: Db, job_id: string): Promise<Evidence[]> {
  const [log, artifacts] = [await logOf(db, job_id), await listArtifacts(db, job_id)];
  const hashed = new Map<string, Evidence>();
  for (const { id, document } of artifacts.slice(0, MOST_ARTIFACTS)) {
    const { checksum_sha256, artifact_type, name } = document as Record<string, string | null>;
    if (!checksum_sha256 || hashed.has(checksum_sha256)) continue;
    const label = `Artifact (${artifact_type}): ${name}`.slice(0, 500);
    hashed.set(checksum_sha256, { key: id, body: { kind: 'file', label, sha256: checksum_sha256 } });
  }
  if (log === '') return [...hashed.values()];
  const body = {
    kind: 'log',
    label: 'Log of the job',
    content: log,
    content_type: 'text/plain; charset=utf-8',
  } as const;
  return [{ key: 'log', body }, ...hashed.values()];
}

/** Empty for a log that is too long. */
async function logOf(db: Db, job_id: string): Promise<string> {
  let text = '';
  for (let after = ''; text.length <= LOG_UNITS; ) {
    const chunks = await listLogs(db, job_id, after, LOG_PAGE);
    if (chunks.length === 0) return text;
    after = chunks.at(-1)!.id;
    text += chunks.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');
  }
  return '';
}
