/** Jobs, their events, logs and artifacts. Jobs are read and written many at a time: one statement per commit, not per job. */
import { type Queries, together, type Value } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { EventDraft, Job } from '../domain/job.ts';

/** Set when the job is created and never again. */
const FIXED = {
  id: 'text',
  member_id: 'text',
  job_type: 'text',
  requested_gpu_sku: 'text',
  priority: 'bigint',
  estimated_hours: 'text',
  estimated_cents: 'bigint',
  hourly_rate_usd: 'text',
  input_dataset_ids: 'text',
  datasets: 'text',
  payload: 'text',
  max_attempts: 'bigint',
  receipt_id: 'text',
  created_at: 'text',
} as const;

/** What acts change. */
const CHANGING = {
  status: 'text',
  output_uri: 'text',
  assigned_node_id: 'text',
  attempt: 'bigint',
  actual_started_at: 'text',
  actual_finished_at: 'text',
  actual_hours: 'text',
  actual_cents: 'bigint',
  worker_id: 'text',
  lease_id: 'text',
  lease_sha256: 'text',
  lease_expires_at: 'text',
  past_leases: 'text',
  log_bytes: 'bigint',
  log_cut_at: 'text',
} as const;

const COLUMNS = { ...FIXED, ...CHANGING };
type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];
const CHANGING_NAMES = Object.keys(CHANGING) as (keyof typeof CHANGING)[];
const DOCUMENTS = new Set<Column>(['input_dataset_ids', 'payload', 'past_leases']);
export const JOB_COLUMNS: string = NAMES.join(', ');

export async function insertJobs(tx: Queries, jobs: Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await tx.insert(
    'jobs',
    COLUMNS,
    jobs.map((job) => NAMES.map((column) => stored(job, column))),
  );
}

/** The named jobs, held until the transaction ends, in one order everywhere. Unknown ids are left out. */
export async function lockJobs(tx: Queries, ids: string[]): Promise<Job[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<Stored>(
    `select ${JOB_COLUMNS} from jobs where id ${tx.dialect.isAmong('$1')} order by id ${tx.dialect.forUpdate}`,
    [JSON.stringify([...new Set(ids)])],
  );
  return rows.map(jobOf);
}

/** The next `limit` queued jobs of one SKU and type, oldest first within priority; jobs another transaction holds are left out. */
export async function lockQueued(tx: Queries, gpu_sku: string, job_type: string, limit: number): Promise<Job[]> {
  const rows = await tx.all<Stored>(
    `select ${JOB_COLUMNS} from jobs where status = 'queued' and requested_gpu_sku = $1 and job_type = $2
     order by priority desc, id limit $3 ${tx.dialect.forUpdateSkipLocked}`,
    [gpu_sku, job_type, limit],
  );
  return rows.map(jobOf);
}

/** Whether jobs of one SKU and type are queued, those that another transaction holds included. */
export async function hasQueued(tx: Queries, gpu_sku: string, job_type: string): Promise<boolean> {
  const row = await tx.get(
    `select 1 from jobs where status = 'queued' and requested_gpu_sku = $1 and job_type = $2 limit 1`,
    [gpu_sku, job_type],
  );
  return row !== undefined;
}

const AS_READ = { id: 'text', status: 'text', lease_sha256: 'text' } as const;

/**
 * Writes changed jobs. Each row must still have the status and the lease it was read with: whoever comes late changes
 * nothing, and everything is rolled back.
 */
export async function updateJobs(tx: Queries, changes: { from: Job; to: Job }[]): Promise<void> {
  const rows = changes.map(({ from, to }) => [
    from.id,
    from.status,
    from.lease_sha256,
    ...CHANGING_NAMES.map((column) => stored(to, column)),
  ]);
  await tx.updateAll('jobs', AS_READ, CHANGING, rows);
}

export interface EndedLease {
  id: string;
  /** Its worker, when that was revoked. */
  revoked_worker_id: string | null;
}

/** Leased and running jobs whose lease is over at `at`, and those that a revoked worker holds. */
export async function endedLeases(db: Queries, at: string, limit: number): Promise<EndedLease[]> {
  return db.all<EndedLease>(
    `select jobs.id, workers.id as revoked_worker_id from jobs
     left join workers on workers.id = jobs.worker_id and workers.revoked_at is not null
     where jobs.status in ('leased', 'running') and jobs.lease_id is not null
       and (jobs.lease_expires_at <= $1 or workers.id is not null) limit $2`,
    [at, limit],
  );
}

