/** Workers, their heartbeats, and what leasing reads of them. */
import type { WorkerStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Capabilities, Worker } from '@rcpt/contract/router/workers.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Declared, Observed } from '../domain/worker.ts';
import { workerRevoked } from '../problems.ts';

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

/** What follows from a worker's last heartbeat: read when all workers are looked at. */
export interface WorkerSummary extends Observed {
  id: string;
  node_id: string;
}

export async function listWorkerSummaries(db: Queries): Promise<WorkerSummary[]> {
  const rows = await db.all<Omit<WorkerSummary, 'capabilities'> & { capabilities: string }>(
    `select id, node_id, status, desired, capabilities, heartbeat_interval_seconds, last_heartbeat_at, revoked_at, created_at
     from workers order by id`,
  );
  return rows.map(({ capabilities, ...row }) => ({ ...row, capabilities: parsedCapabilities(capabilities) }));
}

export interface HeartbeatRow {
  id: string;
  /** Null: unchanged, as with `capabilities`. */
  said: { status: WorkerStatus; current_jobs: number; metrics: string } | null;
  capabilities: string | null;
  at: string;
}

const HEARD = { last_heartbeat_at: 'text' } as const;
const SAID = { status: 'text', current_jobs: 'bigint', metrics: 'text', ...HEARD } as const;

/** One per worker. */
export async function recordHeartbeats(tx: Queries, beats: HeartbeatRow[]): Promise<void> {
  const said = beats.flatMap(({ id, said, at }) =>
    said === null ? [] : [[id, said.status, said.current_jobs, said.metrics, at]],
  );
  const heard = beats.flatMap(({ id, said, at }) => (said === null ? [[id, at]] : []));
  const capabilities = beats.flatMap(({ id, capabilities }) => (capabilities === null ? [] : [[id, capabilities]]));
  await together(
    tx.update('workers', { id: 'text' }, SAID, said),
    tx.update('workers', { id: 'text' }, HEARD, heard),
    tx.update('workers', { id: 'text' }, { capabilities: 'text' }, capabilities),
  );
}

/** What leasing and heartbeats are decided by. */
export interface Availability extends Declared {
  /** Its live leases. Counted only for workers that declared how many jobs they take at once. */
  held: number;
}
export type Availabilities = Map<string, Availability>;

/** Throws `worker_revoked`, also for a worker that was revoked after its request was let in. */
export function availabilityOf(availabilities: Availabilities, worker_id: string): Availability {
  const availability = availabilities.get(worker_id);
  if (availability === undefined || availability.revoked_at !== null) throw workerRevoked();
  return availability;
}

interface AskedWorkers {
  all: Set<string>;
  /** Those that may declare a limit with this commit. */
  declaring: Set<string>;
  /** Those that ask for leases: only their leases are counted. */
  leasing: Set<string>;
}

/**
 * How each worker stands at this instant. Those that declared how many jobs they take at once are locked and read again, with
 * the leases they hold: until the transaction ends no other one leases to them or records their heartbeats, so that two processes
 * together cannot lease more than that. The others need no lock: their heartbeats and leases may come in any order.
 */
export async function lockAvailabilities(
  tx: Queries,
  { all, declaring, leasing }: AskedWorkers,
  at: string,
): Promise<Availabilities> {
  const ids = [...all];
  const availabilities = await readAvailabilities(tx, ids, '');
  const limited = ids.filter(
    (id) => declaring.has(id) || availabilities.get(id)?.capabilities.max_concurrent_jobs !== undefined,
  );
  if (limited.length === 0) return availabilities;
  const counted = limited.filter((id) => leasing.has(id));
  const [locked, held] = await together(
    readAvailabilities(tx, limited, `order by id ${tx.dialect.forUpdate}`),
    // A statement of its own, after the lock: it sees what the last holder of the lock has committed.
    counted.length === 0 ? Promise.resolve(new Map<string, number>()) : countLeases(tx, counted, at),
  );
  for (const [id, availability] of locked) availabilities.set(id, { ...availability, held: held.get(id) ?? 0 });
  return availabilities;
}

async function countLeases(tx: Queries, ids: string[], at: string): Promise<Map<string, number>> {
  const rows = await tx.all<{ worker_id: string; held: number }>(
    `select worker_id, count(*) as held from jobs where worker_id ${tx.dialect.isAmong('$1')}
       and status in ('leased', 'running') and lease_expires_at > $2 group by worker_id`,
    [JSON.stringify(ids), at],
  );
  return new Map(rows.map((row) => [row.worker_id, Number(row.held)]));
}

async function readAvailabilities(tx: Queries, ids: string[], ending: string): Promise<Availabilities> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all<AvailabilityRow>(
    `select id, status, desired, capabilities, revoked_at from workers where id ${tx.dialect.isAmong('$1')} ${ending}`,
    [JSON.stringify(ids)],
  );
  return new Map(
    rows.map(({ id, capabilities, ...row }) => [
      id,
      { ...row, capabilities: parsedCapabilities(capabilities), held: 0 },
    ]),
  );
}

/** Parsed once per text: a worker declares the same capabilities again and again. */
const parsed = new Map<string, Capabilities>();
const PARSED_TEXTS = 1_000;

function parsedCapabilities(text: string): Capabilities {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  if (parsed.size >= PARSED_TEXTS) parsed.clear();
  const capabilities = Object.freeze(JSON.parse(text)) as Capabilities;
  parsed.set(text, capabilities);
  return capabilities;
}

interface AvailabilityRow extends Omit<Declared, 'capabilities'> {
  id: string;
  capabilities: string;
}

/** Resumed, a worker that said it drains is online again. Throws `not_found`. */
export async function setDesired(tx: Queries, id: string, desired: 'run' | 'drain'): Promise<void> {
  const status = desired === 'run' ? `, status = case status when 'draining' then 'online' else status end` : '';
  const changed = await tx.run(`update workers set desired = $2${status} where id = $1`, [id, desired]);
  if (changed === 0) throw new Refusal('not_found', `There is no worker ${id}.`);
}

/** A repeat keeps the first instant. Throws `not_found`. */
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
