/** A ledger in a process of its own, as an operator starts it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ADMIN_TOKEN, callerOf, type RunningTest } from './running.ts';

const LAUNCHER = fileURLToPath(new URL('../../../../rcpt', import.meta.url));

export interface Ended {
  code: number | null;
  signal: string | null;
  /** Everything it wrote, line by line. */
  stderr: string[];
  stdout: string;
}

/** Runs `./rcpt …` to its end, in an environment of nothing but `environment`. */
export async function rcpt(args: string[], environment: Record<string, string>): Promise<Ended> {
  return launch(args, environment).ended;
}

export interface LedgerProcess {
  url: string;
  pid: number;
  call: RunningTest['call'];
  /** What it has said so far. */
  lines: string[];
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
  /** Resolves when it has ended, however that came. */
  ended: Promise<Ended>;
}

/** Resolves with its first log line; throws what it said when it ended before. */
export async function ledgerProcess(
  database_url: string,
  environment: Record<string, string> = {},
): Promise<LedgerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-process-'));
  const { child, lines, firstLine, ended } = launch(['ledger'], {
    LEDGER_PORT: '0',
    LEDGER_DATABASE_URL: database_url,
    LEDGER_STORAGE_URL: `file:${folder}/objects`,
    LEDGER_SMTP_URL: `file:${folder}/outbox`,
    LEDGER_ADMIN_TOKEN: ADMIN_TOKEN,
    // A test machine may be busy with others: that is not what is tested here.
    LEDGER_OVERLOAD_DELAY_MS: '60000',
    ...environment,
  });
  void ended.then(() => rmSync(folder, { recursive: true, force: true }));
  const first = await Promise.race([
    firstLine,
    ended.then(({ stderr }) => Promise.reject(new Error(stderr.join('\n')))),
  ]);
  const { port } = JSON.parse(first) as { port: number };
  const url = `http://127.0.0.1:${port}`;
  return { url, pid: child.pid!, call: callerOf(url), lines, signal: (name) => child.kill(name), ended };
}

function launch(args: string[], environment: Record<string, string>) {
  const child = spawn(LAUNCHER, args, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  const reader = createInterface(child.stderr);
  const firstLine = new Promise<string>((resolve) => reader.once('line', resolve));
  reader.on('line', (line) => lines.push(line));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stderr: lines, stdout }));
  });
  return { child, lines, firstLine, ended };
}
