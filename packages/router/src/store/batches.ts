/** The table of the receipts' outbox: a row per commit. It stays for good, so that a missing line is noticed. */
import type { Db, Queries, Snapshot } from '@rcpt/service/db/db.ts';

export interface StoredBatch {
  id: string;
  ledger_id: string;
  receipt_date: string;
  receipts: number;
  /** Each with its LF. */
  lines: string;
}

export async function insertBatch(
  tx: Queries,
  { id, ledger_id, receipt_date, receipts, lines }: StoredBatch,
): Promise<void> {
  await tx.run(
    'insert into receipt_batches (id, ledger_id, receipt_date, receipts, lines, appended) values ($1, $2, $3, $4, $5, 0)',
    [id, ledger_id, receipt_date, receipts, lines],
  );
}

/** Whether the batch was committed. Waits for its commit when that is still under way: both insert the same key. */
export function wasStored(db: Db, { id, ledger_id, receipt_date, receipts, lines }: StoredBatch): Promise<boolean> {
  return db.transaction(async (tx) => {
    const inserted = await tx.run(
      `insert into receipt_batches (id, ledger_id, receipt_date, receipts, lines, appended) values ($1, $2, $3, $4, $5, 0)
       on conflict do nothing`,
      [id, ledger_id, receipt_date, receipts, lines],
    );
    if (inserted > 0) await tx.run('delete from receipt_batches where id = $1', [id]);
    return inserted === 0;
  });
}

export async function markAppended(tx: Queries, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(`update receipt_batches set appended = 1 where id ${tx.dialect.isAmong('$1')}`, [JSON.stringify(ids)]);
}

/** Batches whose lines may not be in their file yet, in order. */
export function openBatches(db: Queries, ledger_id: string): Promise<StoredBatch[]> {
  return db.all<StoredBatch>(
    'select id, ledger_id, receipt_date, receipts, lines from receipt_batches where ledger_id = $1 and appended = 0 order by id',
    [ledger_id],
  );
}

/** The newest batches of one date, oldest first. */
export async function lastBatches(
  db: Queries,
  ledger_id: string,
  receipt_date: string,
  count: number,
): Promise<StoredBatch[]> {
  const newest = await db.all<StoredBatch>(
    `select id, ledger_id, receipt_date, receipts, lines from receipt_batches
     where ledger_id = $1 and receipt_date = $2 order by id desc limit $3`,
    [ledger_id, receipt_date, count],
  );
  return newest.reverse();
}

/** The dates that have receipts, oldest first. */
export async function receiptDates(db: Queries, ledger_id: string): Promise<string[]> {
  const rows = await db.all<{ receipt_date: string }>(
    'select distinct receipt_date from receipt_batches where ledger_id = $1 order by receipt_date',
    [ledger_id],
  );
  return rows.map((row) => row.receipt_date);
}

/** Rows `[lines, appended]` of one date, in file order. */
export function scanBatches(read: Snapshot, ledger_id: string, receipt_date: string): AsyncIterable<unknown[][]> {
  return read.scan(
    'select lines, appended from receipt_batches where ledger_id = $1 and receipt_date = $2 order by id',
    [ledger_id, receipt_date],
  );
}
