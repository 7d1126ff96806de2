/** `sqlite:path` or `postgres://…` → a database. */
import type { Db } from './db.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export const DATABASE_URL = /^(sqlite:.+|postgres(ql)?:\/\/.+)$/;

export function openDatabase(url: string, onIdleError?: (error: Error) => void): Db {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres({ url, onIdleError });
}
