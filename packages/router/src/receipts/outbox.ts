/**
 * The way of receipts into their files, in the order of the commits. The batch of a commit is
 *   doubtful    when the database went away during the commit: it may have been committed or not
 *   committed   stored in the database; nothing later is written before it
 *   appended    in its file, and synced; a crash now makes recovery look for its lines (recover.ts)
 *   marked      as appended, in the database: from here on a line that is missing was removed
 */
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import { DatabaseUnavailable } from '@rcpt/service/error.ts';
import { insertBatch, markAppended, type StoredBatch, wasStored } from '../store/batches.ts';
import type { ReceiptBatch } from './batch.ts';
import type { ReceiptsFolder } from './folder.ts';

/** Batches that are marked in one statement. */
const MARKED_TOGETHER = 16;

export class ReceiptOutbox {
  readonly #db: Db;
  readonly #folder: ReceiptsFolder;
  #doubtful: ReceiptBatch[] = [];
  #committed: ReceiptBatch[] = [];
  #appended: string[] = [];
  /** Those of the appended that are marked with the commit that is under way. */
  #marking: string[] = [];

  constructor(db: Db, folder: ReceiptsFolder) {
    this.#db = db;
    this.#folder = folder;
  }

  /** The statements of a commit: the batch is stored, and earlier ones are marked. */
  statements(tx: Queries, batch: ReceiptBatch): Promise<void>[] {
    if (batch.receipts === 0) return [];
    this.#marking = this.#appended.length < MARKED_TOGETHER ? [] : [...this.#appended];
    return [insertBatch(tx, this.#stored(batch)), markAppended(tx, this.#marking)];
  }

  committed(batch: ReceiptBatch): void {
    if (batch.receipts === 0) return;
    this.#committed.push(batch);
    this.#forget(this.#marking);
  }

  /** The database went away during its commit. */
  doubt(batch: ReceiptBatch): void {
    if (batch.receipts > 0) this.#doubtful.push(batch);
  }

  /** Asks the database what became of doubtful batches. */
  async resolveDoubts(): Promise<void> {
    for (const batch of this.#doubtful) {
      const is_stored = await wasStored(this.#db, this.#stored(batch));
      this.#doubtful = this.#doubtful.filter((other) => other !== batch);
      if (is_stored) this.#committed.push(batch);
    }
  }

  get isEmpty(): boolean {
    return this.#committed.length === 0;
  }

  /** Appends all that is committed. Throws `DatabaseUnavailable` when a file refuses it: then it is appended the next time. */
  async append(): Promise<void> {
    for (let batch = this.#committed[0]; batch !== undefined; batch = this.#committed[0]) {
      try {
        await this.#folder.append(batch.date, batch.lines);
      } catch (error) {
        throw new DatabaseUnavailable(error);
      }
      this.#appended.push(batch.id);
      this.#committed.shift();
    }
  }

  /** Marks all that is appended. */
  async mark(): Promise<void> {
    const marking = [...this.#appended];
    if (marking.length === 0) return;
    await this.#db.transaction((tx) => markAppended(tx, marking));
    this.#forget(marking);
  }

  #forget(marked: string[]): void {
    this.#appended = this.#appended.filter((id) => !marked.includes(id));
  }

  #stored({ id, date, receipts, lines }: ReceiptBatch): StoredBatch {
    return { id, ledger_id: this.#folder.ledger_id, receipt_date: date, receipts, lines };
  }
}
