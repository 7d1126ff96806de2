/** Workers. */
import type { Capabilities, Worker } from '@rcpt/contract/router/workers.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Queries, together } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';

/** As stored: `status` is what the worker last said; whether it is offline follows from the clock. */
export type StoredWorker = Worker & { capabilities: Capabilities & JsonObject };

const COLUMNS = `id, node_id, name, hostname, endpoint_url, status, desired, capabilities, tags, version, current_jobs, metrics,
  heartbeat_interval_seconds, last_heartbeat_at, created_at`;

export async function insertWorker(tx: Queries, worker: StoredWorker, token_sha256: string): Promise<void> {
  await tx.run(
    `insert into workers (${COLUMNS}, token_sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      worker.id,
      worker.node_id,
      worker.name,
      worker.hostname,
      worker.endpoint_url,
      worker.status,
      worker.desired,
      JSON.stringify(worker.capabilities),
      JSON.stringify(worker.tags),
      worker.version,
      worker.current_jobs,
      JSON.stringify(worker.metrics),
      worker.heartbeat_interval_seconds,
      worker.last_heartbeat_at,
      worker.created_at,
      token_sha256,
    ],
  );
}

export async function findWorkerByToken(
  db: Queries,
  token_sha256: string,
): Promise<(StoredWorker & { token_sha256: string }) | null> {
  const row = await db.get<Row & { token_sha256: string }>(
    `select ${COLUMNS}, token_sha256 from workers where token_sha256 = $1`,
    [token_sha256],
  );
  return row === undefined ? null : { ...workerOf(row), token_sha256: row.token_sha256 };
}

/** Throws `not_found`. */
export async function loadWorker(db: Queries, id: string): Promise<StoredWorker> {
  const row = await db.get<Row>(`select ${COLUMNS} from workers where id = $1`, [id]);
  if (row === undefined) throw new Refusal('not_found', `There is no worker ${id}.`);
  return workerOf(row);
}

export async function listWorkers(db: Queries): Promise<StoredWorker[]> {
  return (await db.all<Row>(`select ${COLUMNS} from workers order by id`)).map(workerOf);
}

export interface Beat {
  id: string;
  status: string;
  current_jobs: number;
  metrics: string;
  /** Null: unchanged. */
  capabilities: string | null;
  at: string;
}

const SAID = { status: 'text', current_jobs: 'bigint', metrics: 'text', last_heartbeat_at: 'text' } as const;

export async function recordBeats(tx: Queries, beats: Beat[]): Promise<void> {
  const rowOf = ({ id, status, current_jobs, metrics, at }: Beat) => [id, status, current_jobs, metrics, at];
  const changed = beats.filter(({ capabilities }) => capabilities !== null);
  const capabilities = changed.map((beat) => [beat.id, beat.capabilities]);
  await together(
    tx.update('workers', { id: 'text' }, SAID, beats.map(rowOf)),
    tx.update('workers', { id: 'text' }, { capabilities: 'text' }, capabilities),
  );
}

export type Orders = Map<string, 'run' | 'drain'>;

/** What each worker is wanted to do. */
export async function readOrders(tx: Queries, ids: string[]): Promise<Orders> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all<{ id: string; desired: 'run' | 'drain' }>(
    `select id, desired from workers where id ${tx.dialect.isAmong('$1')}`,
    [JSON.stringify(ids)],
  );
  return new Map(rows.map((row) => [row.id, row.desired]));
}

/** Resumed, a worker that said it drains is online again. Throws `not_found`. */
export async function setDesired(tx: Queries, id: string, desired: 'run' | 'drain'): Promise<void> {
  const status = desired === 'run' ? `, status = case status when 'draining' then 'online' else status end` : '';
  const changed = await tx.run(`update workers set desired = $2${status} where id = $1`, [id, desired]);
  if (changed === 0) throw new Refusal('not_found', `There is no worker ${id}.`);
}

interface Row extends Omit<Worker, 'capabilities' | 'tags' | 'metrics'> {
  capabilities: string;
  tags: string;
  metrics: string;
}

function workerOf({ capabilities, tags, metrics, ...row }: Row): StoredWorker {
  const worker = {
    ...row,
    capabilities: JSON.parse(capabilities),
    tags: JSON.parse(tags),
    metrics: JSON.parse(metrics),
  };
  return worker as StoredWorker;
}
