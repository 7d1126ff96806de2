/** Jobs, read and written many at a time: one statement per commit, not per job. */
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import type { Job } from '../domain/job.ts';
import type { Queue } from '../domain/queue.ts';

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

/** What transitions change. */
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
const JOB_COLUMNS: string = NAMES.join(', ');

export async function insertJobs(tx: Queries, jobs: Job[]): Promise<void> {
  if (jobs.length === 0) return;
  await tx.insert(
    'jobs',
    COLUMNS,
    jobs.map((job) => NAMES.map((column) => stored(job, column))),
  );
}

/** The named jobs, locked until the transaction ends, always in the same order. Unknown ids are left out. */
export async function lockJobs(tx: Queries, ids: string[]): Promise<Job[]> {
  if (ids.length === 0) return [];
  const rows = await tx.all<Stored>(
    `select ${JOB_COLUMNS} from jobs where id ${tx.dialect.isAmong('$1')} order by id ${tx.dialect.forUpdate}`,
    [JSON.stringify([...new Set(ids)])],
  );
  return rows.map(jobOf);
}

/** The next `limit` jobs of one queue, oldest first within priority; jobs another transaction holds are left out. */
export async function lockQueued(tx: Queries, { gpu_sku, job_type }: Queue, limit: number): Promise<Job[]> {
  const rows = await tx.all<Stored>(
    `select ${JOB_COLUMNS} from jobs where status = 'queued' and requested_gpu_sku = $1 and job_type = $2
     order by priority desc, id limit $3 ${tx.dialect.forUpdateSkipLocked}`,
    [gpu_sku, job_type, limit],
  );
  return rows.map(jobOf);
}

/** Whether a queue has jobs, also such as another transaction has locked. */
export async function hasQueued(tx: Queries, { gpu_sku, job_type }: Queue): Promise<boolean> {
  const row = await tx.get(
    `select 1 from jobs where status = 'queued' and requested_gpu_sku = $1 and job_type = $2 limit 1`,
    [gpu_sku, job_type],
  );
  return row !== undefined;
}

const AS_READ = { id: 'text', status: 'text', lease_sha256: 'text' } as const;

/**
 * Writes changed jobs. Each row must still have the status and the lease it was read with; else everything is rolled back.
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

/** Jobs held per node, for the inventory. */
export async function heldPerNode(db: Queries): Promise<Map<string, number>> {
  const rows = await db.all<{ assigned_node_id: string; held: number }>(
    `select assigned_node_id, count(*) as held from jobs
     where status in ('leased', 'running') and assigned_node_id is not null group by assigned_node_id`,
  );
  return new Map(rows.map((row) => [row.assigned_node_id, Number(row.held)]));
}

type Stored = Record<string, string | number | null>;

/** Shared by all jobs without datasets: most have none. */
const NO_DATASETS: Job['datasets'] = [];

function stored(job: Job, column: Column): Value {
  if (column === 'datasets') return job.datasets.length === 0 ? null : JSON.stringify(job.datasets);
  return DOCUMENTS.has(column) ? JSON.stringify(job[column]) : (job[column] as Value);
}

function jobOf(row: Stored): Job {
  // In place: nothing else refers to the row, and copying its columns took longer than reading them.
  const job: Record<string, unknown> = row;
  for (const column of DOCUMENTS) job[column] = JSON.parse(String(row[column]));
  job.datasets = row.datasets === null ? NO_DATASETS : JSON.parse(String(row.datasets));
  return job as unknown as Job;
}
