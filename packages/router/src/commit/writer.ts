/**
 * Every change of the router's state goes through here, in order and in groups:
 *   gather the waiting commands → commit: state, events, and one row with the receipts' lines
 *   → append the lines to the day's file, synced → answer all.
 * While one group is appended the next one commits; that is appended and answered after it.
 * A crash before the commit leaves nothing. After it, the lines that are not in the file yet are appended at the next start
 * (receipts/recover.ts). An answer is only sent when both are on disk.
 */
import type { Db } from '@rcpt/service/db/db.ts';
import { DatabaseUnavailable, Refusal } from '@rcpt/service/error.ts';
import type { Changes } from '../notifier.ts';
import { ReceiptBatch } from '../receipts/batch.ts';
import type { ReceiptsFolder } from '../receipts/folder.ts';
import { ReceiptOutbox } from '../receipts/outbox.ts';
import { type Command, isQuiet } from './command.ts';
import { type CommitSettings, createCommit } from './commit.ts';

const MOST_PER_COMMIT = 512;
/** Fewer are not worth a commit of their own while others wait. */
const FEWEST_PER_COMMIT = 32;
/**
 * A quiet heartbeat goes with the next group, or after so long by itself: an idle fleet costs four commits a second, not one per
 * worker.
 */
const QUIET_MS = 250;

export interface Writer {
  /** Resolves with the command's answer once state and receipts are on disk; throws its refusal. */
  execute<T>(command: Command<T>): Promise<T>;
  pending(): number;
  /** Marks what is appended, so that from then on a line that is missing differs from one that is on its way. */
  markAppended(): Promise<void>;
  /** Finishes what is waiting. */
  close(): Promise<void>;
}

interface WriterSettings extends CommitSettings {
  db: Db;
  folder: ReceiptsFolder;
  /** Milliseconds since 1970. */
  now(): number;
  queue_limit: number;
  /** Called after each commit, before its commands are answered. */
  onChanges(changes: Changes): void;
}

interface Waiting {
  command: Command<unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

export function createWriter(settings: WriterSettings): Writer {
  const { db, folder, now, queue_limit, onChanges } = settings;
  const outbox = new ReceiptOutbox(db, folder);
  const waiting: Waiting[] = [];
  let quiet: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  /** The group before, on its way to the disk and to its answers. */
  let appending: { done: Promise<void>; commands: number } | null = null;

  function start(): void {
    clearTimeout(quiet);
    quiet = undefined;
    if (waiting.length > 0) writing ??= writeWaiting();
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      const group = waiting.splice(0, groupSize());
      await write(group).catch(rejectAll(group));
    }
    writing = null;
  }

  /** Goes around the event loop while that brings more: all that has arrived joins this commit. */
  async function gather(): Promise<void> {
    for (let before = 0; waiting.length > before && waiting.length < MOST_PER_COMMIT; ) {
      before = waiting.length;
      await new Promise((lap) => setImmediate(lap));
    }
  }

  /**
   * A database outside this process works while this process talks to callers: one half of the commands is committed while the
   * other half is answered, and neither side is idle. A database inside this process does one or the other, so all go at once.
   */
  function groupSize(): number {
    if (!db.dialect.isShared) return MOST_PER_COMMIT;
    const half = Math.ceil((waiting.length + (appending?.commands ?? 0)) / 2);
    return Math.min(MOST_PER_COMMIT, Math.max(FEWEST_PER_COMMIT, half));
  }

  async function write(group: Waiting[]): Promise<void> {
    await outbox.resolveDoubts();
    if (appending === null) await outbox.append();
    let committed: Committed;
    try {
      committed = await commit(group.map(({ command }) => command));
    } catch (error) {
      // An unexpected failure of one command must not fail the others: each is tried alone.
      if (group.length === 1 || error instanceof DatabaseUnavailable) throw error;
      for (const alone of group) await write([alone]).catch(alone.reject);
      return;
    }
    const { batch, outcomes, changes } = committed;
    onChanges(changes);
    // What a command has read, and perhaps repeats, is on disk too before it is answered.
    await appending?.done;
    outbox.committed(batch);
    if (outbox.isEmpty) return answer(group, outcomes);
    const done = outbox
      .append()
      .then(() => answer(group, outcomes), rejectAll(group))
      .finally(() => {
        appending = null;
      });
    appending = { done, commands: group.length };
  }

  async function commit(commands: Command<unknown>[]): Promise<Committed> {
    let batch = new ReceiptBatch(now());
    try {
      return await db.transaction(async (tx) => {
        batch = new ReceiptBatch(now());
        const commit = createCommit(tx, batch, settings);
        const outcomes = await commit.decide(commands);
        await tx.commitWith(commit.write(), ...outbox.statements(tx, batch), commit.publish());
        return { batch, outcomes, changes: commit.changes };
      });
    } catch (error) {
      if (error instanceof DatabaseUnavailable) outbox.doubt(batch);
      throw error;
    }
  }

  return {
    execute: <T>(command: Command<T>) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length >= queue_limit) {
          reject(new Refusal('overloaded', 'Too many requests are waiting. Nothing was changed; try again shortly.'));
          return;
        }
        waiting.push({ command, resolve: resolve as (answer: unknown) => void, reject });
        if (isQuiet(command) && waiting.length < MOST_PER_COMMIT) quiet ??= setTimeout(start, QUIET_MS);
        else start();
      }),
    pending: () => waiting.length,
    markAppended: () => outbox.mark(),
    async close() {
      start();
      while (writing !== null || appending !== null) await (writing ?? appending?.done);
      await outbox.mark();
    },
  };
}

interface Committed {
  batch: ReceiptBatch;
  outcomes: unknown[];
  changes: Changes;
}

function answer(group: Waiting[], outcomes: unknown[]): void {
  group.forEach(({ resolve, reject }, i) => {
    const outcome = outcomes[i];
    if (outcome instanceof Refusal) reject(outcome);
    else resolve(outcome);
  });
}

function rejectAll(group: Waiting[]): (error: unknown) => void {
  return (error) => {
    for (const { reject } of group) reject(error);
  };
}
