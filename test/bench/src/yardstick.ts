/**
 * What the machine can do at best when every row is durable by itself: one connection, one row of a receipt's size per
 * transaction, each on disk before the next begins.
 */
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

export const ROW_BYTES = 1_500;
const PAYLOAD = 'x'.repeat(ROW_BYTES);

export interface Yardstick {
  /** Rows per second, inserted for about `ms`. */
  measure(ms: number): Promise<number>;
  close(): Promise<void>;
}

export function openSqliteYardstick(path: string): Yardstick {
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.exec('create table yardstick (id integer primary key, payload text not null)');
  const insert = db.prepare('insert into yardstick (payload) values (?)');
  return {
    measure: (ms) => rateOf(ms, async () => void insert.run(PAYLOAD)),
    close: async () => db.close(),
  };
}

export async function openPostgresYardstick(url: string): Promise<Yardstick> {
  const client = new Client(url);
  await client.connect();
  await client.query('create table yardstick (id bigserial primary key, payload text not null)');
  const insert = { name: 'insert', text: 'insert into yardstick (payload) values ($1)', values: [PAYLOAD] };
  return {
    measure: (ms) => rateOf(ms, async () => void (await client.query(insert))),
    close: () => client.end(),
  };
}

async function rateOf(ms: number, insert: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let rows = 0;
  let took = 0;
  for (; took < ms; took = performance.now() - began) {
    await insert();
    rows++;
  }
  return (rows / took) * 1000;
}
