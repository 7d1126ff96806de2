/** Workers. */
import type { WorkerStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Capabilities, Worker } from '@rcpt/contract/router/workers.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Queries, together } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Declared } from '../domain/worker.ts';

/** As stored: `status` is what the worker last said; whether it is offline follows from the clock. */
export type StoredWorker = Worker & { capabilities: Capabilities & JsonObject };

const COLUMNS = `id, node_id, name, hostname, endpoint_url, status, desired, capabilities, tags, version, current_jobs, metrics,
  heartbeat_interval_seconds, last_heartbeat_at, revoked_at, created_at`;

export async function insertWorker(tx: Queries, worker: StoredWorker, token_sha256: string): Promise<void> {
  await tx.run(
    `insert into workers (${COLUMNS}, token_sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
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
      worker.revoked_at,
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
  status: WorkerStatus;
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

/** What leasing and heartbeats go by. */
export interface Standing extends Declared {
  /** Its live leases, counted where it may have declared how many it takes. */
  held: number;
}
export type Standings = Map<string, Standing>;

/**
 * How each worker stands at this instant. Until the transaction ends nobody else leases to these workers or hears from them, so
 * that two processes together cannot lease more to one than it declared. The leases are counted by a statement of its own: once
 * the rows are locked, it sees what their last holder has committed.
 */
export async function lockStandings(tx: Queries, ids: string[], at: string): Promise<Standings> {
  if (ids.length === 0) return new Map();
  const among = JSON.stringify(ids);
  const { forUpdate, isAmong } = tx.dialect;
  const [workers, counts] = await together(
    tx.all<StandingRow>(
      `select id, status, desired, capabilities, revoked_at from workers where id ${isAmong('$1')} order by id ${forUpdate}`,
      [among],
    ),
    tx.all<{ worker_id: string; held: number }>(
      `select jobs.worker_id, count(*) as held from workers join jobs on jobs.worker_id = workers.id
       where workers.id ${isAmong('$1')} and workers.capabilities like '%"max_concurrent_jobs"%'
         and jobs.status in ('leased', 'running') and jobs.lease_expires_at > $2 group by jobs.worker_id`,
      [among, at],
    ),
  );
  const held = new Map(counts.map((row) => [row.worker_id, Number(row.held)]));
  return new Map(
    workers.map(({ id, capabilities, ...row }) => [
      id,
      { ...row, capabilities: JSON.parse(capabilities) as Capabilities, held: held.get(id) ?? 0 },
    ]),
  );
}
interface StandingRow extends Omit<Declared, 'capabilities'> {
  id: string;
  capabilities: string;
}

/** Resumed, a worker that said it drains is online again. Throws `not_found`. */
export async function setDesired(tx: Queries, id: string, desired: 'run' | 'drain'): Promise<void> {
  const status = desired === 'run' ? `, status = case status when 'draining' then 'online' else status end` : '';
  const changed = await tx.run(`update workers set desired = $2${status} where id = $1`, [id, desired]);
  if (changed === 0) throw new Refusal('not_found', `There is no worker ${id}.`);
}

/** The first time counts. Throws `not_found`. */
export async function setRevoked(tx: Queries, id: string, at: string): Promise<void> {
  const changed = await tx.run('update workers set revoked_at = coalesce(revoked_at, $2) where id = $1', [id, at]);
  if (changed === 0) throw new Refusal('not_found', `There is no worker ${id}.`);
}

export async function revokedSince(db: Queries, at: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>('select id from workers where revoked_at >= $1', [at]);
  return rows.map(({ id }) => id);
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
