/** The receipts' transactional outbox: a row per commit, there for good, so that a missing line can be told. */
import type { Queries, Snapshot } from '@rcpt/service/db.ts';

export interface Batch {
  id: string;
  ledger_id: string;
  receipt_date: string;
  receipts: number;
  /** Each with its LF. */
  lines: string;
}

export async function insertBatch(tx: Queries, { id, ledger_id, receipt_date, receipts, lines }: Batch): Promise<void> {
  await tx.run(
    'insert into receipt_batches (id, ledger_id, receipt_date, receipts, lines, appended) values ($1, $2, $3, $4, $5, 0)',
    [id, ledger_id, receipt_date, receipts, lines],
  );
}

export async function markAppended(tx: Queries, ids: string[]): Promise<void> {
  for (const id of ids) await tx.run('update receipt_batches set appended = 1 where id = $1', [id]);
}

/** Batches whose lines may not be in their file yet, in order. */
export function openBatches(db: Queries, ledger_id: string): Promise<Batch[]> {
  return db.all<Batch>(
    'select id, ledger_id, receipt_date, receipts, lines from receipt_batches where ledger_id = $1 and appended = 0 order by id',
    [ledger_id],
  );
}

/** Rows `[receipt_date, lines]` in file order. */
export function scanBatches(read: Snapshot, ledger_id: string): AsyncIterable<unknown[][]> {
  return read.scan('select receipt_date, lines from receipt_batches where ledger_id = $1 order by receipt_date, id', [
    ledger_id,
  ]);
}
