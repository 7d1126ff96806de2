/**
 * PostgreSQL through `pg`: a pool, named statements, one retry rule, and errors that say "away" apart from "wrong".
 * Statements that do not wait for each other's answers travel together; the server runs them in the order they were sent, and
 * after one that fails it refuses the rest of the transaction.
 */
import type { Writable } from 'node:stream';
import { Client, escapeIdentifier, Pool, type PoolClient, type PoolConfig, TypeOverrides } from 'pg';
import { DatabaseUnavailable } from '../error.ts';
import {
  type Columns,
  type Db,
  type Dialect,
  type Queries,
  type Row,
  type Snapshot,
  together,
  type Value,
} from './db.ts';

/** Rows may hold megabytes, and a thread that scans has 512 MB. */
const SCAN_ROWS = 32;
const STATEMENT_MS = 60_000;
const ATTEMPTS = 8;
const INT8 = 20;
/**
 * Of the connections for transactions. A prepared statement keeps the plan it got when the table was empty, until the table is
 * analyzed: then reading all of it is cheapest. What changes rows finds them by key.
 */
const BY_KEY = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

const dialect: Dialect = {
  forUpdate: 'for update',
  forUpdateSkipLocked: 'for update skip locked',
  isAmong: (parameter) => `= any (array(select json_array_elements_text(${parameter}::json)))`,
  jsonRows: (parameter) => `json_array_elements(${parameter}::json)`,
};

export interface PostgresSettings {
  url: string;
  /** Connections at most for transactions, and as many for reading; default 10. */
  connections?: number;
  /** Where idle-connection errors go: they are not any caller's. */
  onIdleError?(error: Error): void;
}

export function openPostgres({ url, connections = 10, onIdleError }: PostgresSettings): Db {
  const types = new TypeOverrides();
  // bigint arrives as a string; every one of ours is a count or a sequence below 2^53.
  types.setTypeParser(INT8, Number);
  const settings: PoolConfig = {
    connectionString: url,
    max: connections,
    // A server that does not answer, and also the wait for a connection that is in use.
    connectionTimeoutMillis: 15_000,
    statement_timeout: STATEMENT_MS,
    // A server that is silent, not gone: the connection is given up a little after the server should have.
    query_timeout: STATEMENT_MS + 5_000,
    keepAlive: true,
    pipeline: true,
    types,
  };
  const reading = new Pool(settings);
  const changing = new Pool({ ...settings, options: BY_KEY });
  for (const pool of [reading, changing]) pool.on('error', (error) => onIdleError?.(error));

  async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw new DatabaseUnavailable(error);
    });
    let broken = false;
    // Without a listener the loss of a connection in use would end the process.
    const lost = () => {
      broken = true;
    };
    client.on('error', lost);
    try {
      return await work(client);
    } catch (error) {
      const away = unavailableOr(error);
      broken ||= away instanceof DatabaseUnavailable;
      throw away;
    } finally {
      client.off('error', lost);
      client.release(broken);
    }
  }

  async function once<T>(
    pool: Pool,
    begin: string,
    work: (client: PoolClient, statements: Statements) => Promise<T>,
  ): Promise<T> {
    return withClient(pool, async (client) => {
      const statements = inTransaction(client, begin);
      try {
        const value = await work(client, statements);
        await statements.commit();
        return value;
      } catch (error) {
        // When the connection is gone there is nothing to roll back: the server does it.
        await client.query('rollback').catch(() => undefined);
        throw statements.causeOf(error);
      }
    });
  }

  return {
    ...queriesOf((sql, params) => withClient(reading, (client) => execute(client, sql, params))),
    engine: 'postgres',
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(changing, 'begin', (_, { execute, commitWith }) =>
            work({ ...queriesOf(execute), commitWith }),
          );
        } catch (error) {
          if (attempt === ATTEMPTS || !isConflict(error)) throw error;
        }
      }
    },
    snapshot: (work) =>
      once(reading, 'begin isolation level repeatable read read only', (client) => work(snapshotOf(client))),
    listen: (channel, onMessage) => listenOn(url, channel, onMessage),
    close: async () => void (await Promise.all([reading.end(), changing.end()])),
  };
}

