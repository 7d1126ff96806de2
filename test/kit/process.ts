/**
 * `./rcpt …` in processes of their own, as operators start them, which a test may kill at any moment. What still runs when
 * this process ends is killed then; `killAll` is for suites that want it earlier.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const LAUNCHER = fileURLToPath(new URL('../../rcpt', import.meta.url));

export interface Ended {
  code: number | null;
  signal: string | null;
  /** Everything it wrote, line by line. */
  stderr: string[];
  stdout: string;
}

export interface Rcpt {
  pid: number;
  /** What it wrote to stderr so far, line by line. */
  lines: string[];
  signal(name: NodeJS.Signals): void;
  /** Resolves once all it said has come, however it ended. */
  ended: Promise<Ended>;
  /** Resolves with the first line on stdout; rejects with what it said when it ended before. */
  printed(): Promise<string>;
  /** Calls `hear` with every line on stderr that is still to come. */
  hear(hear: (line: string) => void): void;
  /** Resolves with the first line on stderr that holds these words; rejects with what it said when it ended before. */
  line(words: string): Promise<string>;
  /** SIGKILL: no clean-up of any kind. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGSTOP and SIGCONT: it stands still between two instructions when `freeze` returns. */
  freeze(): void;
  thaw(): void;
}

export interface Where {
  cwd?: string;
  /** A shell command that runs first, e.g. `ulimit -f 100`. */
  before?: string;
}

/** Of this process's environment it has what finds programs and compiled code. */
const INHERITED = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

export function startRcpt(words: string[], environment: NodeJS.ProcessEnv = {}, { cwd, before }: Where = {}): Rcpt {
  const [command, args] =
    before === undefined ? [LAUNCHER, words] : ['/bin/sh', ['-c', `${before} && exec "$0" "$@"`, LAUNCHER, ...words]];
  const child = spawn(command, args, {
    cwd,
    env: { ...INHERITED, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  alive.add(child);
  const lines: string[] = [];
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  const first = new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
  const reader = createInterface(child.stderr).on('line', (line) => lines.push(line));
  // Not at its exit: what it said may still be on its way then.
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      alive.delete(child);
      resolve({ code, signal, stderr: lines, stdout });
    });
  });
  return {
    pid: child.pid!,
    lines,
    signal: (name) => void child.kill(name),
    ended,
    hear: (hear) => void reader.on('line', hear),
    printed: () => Promise.race([first, ended.then(() => Promise.reject(new Error(lines.join('\n'))))]),
    line: (words) =>
      new Promise((resolve, reject) => {
        const said = lines.find((line) => line.includes(words));
        if (said !== undefined) return resolve(said);
        reader.on('line', (line) => line.includes(words) && resolve(line));
        void ended.then(() => reject(new Error(`it ended before it said ${words}: ${lines.join('\n')}`)));
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      return (await ended).code;
    },
    freeze() {
      child.kill('SIGSTOP');
      awaitStop(child.pid!);
    },
    thaw: () => void child.kill('SIGCONT'),
  };
}

/** Runs it to its end, in an environment of nothing but `environment` and what finds programs. */
export function rcpt(words: string[], environment: NodeJS.ProcessEnv = {}, where: Where = {}): Promise<Ended> {
  return startRcpt(words, environment, where).ended;
}

export interface Service extends Rcpt {
  url: string;
}

/** Resolves once it listens; throws what it said when it ended before. */
export async function startService(
  name: 'ledger' | 'router',
  environment: NodeJS.ProcessEnv,
  where?: Where,
): Promise<Service> {
  const started = startRcpt([name], environment, where);
  const { url } = JSON.parse(await started.line('"msg":"listening"')) as { url: string };
  return { ...started, url };
}

/** `./rcpt up` on free ports; resolves with the line it prints once all of it stands. */
export async function startUp<Standing>(data: string): Promise<{ standing: Standing; stop(): Promise<number | null> }> {
  const started = startRcpt(['up', '--data', data, '--json'], {
    ...process.env,
    LEDGER_PORT: '0',
    ROUTER_PORT: '0',
    // A test machine may be busy with others: that is not what is tested here.
    LEDGER_OVERLOAD_DELAY_MS: '60000',
    ROUTER_OVERLOAD_DELAY_MS: '60000',
  });
  return { standing: JSON.parse(await started.printed()) as Standing, stop: started.stop };
}

/** Everything that was started here, a frozen one too. */
export async function killAll(): Promise<void> {
  const running = [...alive];
  for (const child of running) child.kill('SIGKILL');
  await until('what was started has ended', () => running.every((child) => !alive.has(child)));
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
  const deadline = performance.now() + 60_000;
  while (!readdirSync(tasks).every(stands))
    if (performance.now() > deadline) throw new Error(`in vain: process ${pid} stands still`);
}
