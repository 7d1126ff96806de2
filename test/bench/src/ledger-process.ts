/** The real thing: `./rcpt ledger` or `./rcpt router` in a process of its own, and what the kernel says about it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const HOME = fileURLToPath(new URL('../../..', import.meta.url));

export interface ServiceProcess {
  port: number;
  pid: number;
  /** From spawn to the first 200 of its health endpoint. */
  healthy_after_ms: number;
  /** Bytes resident now, and at most since `forgetPeak` or the start. */
  memory(): { resident: number; peak: number };
  forgetPeak(): void;
  /** Processor time so far in microseconds: of the main thread, and of all. */
  cpu(): { main_us: number; all_us: number };
  stop(): Promise<void>;
  /** As a crash would. */
  kill(): Promise<void>;
}
export type LedgerProcess = ServiceProcess;

/** `folder` gets log, objects and mails; a second start in it goes on. Further settings: `environment`. */
export function startLedgerProcess(
  database_url: string,
  folder: string,
  environment: Record<string, string> = {},
): Promise<LedgerProcess> {
  return startProcess('ledger', '/healthz', folder, {
    LEDGER_PORT: '0',
    LEDGER_DATABASE_URL: database_url,
    LEDGER_STORAGE_URL: `file:${folder}/objects`,
    LEDGER_SMTP_URL: `file:${folder}/outbox`,
    LEDGER_SHARE_REQUESTS_PER_MINUTE: '100000000',
    LEDGER_MASTER_KEY_FILE: `${folder}/master.key`,
    ...environment,
  });
}

/** `folder` gets its log. */
export async function startProcess(
  component: 'ledger' | 'router',
  health: string,
  folder: string,
  environment: Record<string, string>,
): Promise<ServiceProcess> {
  const log = join(folder, `${component}-${process.hrtime.bigint()}.log`);
  const file = openSync(log, 'a');
  const began = performance.now();
  const child = spawn(join(HOME, 'rcpt'), [component], {
    cwd: folder,
    stdio: ['ignore', 'ignore', file],
    env: {
      PATH: process.env.PATH,
      // For a profile: `BENCH_NODE_OPTIONS=--cpu-prof npm run bench`; it lands in `folder`.
      NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '',
      ...environment,
    },
  });
  closeSync(file);
  // A bench that fails leaves nothing running.
  const end = () => void child.kill();
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  const port = await listening(child, log);
  while (!(await healthy(port, health))) await sleep(1);
  const healthy_after_ms = performance.now() - began;
  const pid = child.pid!;
  return {
    port,
    pid,
    healthy_after_ms,
    memory: () => memoryOf(pid),
    // The kernel's word for: begin a new VmHWM.
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    cpu: () => ({ main_us: cpuOf(`/proc/${pid}/task/${pid}/stat`), all_us: cpuOf(`/proc/${pid}/stat`) }),
    stop: () => ended(child, 'SIGTERM'),
    kill: () => ended(child, 'SIGKILL'),
  };
}

async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** The port in the first log line. */
async function listening(child: ChildProcess, log: string): Promise<number> {
  for (;;) {
    const text = readFileSync(log, 'utf8');
    const port = /"port":(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
    if (child.exitCode !== null) throw new Error(`it did not start: ${text}`);
    await sleep(1);
  }
}

async function healthy(port: number, path: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}${path}`).then(
    (response) => response.arrayBuffer().then(() => response.status === 200),
    () => false,
  );
}

function memoryOf(pid: number): { resident: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const bytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000;

function cpuOf(path: string): number {
  const stat = readFileSync(path, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}
