/**
 * What this witness has cosigned last of each log, in SQLite: it never cosigns what does not extend that. A commit is on disk when it
 * returns. One process has the file: a second one does not open it.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Tree } from '@rcpt/proof/log/merkle.ts';

export interface Cosigned extends Tree {
  /** The checkpoint with the log's signatures that were verified and our cosignature. */
  note: string;
}

/** Whose record it is. */
export interface Identity {
  name: string;
  public_key: Uint8Array;
}

export interface WitnessRecord {
  identity(): Identity | null;
  identify(identity: Identity): void;
  latest(origin: string): Cosigned | null;
  origins(): string[];
  /**
   * Reads what was cosigned last, lets `next` decide, and stores what it returns, in one transaction: no other submission comes between. A
   * crash before it returns leaves the old row or the new one, and nobody was sent a cosignature.
   */
  advance<Refusal>(origin: string, next: (latest: Cosigned | null) => Cosigned | Refusal): Cosigned | Refusal;
  close(): void;
}

const SCHEMA = `
create table if not exists identity (
  one integer primary key check (one = 1),
  name text not null,
  public_key blob not null
) strict;
create table if not exists logs (
  origin text primary key,
  size integer not null,
  root blob not null,
  note text not null
) strict;
`;

interface Row {
  size: number;
  root: Uint8Array;
  note: string;
}

/** Throws the error of SQLite: `database is locked` where another process has it. */
export function openRecord(file: string): WitnessRecord {
  closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file, { timeout: 1_000 });
  db.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full');
  // The lock is taken with the first write, not with the first read.
  db.exec(`begin exclusive; ${SCHEMA} commit`);
  const byOrigin = db.prepare('select size, root, note from logs where origin = ?');
  const store = db.prepare(
    'insert into logs (origin, size, root, note) values (?, ?, ?, ?) on conflict (origin) do update set size = excluded.size, root = excluded.root, note = excluded.note',
  );
  const latest = (origin: string) => (byOrigin.get(origin) as unknown as Row | undefined) ?? null;
  return {
    identity: () => (db.prepare('select name, public_key from identity').get() as unknown as Identity) ?? null,
    identify: ({ name, public_key }) =>
      void db.prepare('insert into identity (one, name, public_key) values (1, ?, ?)').run(name, public_key),
    latest,
    origins: () =>
      db
        .prepare('select origin from logs order by origin')
        .all()
        .map(({ origin }) => String(origin)),
    advance(origin, next) {
      db.exec('begin immediate');
      try {
        const decided = next(latest(origin));
        if (isCosigned(decided)) store.run(origin, decided.size, decided.root, decided.note);
        db.exec('commit');
        return decided;
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
    close: () => db.close(),
  };
}

function isCosigned(decided: unknown): decided is Cosigned {
  return typeof decided === 'object' && decided !== null && 'note' in decided;
}
