/**
 * The ledger as operators run it: `./rcpt ledger` in a process of its own, which a test may kill at any moment. What is
 * still running when a test ends is killed then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN, callerOf, type RunningTest } from '../../packages/ledger/test/kit/running.ts';

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
  /** SIGSTOP and SIGCONT: it stands still between two instructions, when `freeze` returns. */
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
    // They mail one mailbox all they mint.
    LEDGER_ORGANIZATION_RECEIPT_MAILS_PER_HOUR: '100000',
    LEDGER_MAILBOX_RECEIPT_MAILS_PER_HOUR: '200000',
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
  // Not at its exit: what it said may still be on its way then.
  const closed = once(child, 'close') as Promise<[number | null]>;
  const said: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      said.push(line);
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { url: string }).url);
    });
    void closed.then(() => reject(new Error(`the ledger ended before it listened: ${said.join('\n')}`)));
  });
  return {
    url,
    pid: child.pid!,
    call: callerOf(url),
    said,
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await closed;
      return code;
    },
    freeze() {
      child.kill('SIGSTOP');
      awaitStop(child.pid!);
    },
    thaw: () => void child.kill('SIGCONT'),
  };
}

/** The signal is on its way when `kill` returns. Where the system does not show its threads it has to be taken on trust. */
function awaitStop(pid: number): void {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return;
  const stands = (task: string) => {
    try {
      return /\) [Tt] /.test(readFileSync(`${tasks}/${task}/stat`, 'utf8'));
    } catch {
      // A thread that has just ended.
      return false;
    }
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (!readdirSync(tasks).every(stands))
    if (performance.now() > deadline) throw new Error(`in vain: process ${pid} stands still`);
}

/** Longer than the copier of a killed ledger keeps what it had taken on. */
const PATIENCE_MS = 300_000;

/** Waits for what will come; fails when it does not. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
