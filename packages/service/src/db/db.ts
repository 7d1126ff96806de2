/**
 * The one seam between our code and the two engines. Data statements are written once, with `$1` placeholders;
 * what differs between the engines is a member of `Dialect`, named after what it means.
 */
export type Value = string | number | null;
export type Row = Record<string, unknown>;

export interface Queries {
  readonly dialect: Dialect;
  all<T = Row>(sql: string, params?: Value[]): Promise<T[]>;
  get<T = Row>(sql: string, params?: Value[]): Promise<T | undefined>;
  /** Rows changed. */
  run(sql: string, params?: Value[]): Promise<number>;
  /** Inserts all rows in as few statements as the engine likes; a broken constraint fails the whole call. */
  insert(table: string, columns: Columns, rows: Value[][]): Promise<void>;
  /**
   * Changes many rows, each to values of its own. A row holds the values of `which`, which must be as they are stored (null
   * for null; the first is a key), then those of `to`. Returns how many were changed.
   */
  update(table: string, which: Columns, to: Columns, rows: Value[][]): Promise<number>;
  /** As `update`; fails, and with it the transaction, unless every row was changed. */
  updateAll(table: string, which: Columns, to: Columns, rows: Value[][]): Promise<void>;
  /** Several statements, no parameters: migrations. */
  script(sql: string): Promise<void>;
  /** Tells the other processes on this database, with the commit. On SQLite there are none to tell. */
  notify(channel: string, payload: string): Promise<void>;
}

/**
 * Statements that do not wait for each other's answers: on PostgreSQL they travel together. Throws the first error, once none
 * of them is under way any more.
 */
export async function together<T extends Promise<unknown>[]>(
  ...statements: T
): Promise<{ [I in keyof T]: Awaited<T[I]> }> {
  const settled = await Promise.allSettled(statements);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as { [I in keyof T]: Awaited<T[I]> };
}

export interface Transaction extends Queries {
  /** The last statements, already sent off: on PostgreSQL the commit travels with them. Nothing may follow. */
  commitWith(...statements: Promise<unknown>[]): Promise<void>;
}

/** Column name → the PostgreSQL type of its values. */
export type Columns = Record<string, 'text' | 'bigint'>;

/** Reads of one instant, however long they take. */
export interface Snapshot extends Queries {
  /** Rows as arrays in `select` order, in batches, in constant memory; other work goes on between batches. */
  scan(sql: string, params?: Value[]): AsyncIterable<unknown[][]>;
}

export interface Db extends Queries {
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Runs `work` and commits, or rolls everything back when it throws; resolves once the commit is on disk.
   * On PostgreSQL `work` is run again after a deadlock or a serialization failure, so it must do nothing but SQL.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  snapshot<T>(work: (read: Snapshot) => Promise<T>): Promise<T>;
  /**
   * SQLite: writes the log back into the database and empties it, so that neither holds what was deleted. False: somebody reads from
   * the log just now. PostgreSQL deletes by its own vacuum: true.
   */
  emptyLog(): Promise<boolean>;
  /** Hears `notify` of other processes, best effort (a lost connection is taken up again); returns how to stop. */
  listen(channel: string, onMessage: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface Dialect {
  /** Other processes may work on the database at the same time, and it works outside this process. */
  isShared: boolean;
  /** Ends a `select` from one table whose rows the transaction is about to change. */
  forUpdate: string;
  /** As `forUpdate`, but leaves out rows that another transaction holds. */
  forUpdateSkipLocked: string;
  /** Ends `where id`: the ids in a JSON array parameter. */
  isAmong(parameter: string): string;
  /** A row source over a JSON array parameter; its one column is `value`, read with `value ->> 0`. */
  jsonRows(parameter: string): string;
}