/** As `endedLeases`, of one worker that was revoked. */
export async function leasesOfRevoked(db: Queries, worker_id: string): Promise<EndedLease[]> {
  return db.all<EndedLease>(
    `select jobs.id, jobs.worker_id as revoked_worker_id from jobs
     where jobs.status in ('leased', 'running') and jobs.worker_id = $1 and jobs.lease_id is not null`,
    [worker_id],
  );
}

export async function findJob(db: Queries, id: string): Promise<Job | null> {
  const row = await db.get<Stored>(`select ${JOB_COLUMNS} from jobs where id = $1`, [id]);
  return row === undefined ? null : jobOf(row);
}

const DELIVERY = { waiting: `stage <> 'done' and refusal is null`, refused: 'refusal is not null' };

/** Newest first. */
export async function listJobs(
  db: Queries,
  {
    status,
    member_id,
    ledger,
    after,
    limit,
  }: {
    status?: string | undefined;
    member_id?: string | undefined;
    ledger?: 'waiting' | 'refused' | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<Job[]> {
  const params: Value[] = [];
  const conditions = ['1 = 1'];
  const add = (condition: string, value: string | undefined) => {
    if (value === undefined) return;
    params.push(value);
    conditions.push(`${condition} $${params.length}`);
  };
  add('status =', status);
  add('member_id =', member_id);
  add('id <', after);
  if (ledger !== undefined) conditions.push(`id in (select job_id from bridge_outbox where ${DELIVERY[ledger]})`);
  params.push(limit);
  const rows = await db.all<Stored>(
    `select ${JOB_COLUMNS} from jobs where ${conditions.join(' and ')} order by id desc limit $${params.length}`,
    params,
  );
  return rows.map(jobOf);
}

const EVENT_COLUMNS = {
  job_id: 'text',
  id: 'text',
  event_type: 'text',
  message: 'text',
  payload: 'text',
  worker_id: 'text',
  created_at: 'text',
} as const;

export interface StoredEvent extends EventDraft {
  job_id: string;
  id: string;
  created_at: string;
}

export async function insertEvents(tx: Queries, events: StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.insert(
    'job_events',
    EVENT_COLUMNS,
    events.map((e) => [e.job_id, e.id, e.event_type, e.message, JSON.stringify(e.payload), e.worker_id, e.created_at]),
  );
}

export async function listEvents(db: Queries, job_id: string, after: string, limit: number): Promise<StoredEvent[]> {
  const size = 'octet_length(message) + octet_length(payload)';
  const { rows } = await pageOf<Omit<StoredEvent, 'payload'> & { payload: string }>(
    db,
    'job_events',
    size,
    job_id,
    after,
    limit,
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as StoredEvent['payload'] }));
}

export interface StoredLog {
  job_id: string;
  id: string;
  attempt: number;
  stream: string;
  sequence: number | null;
  lines: string[];
  created_at: string;
}

/** A chunk whose (attempt, stream, sequence) is there already is not stored again. */
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

/** Of what a job has, in order, as many rows as one answer holds: none only at the end. */
async function pageOf<Row>(
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

/** Jobs held per node, for the inventory. */
export async function heldPerNode(db: Queries): Promise<Map<string, number>> {
  const rows = await db.all<{ assigned_node_id: string; held: number }>(
    `select assigned_node_id, count(*) as held from jobs
     where status in ('leased', 'running') and assigned_node_id is not null group by assigned_node_id`,
  );
  return new Map(rows.map((row) => [row.assigned_node_id, Number(row.held)]));
}

export const newEventId = () => newId('event');

type Stored = Record<string, string | number | null>;

/** Most jobs have none, and pay nothing for it. */
const NO_DATASETS: Job['datasets'] = [];

function stored(job: Job, column: Column): Value {
  if (column === 'datasets') return job.datasets.length === 0 ? null : JSON.stringify(job.datasets);
  return DOCUMENTS.has(column) ? JSON.stringify(job[column]) : (job[column] as Value);
}

function jobOf(row: Stored): Job {
  // In place: the row is nobody else's, and copying its columns took longer than reading them.
  const job: Record<string, unknown> = row;
  for (const column of DOCUMENTS) job[column] = JSON.parse(String(row[column]));
  job.datasets = row.datasets === null ? NO_DATASETS : JSON.parse(String(row.datasets));
  return job as unknown as Job;
}
