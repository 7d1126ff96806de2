/** A database that stands still for a while: what another process could do to it, done by the test. */
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

export interface Lock {
  /** True once somebody waits for it; always false on SQLite, which does not say. */
  awaited(): Promise<boolean>;
  release(): Promise<void>;
}

/** SQLite: nobody else writes. For at most five seconds, then the ledger gives up and says so. */
export function lockSqlite(url: string): Lock {
  const connection = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5_000 });
  connection.exec('begin immediate');
  return {
    awaited: async () => false,
    async release() {
      connection.exec('rollback');
      connection.close();
    },
  };
}

/** PostgreSQL: holds what `sql` locks. */
export async function lockPostgres(url: string, sql: string, params: string[] = []): Promise<Lock> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(sql, params);
  return {
    async awaited() {
      const { rowCount } = await client.query(
        'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
      );
      return rowCount! > 0;
    },
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}
