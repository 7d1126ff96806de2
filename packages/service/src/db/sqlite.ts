/**
 * node:sqlite: one connection that writes, one that reads, both in WAL mode with `synchronous=FULL`, so that a commit
 * is on disk when it returns. Transactions take turns; those that are waiting when a turn comes share one commit
 * (each inside its own savepoint), so that many small writes cost one disk sync.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { DatabaseUnavailable } from '../error.ts';
import { type Columns, type Db, type Dialect, type Snapshot, type Transaction, together, type Value } from './db.ts';

const TRANSACTIONS_PER_COMMIT = 256;
/** A batch of a scan ends with either: rows may hold megabytes. */
const SCAN_ROWS = 64;
const SCAN_CHARACTERS = 1_048_576;
const BUSY_TIMEOUT_MS = 5_000;

const dialect: Dialect = {
  isShared: false,
  forUpdate: '',
  forUpdateSkipLocked: '',
  isAmong: (parameter) => `in (select value from json_each(${parameter}))`,
  jsonRows: (parameter) => `json_each(${parameter})`,
};

interface Turn {
  work(tx: Transaction): Promise<unknown>;
  resolve(value: never): void;
  reject(error: unknown): void;
}

export function openSqlite(path: string): Db {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // No other account on the machine reads it; SQLite gives its log files the same mode.
  closeSync(openSync(path, 'a', 0o600));
  const writer = connect(path, { writes: true });
  writer.connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
  // What a statement may have to undo is kept in memory, not in a temporary file; and 16 MB of log come before they are
  // copied into the database, so that a page that changes with every commit is copied once for many of them.
  // 16 MB of pages are kept, so that those that change often are not read again.
  writer.connection.exec('pragma temp_store = memory; pragma wal_autocheckpoint = 4000; pragma cache_size = -16000');
  // What is deleted is overwritten with zeros, so that an erasure leaves nothing in the file.
  writer.connection.exec('pragma secure_delete = on');
  const reader = connect(path);
  const waiting: Turn[] = [];
  /** Done between two transactions. */
  const between: (() => void)[] = [];
  let scheduled: Promise<void> | null = null;

  async function takeTurns(): Promise<void> {
    // One lap of the event loop lets every request that has already arrived join this commit.
    await new Promise((lap) => setImmediate(lap));
    while (waiting.length + between.length > 0) {
      for (const work of between.splice(0)) work();
      if (waiting.length > 0) await commitTogether(writer, waiting.splice(0, TRANSACTIONS_PER_COMMIT));
    }
    scheduled = null;
  }

  return {
    ...reader.queries,
    engine: 'sqlite',
    run: (sql, params) => asTransaction((tx) => tx.run(sql, params)),
    insert: (table, columns, rows) => asTransaction((tx) => tx.insert(table, columns, rows)),
    update: (table, which, to, rows) => asTransaction((tx) => tx.update(table, which, to, rows)),
    updateAll: (table, which, to, rows) => asTransaction((tx) => tx.updateAll(table, which, to, rows)),
    script: (sql) => asTransaction((tx) => tx.script(sql)),
    transaction: asTransaction,
    snapshot: (work) => snapshotOf(path, work),
    emptyLog: () =>
      new Promise((resolve, reject) => {
        between.push(() => {
          try {
            resolve(emptyLog(writer));
          } catch (error) {
            reject(unavailableOr(error));
          }
        });
        scheduled ??= takeTurns();
      }),
    listen: async () => async () => {},
    async close() {
      while (scheduled !== null) await scheduled;
      reader.connection.close();
      writer.connection.close();
    },
  };

  function asTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject });
      scheduled ??= takeTurns();
    });
  }
}

