/** What the bridge still has to bring to the ledger; a row arrives with the completion of its job. */
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { type Db, type Queries, together } from '@rcpt/service/db.ts';

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

/** Takes due entries for one process until `until`; they are due again if it dies. */
export async function claimDue(db: Db, at: string, until: string, limit: number): Promise<PendingEntry[]> {
  return db.transaction(async (tx) => {
    const rows = await tx.all<Omit<PendingEntry, 'document'> & { document: string }>(
      `select job_id, lane, run_id, stage, document, attempts from bridge_outbox
       where stage <> 'done' and next_attempt_at <= $1 order by next_attempt_at limit $2 ${tx.dialect.forUpdateSkipLocked}`,
      [at, limit],
    );
    for (const { job_id } of rows)
      await tx.run('update bridge_outbox set next_attempt_at = $2 where job_id = $1', [job_id, until]);
    return rows.map((row) => ({ ...row, document: JSON.parse(row.document) as JsonObject }));
  });
}

export async function reach(db: Db, job_id: string, run_id: string, stage: string): Promise<void> {
  await db.run('update bridge_outbox set run_id = $2, stage = $3 where job_id = $1', [job_id, run_id, stage]);
}

export async function postpone(db: Db, job_id: string, next_attempt_at: string, last_error: string): Promise<void> {
  await db.run(
    'update bridge_outbox set attempts = attempts + 1, next_attempt_at = $2, last_error = $3 where job_id = $1',
    [job_id, next_attempt_at, last_error],
  );
}
