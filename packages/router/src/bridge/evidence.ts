/** The evidence of a finished job for its Run: the log to the byte, and the hashes of the artifacts. */
import { createHash } from 'node:crypto';
import type { NewEvidence } from '@rcpt/contract/ledger/runs.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { listArtifacts } from '../store/artifacts.ts';
import { findJob } from '../store/jobs.ts';
import { listLogs } from '../store/log-chunks.ts';

/** In UTF-16 units. Of a longer log only the hash is sent. The limit keeps the request body small, also when written as JSON. */
const LOG_UNITS = 150_000;
const PAGE = 500;
/** The ledger takes more, but a person cannot review more. */
const MOST_ARTIFACTS = 50;

export interface Evidence {
  /** Tells the items of one job apart. */
  key: string;
  body: NewEvidence;
}

/** The evidence, and a sentence for each piece that is left out. */
export interface Gathered {
  items: Evidence[];
  left_out: string[];
}

/** The same at every call: a finished job gets no more logs and artifacts. */
export async function evidenceOf(db: Db, job_id: string): Promise<Gathered> {
  const isCut = (await findJob(db, job_id))?.log_cut_at != null;
  const log = await logOf(db, job_id, isCut);
  const hashed = new Map<string, Evidence>();
  const left_out = isCut ? ['The ledger’s Run is without the end of the log: its quota was used up.'] : [];
  for await (const { id, document } of artifactsOf(db, job_id)) {
    const { checksum_sha256, artifact_type, name } = document as Record<string, string | null>;
    const leaveOut = (reason: string) =>
      left_out.push(`The ledger’s Run is without the artifact “${name}”: ${reason}.`);
    if (!checksum_sha256) leaveOut('its worker reported no checksum');
    else if (hashed.has(checksum_sha256)) continue;
    else if (hashed.size >= MOST_ARTIFACTS) leaveOut(`${MOST_ARTIFACTS} are passed on`);
    else {
      const label = `Artifact (${artifact_type}): ${name}`.slice(0, 500);
      hashed.set(checksum_sha256, { key: id, body: { kind: 'file', label, sha256: checksum_sha256 } });
    }
  }
  return { items: [...(log === null ? [] : [{ key: 'log', body: log }]), ...hashed.values()], left_out };
}

async function* artifactsOf(db: Db, job_id: string) {
  for (let after = ''; ; ) {
    const page = await listArtifacts(db, job_id, after, PAGE);
    if (page.length === 0) return;
    yield* page;
    after = page.at(-1)!.id;
  }
}

/** The log to the byte, or its hash when it is too long. Null for a job without a log. The label is sealed. */
async function logOf(db: Db, job_id: string, isCut: boolean): Promise<NewEvidence | null> {
  const hash = createHash('sha256');
  let content = '';
  let isLong = false;
  for (let after = ''; ; ) {
    const { chunks } = await listLogs(db, job_id, after, PAGE);
    if (chunks.length === 0) break;
    after = chunks.at(-1)!.id;
    const text = chunks.flatMap(({ lines }) => lines.map((line) => `${line}\n`)).join('');
    hash.update(text);
    isLong ||= content.length + text.length > LOG_UNITS;
    content = isLong ? ' ' : content + text;
  }
  if (content === '') return null;
  const content_type = 'text/plain; charset=utf-8';
  const title = `Log of the job${isCut ? ', cut where its quota was used up' : ''}`;
  if (!isLong) return { kind: 'log', label: title, content, content_type };
  const label = `${title}, too long to pass on: the router keeps it`;
  return { kind: 'log', label, sha256: hash.digest('hex'), content_type };
}
