/** `sqlite:path` or `postgres://…` → a database. */
import type { Db } from './db.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, openSqliteSnapshots } from './sqlite.ts';

const SQLITE = 'sqlite:';
export const DATABASE_URL = /^(sqlite:.+|postgres(ql)?:\/\/.+)$/;

export function openDatabase(url: string, onIdleError?: (error: Error) => void): Db {
  return url.startsWith(SQLITE) ? openSqlite(url.slice(SQLITE.length)) : openPostgres({ url, onIdleError });
}

/** To read only, from a database that is open elsewhere: one connection, and none between two snapshots that are long apart. */
export function openSnapshots(url: string): Pick<Db, 'snapshot' | 'close'> {
  return url.startsWith(SQLITE) ? openSqliteSnapshots(url.slice(SQLITE.length)) : openPostgres({ url, connections: 1 });
}
