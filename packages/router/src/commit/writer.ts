/**
 * Every change of the router's state goes through here, in order and in groups:
 *   take all waiting commands → one transaction: state, events, and one row with the receipts' lines → commit
 *   → append the lines to the day's file, sync → answer all.
 * While one group's lines reach the disk the next group commits; it is appended and answered after them.
 * Heartbeats that tell nothing new ride with the next group that comes, or after a quarter of a second by themselves: an idle
 * fleet costs four commits a second, not one per worker.
 * A crash before the commit leaves nothing. After it, the lines that are not in the file yet are appended at the next start
 * (receipts/recover.ts). An answer is only sent when both are on disk.
 */
import type { Db } from '@rcpt/service/db/db.ts';
import { DatabaseUnavailable, Refusal } from '@rcpt/service/error.ts';
import type { Changes } from '../notifier.ts';
import { ReceiptBatch } from '../receipts/batch.ts';
import type { ReceiptsFolder } from '../receipts/folder.ts';
import { insertBatch, markAppended, type StoredBatch, wasStored } from '../store/batches.ts';
import { type Command, type CommitSettings, createCommit, tellsNothingNew } from './unit-of-work.ts';

const COMMANDS_PER_COMMIT = 512;
/** Fewer are not worth a commit of their own while others wait. */
const HALF_AT_LEAST = 32;
const RIDE_MS = 250;
/** Commits whose lines are marked as appended in one statement. */
const MARKED_TOGETHER = 16;

export interface Writer {
  /** Resolves with the command's answer once state and receipts are on disk; throws its refusal. */
  execute<T>(command: Command<T>): Promise<T>;
  pending(): number;
  /** Marks what is appended, so that from then on a line that is missing differs from one that is on its way. */
  settle(): Promise<void>;
  /** Finishes what is waiting. */
  close(): Promise<void>;
}

export interface WriterSettings extends CommitSettings {
  db: Db;
  folder: ReceiptsFolder;
  /** Milliseconds since 1970. */
  now(): number;
  queue_limit: number;
  /** Told after the commit what others may be waiting for. */
  onChanges(changes: Changes): void;
}

interface Waiting {
  command: Command<unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export function createWriter(settings: WriterSettings): Writer {
  const { db, folder, now, queue_limit, onChanges } = settings;
  const waiting: Waiting[] = [];
  /** Appended, not yet marked: marked with one of the next commits, or found in the file after a crash. */
  let unmarked: string[] = [];
  /** Committed, but the file refused them: nothing else is written before them. */
  let unappended: ReceiptBatch[] = [];
  /** The database went away during their commit: nobody knows yet whether they were committed. */
  let doubtful: ReceiptBatch[] = [];
  let writing: Promise<void> | null = null;
  let setsOffLater: NodeJS.Timeout | undefined;
  /** The last group's lines on their way to the disk, and its answers; null when they are done. */
  let appending: Promise<void> | null = null;
  /** How many wait for that. */
  let answered_next = 0;

  function setOff(): void {
    clearTimeout(setsOffLater);
    setsOffLater = undefined;
    if (waiting.length > 0) writing ??= writeWaiting();
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      const together = waiting.splice(0, actsPerCommit());
      await writeTogether(together).catch(rejecting(together));
    }
    writing = null;
  }

  /**
   * All of those who ask in one commit would leave this process idle while the server works on it, and the server idle while
   * their answers and next requests are read: on PostgreSQL one half is committed while the other is talked to. SQLite works in
   * this process, one or the other.
   */
  function actsPerCommit(): number {
    if (db.engine === 'sqlite') return COMMANDS_PER_COMMIT;
    const half = Math.ceil((waiting.length + answered_next) / 2);
    return Math.min(COMMANDS_PER_COMMIT, Math.max(HALF_AT_LEAST, half));
  }

  /** Laps of the event loop, while they bring more: whatever has arrived joins this commit. */
  async function gather(): Promise<void> {
    for (let before = 0; waiting.length > before && waiting.length < COMMANDS_PER_COMMIT; ) {
      before = waiting.length;
      await new Promise((lap) => setImmediate(lap));
    }
  }