type Statements = ReturnType<typeof inTransaction>;
type Execute = (sql: string, params: unknown[]) => Promise<{ rows: Row[]; changed: number }>;

const READS = /^\s*select\b/i;
const REFUSED_AFTER_ANOTHER = '25P02';

/**
 * `begin` travels with the first statements when they only read and lock. Writes wait for its answer: sent after a `begin`
 * that failed, they would be committed by themselves.
 */
function inTransaction(client: PoolClient, begin: string) {
  sendTogether(client);
  const begun = client.query(begin);
  let mayWrite = false;
  let committed: Promise<void> | null = null;
  let cause: unknown = null;
  const failed = (error: unknown) => {
    cause ??= error;
  };
  begun.catch(failed);

  /** Behind the writes, which wait for the answer to `begin` too. */
  async function commit(): Promise<void> {
    await begun;
    const send = hold(client);
    try {
      // By then it is known whether one of them failed before it was sent: the server would not know.
      await new Promise<void>((tick) => process.nextTick(tick));
      if (cause !== null) throw cause;
    } finally {
      // The commit leaves in the same packet.
      process.nextTick(send);
    }
    const { command } = await client.query('commit');
    // The server's answer to the commit of a transaction in which something failed.
    if (command !== 'COMMIT') throw cause ?? new Error(`the transaction ended with ${command}`);
  }

  return {
    /** The first error, where this one only says that the transaction is over. */
    causeOf: (error: unknown) =>
      (error as { code?: string }).code === REFUSED_AFTER_ANOTHER ? (cause ?? error) : error,
    async execute(sql: string, params: unknown[]) {
      // It would be committed by itself.
      if (committed !== null) throw new Error('a statement came after the commit of its transaction');
      mayWrite ||= !READS.test(sql);
      // The order stays: whatever comes after a write waits with it.
      if (mayWrite) await begun;
      sendTogether(client);
      const answer = execute(client, sql, params);
      answer.catch(failed);
      return answer;
    },
    async commitWith(...last: Promise<unknown>[]) {
      for (const statement of last) statement.catch(failed);
      committed = commit();
      await together(...last, committed);
    },
    commit: () => (committed ??= commit()),
  };
}

/** Statements of one turn of the event loop leave in one packet: each packet costs both sides more than what is in it. */
function sendTogether(client: PoolClient): void {
  process.nextTick(hold(client));
}

/** Returns what lets go of it again. */
function hold(client: PoolClient): () => void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  return () => stream.uncork();
}

function queriesOf(executeStatement: Execute): Queries {
  return {
    dialect,
    all: async <T>(sql: string, params: Value[] = []) => (await executeStatement(sql, params)).rows as T[],
    get: async <T>(sql: string, params: Value[] = []) => (await executeStatement(sql, params)).rows[0] as T | undefined,
    run: async (sql, params = []) => (await executeStatement(sql, params)).changed,
    async insert(table: string, columns: Columns, rows: Value[][]) {
      if (rows.length === 0) return;
      const names = Object.keys(columns).join(', ');
      const types = Object.values(columns);
      await executeStatement(
        `insert into ${table} (${names}) select * from ${unnest(types)}`,
        columnsOf(rows, types.length),
      );
    },
    async update(table: string, which: Columns, to: Columns, rows: Value[][]) {
      if (rows.length === 0) return 0;
      return (await executeStatement(...updateOf(table, which, to, rows))).changed;
    },
    async updateAll(table: string, which: Columns, to: Columns, rows: Value[][]) {
      if (rows.length === 0) return;
      const [sql, params] = updateOf(table, which, to, rows);
      // The server itself has to refuse: the commit may be on its way already.
      const all = `(count(*) = $${params.length + 1})::int`;
      await executeStatement(`with changed as (${sql} returning 1) select 1 / ${all} from changed`, [
        ...params,
        rows.length,
      ]);
    },
    async script(sql) {
      await executeStatement(sql, []);
    },
    async notify(channel, payload) {
      await executeStatement('select pg_notify($1, $2)', [channel, payload]);
    },
  };
}

