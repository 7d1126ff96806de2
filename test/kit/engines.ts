/**
 * One suite, both engines. `fresh()` gives a database of its own, with the given migrations applied; one opened in a
 * test goes when that test ends, one opened in a `before` goes with the suite.
 * PostgreSQL is the server of TEST_POSTGRES_URL (a superuser's URL), else one that this process starts when first needed.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe } from 'node:test';
import { Client, escapeIdentifier } from 'pg';
import type { Db } from '../../packages/service/src/db/db.ts';
import { migrate } from '../../packages/service/src/db/migrate.ts';
import { openDatabase } from '../../packages/service/src/db/open.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

export interface Fresh {
  db: Db;
  /** For a second process, or for opening it again after `db.close()`. */
  url: string;
}

export type Engine = Db['engine'];

export const ENGINES: readonly Engine[] = ['sqlite', 'postgres'];

/** @param migrations the folder that holds `sqlite/` and `postgres/`; null: an empty database */
export function eachEngine(
  name: string,
  migrations: string | null,
  suite: (fresh: () => Promise<Fresh>, engine: Engine) => void,
  engines = ENGINES,
): void {
  for (const engine of engines)
    describe(`${name} on ${engine}`, () => {
      const ofSuite: Release[] = [];
      const ofTest: Release[] = [];
      let inTest = false;
      beforeEach(() => {
        inTest = true;
      });
      afterEach(async () => {
        inTest = false;
        await releaseAll(ofTest);
      });
      after(() => releaseAll(ofSuite));

      suite(async () => {
        const releases = inTest ? ofTest : ofSuite;
        const { url, remove } = await makers[engine](migrations);
        const db = openDatabase(url);
        releases.push(async () => {
          // A test may have closed it already.
          await db.close().catch(() => undefined);
          await remove();
        });
        return { db, url };
      }, engine);
    });
}

type Release = () => Promise<void>;

async function releaseAll(releases: Release[]): Promise<void> {
  await Promise.all(releases.splice(0).map((release) => release()));
}

interface Made {
  url: string;
  remove(): Promise<void>;
}

/** Migrations run once per engine and folder; every further database is a copy of that one. */
const makers: Record<Engine, (migrations: string | null) => Promise<Made>> = {
  async sqlite(migrations) {
    const path = join(temporaryFolder(), `${nextName()}.db`);
    if (migrations !== null) copyFileSync(await migratedFile(migrations), path);
    return { url: `sqlite:${path}`, remove: async () => removeFile(path) };
  },
  async postgres(migrations) {
    const name = nextName();
    const template = migrations === null ? 'template1' : await migratedTemplate(migrations);
    await administer(
      `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} strategy file_copy`,
    );
    const url = await databaseUrl(name);
    return { url, remove: () => administer(`drop database if exists ${escapeIdentifier(name)} with (force)`) };
  },
};

const migratedFile = oncePer(async (migrations) => {
  const path = join(temporaryFolder(), `${nextName()}.db`);
  await migrateAndClose(`sqlite:${path}`, migrations);
  return path;
});

const migratedTemplate = oncePer(async (migrations) => {
  const name = nextName();
  await administer(`create database ${escapeIdentifier(name)}`);
  templates.push(name);
  await migrateAndClose(await databaseUrl(name), migrations);
  return name;
});

async function migrateAndClose(url: string, migrations: string): Promise<void> {
  const db = openDatabase(url);
  await migrate(db, migrations);
  await db.close();
}

function oncePer(make: (migrations: string) => Promise<string>): (migrations: string) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  return (migrations) => {
    const known = made.get(migrations) ?? make(migrations);
    made.set(migrations, known);
    return known;
  };
}

let names = 0;
/** Several test processes may share one server. */
const processName = `test_${process.pid}_${Date.now().toString(36)}`;
function nextName(): string {
  return `${processName}_${++names}`;
}

let folder: string | null = null;
function temporaryFolder(): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'engines-'));
    // Not in an `after`: a run that is cut short by process.exit skips those.
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}

function removeFile(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

const templates: string[] = [];
let server: Promise<PostgresServer> | null = null;
let administrator: Client | null = null;
let administration: Promise<void> = Promise.resolve();

function postgres(): Promise<PostgresServer> {
  const url = process.env.TEST_POSTGRES_URL;
  server ??= url ? Promise.resolve({ url, stop: async () => {} }) : startPostgres();
  return server;
}

async function databaseUrl(name: string): Promise<string> {
  const url = new URL((await postgres()).url);
  url.pathname = `/${name}`;
  return url.href;
}

/** One connection, statements in turn: PostgreSQL does not copy a template for two at once. */
function administer(sql: string): Promise<void> {
  const statement = administration.then(async () => {
    administrator ??= await connect();
    await administrator.query(sql);
  });
  administration = statement.catch(() => undefined);
  return statement;
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: (await postgres()).url });
  await client.connect();
  return client;
}

after(async () => {
  for (const name of templates) await administer(`drop database if exists ${escapeIdentifier(name)} with (force)`);
  await administrator?.end();
  // A server that did not start has failed its tests already.
  await server?.then(
    ({ stop }) => stop(),
    () => undefined,
  );
});