/** Does not wait for readers: everybody would wait with it. */
function emptyLog({ connection }: Connection): boolean {
  connection.exec('pragma busy_timeout = 0');
  try {
    const { busy } = connection.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number };
    return busy === 0;
  } finally {
    connection.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** @param path a database that is open elsewhere: a connection that only reads cannot recover it */
export function openSqliteSnapshots(path: string): Pick<Db, 'snapshot' | 'close'> {
  return { snapshot: (work) => snapshotOf(path, work), close: async () => {} };
}

/** A crash before the commit returns leaves none of these transactions; after it, all that did not fail. */
async function commitTogether(writer: Connection, turns: Turn[]): Promise<void> {
  const { connection, queries } = writer;
  const answers: (() => void)[] = [];
  // A transaction that commits alone fails alone and needs no savepoint, which costs a copy of every changed page.
  const alone = turns.length === 1;
  try {
    connection.exec('begin immediate');
    for (const turn of turns) {
      if (!alone) connection.exec('savepoint turn');
      try {
        const value = await turn.work(queries);
        if (!alone) connection.exec('release turn');
        answers.push(() => turn.resolve(value as never));
      } catch (error) {
        // A disk that is full or fails ends the whole transaction, the savepoints with it.
        if (alone || !connection.isTransaction) throw error;
        connection.exec('rollback to turn; release turn');
        answers.push(() => turn.reject(unavailableOr(error)));
      }
    }
    connection.exec('commit');
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback');
    for (const turn of turns) turn.reject(unavailableOr(error));
    return;
  }
  for (const answer of answers) answer();
}

async function snapshotOf<T>(path: string, work: (read: Snapshot) => Promise<T>): Promise<T> {
  const { connection, queries, prepare } = connect(path);
  connection.exec('begin');
  try {
    return await work({
      ...queries,
      async *scan(sql, params = []) {
        const { statement, bind } = prepare(sql);
        statement.setReturnArrays(true);
        let batch: unknown[][] = [];
        let characters = 0;
        for (const row of statement.iterate(...bind(params)) as Iterable<unknown[]>) {
          batch.push(row);
          for (const value of row) if (typeof value === 'string') characters += value.length;
          if (batch.length < SCAN_ROWS && characters < SCAN_CHARACTERS) continue;
          yield batch;
          batch = [];
          characters = 0;
          await new Promise((lap) => setImmediate(lap));
        }
        if (batch.length > 0) yield batch;
      },
    });
  } finally {
    connection.close();
  }
}

interface Prepared {
  statement: StatementSync;
  bind(params: Value[]): Value[];
}
interface Connection {
  connection: DatabaseSync;
  queries: Transaction;
  prepare(sql: string): Prepared;
}

/** @param writes in transactions: a statement outside of one is refused */
function connect(path: string, { writes } = { writes: false }): Connection {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, readOnly: !writes });
  const prepared = new Map<string, Prepared>();

  /**
   * A disk that is full or fails ends the transaction in the middle: what else is sent for it would be committed by itself.
   */
  function requireTransaction(): void {
    if (writes && !connection.isTransaction)
      throw new DatabaseUnavailable(new Error('the transaction ended with a statement before this one'));
  }

  /** `$n` may stand anywhere and repeat; SQLite's own positional `?` may not. */
  function prepare(sql: string): Prepared {
    requireTransaction();
    let known = prepared.get(sql);
    if (known === undefined) {
      const order: number[] = [];
      const text = sql.replace(/\$(\d+)/g, (_, n) => {
        order.push(Number(n) - 1);
        return '?';
      });
      const inOrder = order.every((index, position) => index === position);
      const bind = inOrder ? (params: Value[]) => params : (params: Value[]) => order.map((i) => params[i] ?? null);
      known = { statement: connection.prepare(text), bind };
      prepared.set(sql, known);
    }
    return known;
  }

  const queries: Transaction = {
    dialect,
    async all<T>(sql: string, params: Value[] = []) {
      const { statement, bind } = prepare(sql);
      return statement.all(...bind(params)) as T[];
    },
    async get<T>(sql: string, params: Value[] = []) {
      const { statement, bind } = prepare(sql);
      return statement.get(...bind(params)) as T | undefined;
    },
    async run(sql, params = []) {
      const { statement, bind } = prepare(sql);
      return Number(statement.run(...bind(params)).changes);
    },
    async insert(table: string, columns: Columns, rows: Value[][]) {
      const names = Object.keys(columns);
      const places = names.map((_, i) => `$${i + 1}`);
      const { statement } = prepare(`insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`);
      for (const row of rows) statement.run(...row);
    },
    async update(table: string, which: Columns, to: Columns, rows: Value[][]) {
      const assigned = Object.keys(to).map((name) => `${name} = ?`);
      const unchanged = Object.keys(which).map((name, i) => (i === 0 ? `${name} = ?` : `${name} is ?`));
      const { statement } = prepare(`update ${table} set ${assigned.join(', ')} where ${unchanged.join(' and ')}`);
      let changed = 0;
      for (const row of rows)
        changed += Number(statement.run(...row.slice(unchanged.length), ...row.slice(0, unchanged.length)).changes);
      return changed;
    },
    async updateAll(table: string, which: Columns, to: Columns, rows: Value[][]) {
      const changed = await queries.update(table, which, to, rows);
      if (changed !== rows.length) throw new Error(`rows of ${table} changed since they were read`);
    },
    async commitWith(...statements: Promise<unknown>[]) {
      await together(...statements);
    },
    async script(sql) {
      requireTransaction();
      connection.exec(sql);
    },
    async notify() {},
  };
  return { connection, queries, prepare };
}

/** SQLITE_BUSY, IOERR, FULL, CANTOPEN: the disk or another process, not the statement. */
const UNAVAILABLE = new Set([5, 10, 13, 14]);

function unavailableOr(error: unknown): unknown {
  const primary = (error as { errcode?: number } | null)?.errcode;
  return primary !== undefined && UNAVAILABLE.has(primary & 0xff) ? new DatabaseUnavailable(error) : error;
}
