/** A PostgreSQL of the very version that `pg_dump` is of: one that is older than its server refuses. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ownPort } from '../kit/own-port.ts';
import { majorOf, missing } from './house.ts';

const PROGRAMS = '/usr/lib/postgresql';
const binaries = () => join(PROGRAMS, majorOf('pg_dump'), 'bin');

/** No cluster of its own: Debian would start one. */
const INSTALL =
  "mkdir -p /etc/postgresql-common && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf && apt-get install -y --no-install-recommends postgresql";

export function missingPostgres(): string | false {
  return missing('pg_dump with its server', INSTALL, () => {
    try {
      return existsSync(join(binaries(), 'initdb')) && existsSync(join(binaries(), 'postgres'));
    } catch {
      return false;
    }
  });
}

export interface DebianPostgres {
  /** What `pg_dump`, `psql` and `createdb` read. */
  environment: Record<string, string>;
  /** Makes the database. */
  database(name: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startDebianPostgres(): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  // It does not run as root.
  const asRoot = process.getuid?.() === 0;
  const [uid, gid] = asRoot ? ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres']))) : [];
  const account = asRoot ? { uid: uid!, gid: gid! } : {};
  if (asRoot) chownSync(data, uid!, gid!);
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '--encoding=UTF8', '--no-sync', '--no-instructions'];
  execFileSync(join(binaries(), 'initdb'), options, { cwd: folder, stdio: 'ignore', ...account });
  const port = await ownPort();
  const flags = ['fsync=off', 'unix_socket_directories=', 'max_connections=60'].flatMap((flag) => ['-c', flag]);
  const server = spawn(join(binaries(), 'postgres'), ['-D', data, '-h', '127.0.0.1', '-p', String(port), ...flags], {
    cwd: folder,
    stdio: 'ignore',
    ...account,
  });
  const kill = () => void server.kill('SIGQUIT');
  process.once('exit', kill);
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  for (;;) {
    if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
    const client = new Client({ connectionString: url('postgres') });
    if (
      await client.connect().then(
        () => true,
        () => false,
      )
    ) {
      await client.end();
      break;
    }
    await sleep(50);
  }
  return {
    environment: { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres' },
    async database(name) {
      const client = new Client({ connectionString: url('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
    },
    async stop() {
      process.off('exit', kill);
      const ended = once(server, 'exit');
      kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
