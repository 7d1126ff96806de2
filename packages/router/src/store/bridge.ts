/** The bridge's outbox: deliveries to the ledger. A row is added with the completion of its job. */
import type { JobLedger } from '@rcpt/contract/router/compute.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Db, type Queries, together } from '@rcpt/service/db/db.ts';
import { insertEvents, type StoredEvent } from './job-events.ts';

/** A finished job on its way into a ledger Run. */
export interface BridgeEntry {
  job_id: string;
  lane: 'cook' | 'eval';
  /** The bodies of the calls: title, inputs, evidence, execution. */
  document: JsonObject;
}

export interface PendingEntry extends BridgeEntry {
  run_id: string | null;
  /** The last call that was answered: `new`, then the Run's stage, then `done`. */
  stage: string;
  attempts: number;
}

export async function insertBridgeEntries(tx: Queries, entries: BridgeEntry[], at: string): Promise<void> {
  const inserted = entries.map(({ job_id, lane, document }) =>
    tx.run(
      `insert into bridge_outbox (job_id, lane, run_id, stage, document, attempts, next_attempt_at, last_error, created_at)
       values ($1, $2, null, 'new', $3, 0, $4, null, $4) on conflict do nothing`,
      [job_id, lane, JSON.stringify(document), at],
    ),
  );
  await together(...inserted);
}

/** Claims due entries for one process until `until`; they are due again if it crashes. */
export async function claimDue(db: Db, at: string, until: string, limit: number): Promise<PendingEntry[]> {
  return db.transaction(async (tx) => {
    const rows = await tx.all<Omit<PendingEntry, 'document'> & { document: string }>(
      `select job_id, lane, run_id, stage, document, attempts from bridge_outbox
       where stage <> 'done' and refusal is null and next_attempt_at <= $1 order by next_attempt_at limit $2 ${tx.dialect.forUpdateSkipLocked}`,
      [at, limit],
    );
    for (const { job_id } of rows)
      await tx.run('update bridge_outbox set next_attempt_at = $2 where job_id = $1', [job_id, until]);
    return rows.map((row) => ({ ...row, document: JSON.parse(row.document) as JsonObject }));
  });
}

export async function reach(db: Queries, job_id: string, run_id: string, stage: string): Promise<void> {
  await db.run('update bridge_outbox set run_id = $2, stage = $3 where job_id = $1', [job_id, run_id, stage]);
}

/** The Run has its evidence. Each event says which piece was left out. */
export async function reachEvidenced(db: Db, job_id: string, run_id: string, left_out: StoredEvent[]): Promise<void> {
  await db.transaction(async (tx) => {
    await reach(tx, job_id, run_id, 'evidenced');
    if (left_out.length === 0) return;
    const sentences = JSON.stringify(left_out.map(({ message }) => message));
    await tx.run('update bridge_outbox set left_out = $2 where job_id = $1', [job_id, sentences]);
    await insertEvents(tx, left_out);
  });
}

export async function postpone(db: Db, job_id: string, next_attempt_at: string, last_error: string): Promise<void> {
  await db.run(
    'update bridge_outbox set attempts = attempts + 1, next_attempt_at = $2, last_error = $3 where job_id = $1',
    [job_id, next_attempt_at, last_error],
  );
}

/** Refused for good: sent again only when a person says so. */
export async function park(db: Db, event: StoredEvent): Promise<void> {
  await db.transaction(async (tx) => {
    const parked = await tx.run(
      `update bridge_outbox set attempts = attempts + 1, refusal = $2, last_error = null
       where job_id = $1 and stage <> 'done' and refusal is null`,
      [event.job_id, event.message],
    );
    if (parked > 0) await insertEvents(tx, [event]);
  });
}

/** Due at once, beginning with the call that was refused. False for a job that has nothing to deliver. */
export async function sendAgain(db: Db, event: StoredEvent): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { job_id, created_at } = event;
    const row = await tx.get<{ stage: string; refusal: string | null }>(
      `select stage, refusal from bridge_outbox where job_id = $1 ${tx.dialect.forUpdate}`,
      [job_id],
    );
    if (row === undefined) return false;
    if (row.stage === 'done') return true;
    await tx.run('update bridge_outbox set attempts = 0, refusal = null, next_attempt_at = $2 where job_id = $1', [
      job_id,
      created_at,
    ]);
    if (row.refusal !== null) await insertEvents(tx, [event]);
    return true;
  });
}

/** The delivery of each of these jobs to the ledger; jobs that have nothing to deliver are left out. */
export async function deliveriesOf(db: Queries, job_ids: string[]): Promise<Map<string, JobLedger>> {
  const rows = await db.all<Delivery>(
    `select job_id, run_id, stage, refusal, last_error, left_out from bridge_outbox
     where job_id ${db.dialect.isAmong('$1')}`,
    [JSON.stringify(job_ids)],
  );
  return new Map(rows.map((row) => [row.job_id, deliveryOf(row)]));
}

interface Delivery {
  job_id: string;
  run_id: string | null;
  stage: string;
  refusal: string | null;
  last_error: string | null;
  left_out: string | null;
}

function deliveryOf({ run_id, stage, refusal, last_error, left_out }: Delivery): JobLedger {
  if (refusal !== null) return { state: 'refused', run_id, reason: refusal };
  if (stage !== 'done') return { state: 'waiting', run_id, reason: last_error };
  const missing = left_out === null ? null : (JSON.parse(left_out) as string[]).join(' ');
  return { state: 'delivered', run_id, reason: missing };
}

export async function countDeliveries(db: Queries): Promise<{ waiting: number; refused: number }> {
  const waiting = `select count(*) from bridge_outbox where stage <> 'done' and refusal is null`;
  const refused = `select count(*) from bridge_outbox where refusal is not null`;
  const row = await db.get<{ waiting: number; refused: number }>(
    `select (${waiting}) as waiting, (${refused}) as refused`,
  );
  return { waiting: Number(row?.waiting ?? 0), refused: Number(row?.refused ?? 0) };
}
