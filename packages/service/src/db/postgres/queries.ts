/** The statements of `Queries` on PostgreSQL: many rows travel as one array per column. */
import type { PoolClient } from 'pg';
import type { Columns, Dialect, Queries, Row, Value } from '../db.ts';

export type Execute = (sql: string, params: unknown[]) => Promise<{ rows: Row[]; changed: number }>;

const dialect: Dialect = {
  isShared: true,
  forUpdate: 'for update',
  forUpdateSkipLocked: 'for update skip locked',
  isAmong: (parameter) => `= any (array(select json_array_elements_text(${parameter}::json)))`,
  jsonRows: (parameter) => `json_array_elements(${parameter}::json)`,
};

export function queriesOf(executeStatement: Execute): Queries {
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
      await executeStatement(`with changed as (${sql} returning 1) ${failUnlessCounted(`$${params.length + 1}`)}`, [
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

/**
 * The server itself has to refuse, as the commit may be on its way already. SQL has no `raise`: a text that is no number is
 * refused with the text in the message, 22P02: invalid input syntax for type integer: "1 of 2 rows were changed".
 */
function failUnlessCounted(expected: string): string {
  const said = `count(*) || ' of ' || ${expected} || ' rows were changed'`;
  return `select case when count(*) = ${expected}::bigint then 0 else (${said})::int end from changed`;
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

/** Statement names are short and stable: every connection prepares a text once. */
const names = new Map<string, string>();

export async function execute(client: PoolClient, sql: string, params: unknown[]): ReturnType<Execute> {
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