function updateOf(table: string, which: Columns, to: Columns, rows: Value[][]): [sql: string, params: unknown[]] {
  const [key, ...more] = Object.keys(which);
  const types = [...Object.values(which), ...Object.values(to)];
  const assigned = Object.keys(to).map((name, i) => `${name} = v${more.length + 1 + i}`);
  // An index knows `=` only.
  const same = more.map((_, i) => (rows.some((row) => row[i + 1] === null) ? 'is not distinct from' : '='));
  const unchanged = more.map((name, i) => ` and ${table}.${name} ${same[i]} v${i + 1}`);
  const sql = `update ${table} set ${assigned.join(', ')} from ${unnest(types)} as change (${types.map((_, i) => `v${i}`).join(', ')})
    where ${table}.${key} = v0${unchanged.join('')}`;
  return [sql, columnsOf(rows, types.length)];
}

/** A parameter per column, in order. */
function unnest(types: string[]): string {
  return `unnest(${types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})`;
}

function columnsOf(rows: Value[][], columns: number): Value[][] {
  return Array.from({ length: columns }, (_, column) => rows.map((row) => row[column]!));
}

function snapshotOf(client: PoolClient): Snapshot {
  return {
    ...queriesOf((sql, params) => execute(client, sql, params)),
    async *scan(sql, params = []) {
      await client.query(`declare scan no scroll cursor for ${sql}`, params);
      for (;;) {
        const { rows } = await client.query({ text: `fetch ${SCAN_ROWS} from scan`, rowMode: 'array' });
        if (rows.length === 0) break;
        yield rows as unknown[][];
      }
      await client.query('close scan');
    },
  };
}

/** Statement names are short and stable: every connection prepares a text once. */
const names = new Map<string, string>();

async function execute(client: PoolClient, sql: string, params: unknown[]): Promise<{ rows: Row[]; changed: number }> {
  if (params.length === 0) {
    const answer = await client.query(sql);
    return { rows: answer.rows ?? [], changed: answer.rowCount ?? 0 };
  }
  let name = names.get(sql);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(sql, name);
  }
  const answer = await client.query({ name, text: sql, values: params });
  return { rows: answer.rows, changed: answer.rowCount ?? 0 };
}

/** Serialization failure and deadlock: the transaction did nothing and may simply run again. */
function isConflict(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code;
  return code === '40001' || code === '40P01';
}

/** Connection errors (class 08), shutdowns (57P0x), too many connections, disk full, read-only standby. */
function unavailableOr(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable || !(error instanceof Error)) return error;
  const code = (error as { code?: string }).code ?? '';
  const away =
    /^(08|53|57P0|57014|25006|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOST|ENOENT)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout/.test(
      error.message,
    );
  return away ? new DatabaseUnavailable(error) : error;
}

const LISTEN_AGAIN_MS = 1_000;

/** A connection of its own, taken up again when it is lost; what was said meanwhile is not heard. */
async function listenOn(
  url: string,
  channel: string,
  onMessage: (payload: string) => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: Client | null = null;
  let again: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const fresh = new Client({ connectionString: url, keepAlive: true });
    fresh.on('notification', ({ payload }) => onMessage(payload ?? ''));
    fresh.on('error', () => undefined);
    fresh.on('end', listenAgain);
    await fresh.connect();
    await fresh.query(`listen ${escapeIdentifier(channel)}`);
    client = fresh;
  }
  function retry(): void {
    connect().catch(listenAgain);
  }
  function listenAgain(): void {
    clearTimeout(again);
    if (!stopped) again = setTimeout(retry, LISTEN_AGAIN_MS);
  }

  await connect();
  return async () => {
    stopped = true;
    clearTimeout(again);
    await client?.end();
  };
}
