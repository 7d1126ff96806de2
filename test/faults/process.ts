/**
 * The ledger as operators run it: `./rcpt ledger` in a process of its own, which a test may kill at any moment. What is
 * still running when a test ends is killed then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN, callerOf, type RunningTest } from '../../packages/ledger/test/running.ts';

export const MIGRATIONS = fileURLToPath(new URL('../../packages/ledger/migrations', import.meta.url));
/** The same before and after a restart on another port. */
export const BASE_URL = 'http://ledger.example';
const LAUNCHER = fileURLToPath(new URL('../../rcpt', import.meta.url));

export interface LedgerProcess {
  url: string;
  pid: number;
  call: RunningTest['call'];
  /** Every line on stderr so far. */
  said: string[];
  /** SIGKILL: no clean-up of any kind. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGSTOP and SIGCONT: it stands still between two instructions. */
  freeze(): void;
  thaw(): void;
}

export interface StartOptions {
  /** A shell command that runs first, e.g. `ulimit -f 100`. */
  before?: string;
}

const folders: string[] = [];
const alive = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of alive) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Deleted when the tests of this file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  folders.push(folder);
  return folder;
}

/** Settings of a ledger on this database, with its storage and its mail in `folder`. */
export function settingsOf(database_url: string, folder: string): Record<string, string> {
  return {
    LEDGER_PORT: '0',
    LEDGER_BASE_URL: BASE_URL,
    LEDGER_DATABASE_URL: database_url,
    LEDGER_STORAGE_URL: `file:${folder}/objects`,
    LEDGER_SMTP_URL: `file:${folder}/outbox`,
    LEDGER_ADMIN_TOKEN: ADMIN_TOKEN,
    // A test machine may be busy with others: that is not what is tested here.
    LEDGER_OVERLOAD_DELAY_MS: '60000',
    // The first line says the port; of the others only warnings matter.
    LEDGER_LOG_LEVEL: 'info',
  };
}

/** Not listening yet; for a test that kills it while it starts. */
export function spawnLedger(settings: Record<string, string>, { before }: StartOptions = {}): ChildProcess {
  const env = { ...process.env, ...settings };
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const child =
    before === undefined
      ? spawn(LAUNCHER, ['ledger'], { env, stdio })
      : spawn('/bin/sh', ['-c', `${before} && exec "$0" ledger`, LAUNCHER], { env, stdio });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  return child;
}

/** Resolves once it listens. */
export async function startLedgerProcess(
  settings: Record<string, string>,
  options?: StartOptions,
): Promise<LedgerProcess> {
  const child = spawnLedger(settings, options);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      said.push(line);
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { url: string }).url);
    });
    void exited.then(() => reject(new Error(`the ledger ended before it listened: ${said.join('\n')}`)));
  });
  return {
    url,
    pid: child.pid!,
    call: callerOf(url),
    said,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

const PATIENCE_MS = 60_000;

/** Waits for what will come; fails when it does not. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
