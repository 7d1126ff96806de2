/** Schema migrations: numbered SQL files per engine, each applied once, in order, in one transaction. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../error.ts';
import type { Db, Queries } from './db.ts';

interface Migration {
  version: number;
  name: string;
  sql: string;
  sha256: string;
}

interface Applied {
  version: number;
  name: string;
  sha256: string;
}

const TABLE = `create table if not exists schema_migrations (
  version bigint primary key, name text not null, sha256 text not null, applied_at text not null)`;

/**
 * Brings the schema up to date and returns the names of what was applied. Two processes at once: one waits.
 * A crash leaves the schema as it was before or after a whole migration.
 * @param directory holds `sqlite/` and `postgres/`
 */
export async function migrate(db: Db, directory: string): Promise<string[]> {
  const migrations = read(db, directory);
  return db.transaction(async (tx) => {
    if (db.engine === 'postgres') await tx.script("select pg_advisory_xact_lock(hashtext('schema_migrations'))");
    await tx.script(TABLE);
    const missing = difference(migrations, await applied(tx));
    for (const { version, name, sql, sha256 } of missing) {
      await tx.script(sql);
      await tx.run('insert into schema_migrations (version, name, sha256, applied_at) values ($1, $2, $3, $4)', [
        version,
        name,
        sha256,
        new Date().toISOString(),
      ]);
    }
    return missing.map((migration) => migration.name);
  });
}

/** Throws `schema_behind` with the command to run when the schema is not the one this code was written for. */
export async function checkSchema(db: Db, directory: string): Promise<void> {
  const migrations = read(db, directory);
  const known = await applied(db).catch((error: unknown) => {
    if (error instanceof Refusal) throw error;
    return [];
  });
  const missing = difference(migrations, known);
  if (missing.length === 0) return;
  const names = missing.map((migration) => migration.name).join(', ');
  throw new Refusal('schema_behind', `The database lacks ${names}: run ./rcpt migrate, then start again.`);
}

function applied(db: Queries): Promise<Applied[]> {
  return db.all<Applied>('select version, name, sha256 from schema_migrations order by version');
}

function difference(migrations: Migration[], known: Applied[]): Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const row of known) {
    const ours = migrations.find((migration) => migration.version === row.version);
    if (ours === undefined && row.version > newest)
      throw new Refusal(
        'schema_ahead',
        `The database holds ${row.name}, which this release does not know: upgrade it.`,
      );
    // Tables of one name would be another's: receipts, members, idempotency keys.
    if (ours !== undefined && ours.name !== row.name)
      throw new Refusal(
        'schema_foreign',
        `This database belongs to another component: it holds ${row.name}, not ${ours.name}. Name a database of its own.`,
      );
    if (ours !== undefined && ours.sha256 !== row.sha256)
      throw new Refusal('schema_changed', `Migration ${row.name} was changed after it was applied.`);
  }
  const done = new Set(known.map((row) => row.version));
  return migrations.filter((migration) => !done.has(migration.version));
}

function read(db: Db, directory: string): Migration[] {
  const folder = join(directory, db.engine);
  return readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), 'utf8');
      return {
        version: Number(file.slice(0, 4)),
        name: file.slice(0, -4),
        sql,
        sha256: createHash('sha256').update(sql).digest('hex'),
      };
    });
}