  async function writeTogether(together: Waiting[]): Promise<void> {
    await resolveDoubts();
    if (appending === null) await appendLate();
    let committed: Committed;
    try {
      committed = await commit(together.map(({ command }) => command));
    } catch (error) {
      // One command that nobody foresaw must not fail its neighbours.
      if (together.length === 1 || error instanceof DatabaseUnavailable) throw error;
      for (const alone of together) await writeTogether([alone]).catch(alone.reject);
      return;
    }
    const { batch, outcomes, changes } = committed;
    onChanges(changes);
    // What a command has seen, and perhaps repeats, is on disk too before it is answered.
    await appending;
    if (batch.receipts > 0) unappended.push(batch);
    if (unappended.length === 0) return answer(together, outcomes);
    answered_next = together.length;
    appending = appendLate()
      .then(() => answer(together, outcomes), rejecting(together))
      .finally(() => {
        appending = null;
        answered_next = 0;
      });
  }

  async function commit(commands: Command<unknown>[]): Promise<Committed> {
    // A copy: what is appended meanwhile is marked by another commit.
    const marking = unmarked.length < MARKED_TOGETHER ? [] : [...unmarked];
    let batch = new ReceiptBatch(now());
    const transaction = db.transaction(async (tx) => {
      batch = new ReceiptBatch(now());
      const commit = createCommit(tx, batch, settings);
      const outcomes = await commit.perform(commands);
      await tx.commitWith(
        commit.write(),
        ...(batch.receipts > 0 ? [insertBatch(tx, storedBatch(batch)), markAppended(tx, marking)] : []),
        commit.publish(),
      );
      return { batch, outcomes, changes: commit.changes };
    });
    const committed = await transaction.catch((error: unknown) => {
      if (error instanceof DatabaseUnavailable && batch.receipts > 0) doubtful.push(batch);
      throw error;
    });
    if (committed.batch.receipts > 0) unmarked = unmarked.filter((id) => !marking.includes(id));
    return committed;
  }

  function storedBatch({ id, date, receipts, lines }: ReceiptBatch): StoredBatch {
    return { id, ledger_id: folder.ledger_id, receipt_date: date, receipts, lines };
  }

  async function resolveDoubts(): Promise<void> {
    for (const batch of doubtful) {
      const isStored = await wasStored(db, storedBatch(batch));
      doubtful = doubtful.filter((other) => other !== batch);
      if (isStored) unappended.push(batch);
    }
  }

  async function appendLate(): Promise<void> {
    while (unappended.length > 0) {
      const batch = unappended[0]!;
      try {
        await folder.append(batch.date, batch.lines);
      } catch (error) {
        throw new DatabaseUnavailable(error);
      }
      unmarked.push(batch.id);
      unappended = unappended.slice(1);
    }
  }

  async function settle(): Promise<void> {
    const marking = [...unmarked];
    if (marking.length === 0) return;
    await db.transaction((tx) => markAppended(tx, marking));
    unmarked = unmarked.filter((id) => !marking.includes(id));
  }

  return {
    settle,
    execute: <T>(command: Command<T>) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length >= queue_limit) {
          reject(new Refusal('overloaded', 'Too many requests are waiting. Nothing was changed; try again shortly.'));
          return;
        }
        waiting.push({ command, resolve: resolve as (answer: unknown) => void, reject });
        if (tellsNothingNew(command) && waiting.length < COMMANDS_PER_COMMIT)
          setsOffLater ??= setTimeout(setOff, RIDE_MS);
        else setOff();
      }),
    pending: () => waiting.length,
    async close() {
      setOff();
      while (writing !== null || appending !== null) await (writing ?? appending);
      await settle();
    },
  };
}

function answer(together: Waiting[], outcomes: unknown[]): void {
  together.forEach(({ resolve, reject }, i) => {
    const outcome = outcomes[i];
    if (outcome instanceof Refusal) reject(outcome);
    else resolve(outcome);
  });
}

function rejecting(together: Waiting[]): (error: unknown) => void {
  return (error) => {
    for (const { reject } of together) reject(error);
  };
}

interface Committed {
  batch: ReceiptBatch;
  outcomes: unknown[];
  changes: Changes;
}
