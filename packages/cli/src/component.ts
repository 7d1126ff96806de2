/** One component as a child process: started, watched, drained. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fromHere } from '@rcpt/contract/address.ts';

const LAUNCHER = fileURLToPath(new URL('../../../rcpt', import.meta.url));

/**
 * The component in a process group of its own, so that Ctrl-C in a terminal reaches it through us and once; beside it a
 * watcher on a pipe to us: when we are killed the pipe closes and the component is killed too. That costs nothing, every
 * store recovers at its start, and the next start finds ports and folders free.
 */
const GUARD = `trap : TERM INT HUP
(trap '' TERM INT HUP; read -r _; kill -KILL 0) <&3 >/dev/null 2>&1 & watch=$!
"$@" 3<&-
code=$?
kill -KILL $watch
exit $code`;

/** The one line a component said when it did not start, and its exit code. */
export class NotStarted extends Error {
  readonly exit_code: number;

  constructor(said: string, exit_code: number) {
    super(said);
    this.exit_code = exit_code;
  }
}

export interface Component {
  name: string;
  /** Resolves once it works, with where it is reached from this machine. Rejects with `NotStarted`. */
  ready: Promise<string>;
  /** Resolves with the exit code, when it ends for whatever reason. */
  ended: Promise<number>;
  /** SIGTERM, then waits for the drain. A second call does not wait: see the component's own second SIGTERM. */
  stop(): Promise<number>;
}

export function startComponent(
  words: [name: string, ...args: string[]],
  environment: Record<string, string>,
  onLog: (line: string) => void,
): Component {
  const [name] = words;
  const child = spawn('/bin/sh', ['-c', GUARD, 'sh', LAUNCHER, ...words], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = exitOf(child);
  const lines = createInterface({ input: child.stderr! });
  const ready = new Promise<string>((resolve, reject) => {
    let said = '';
    let isReady = false;
    lines.on('line', (line) => {
      const entry = parsed(line);
      if (entry?.msg === 'listening' || entry?.msg === 'ready') {
        isReady = true;
        resolve(typeof entry.url === 'string' ? fromHere(entry.url) : '');
      } else if (entry === null) said = line;
      // The line that says why it does not start is the caller's to show.
      if (entry === null ? isReady : isWarning(entry)) onLog(line);
    });
    lines.once('close', async () => reject(new NotStarted(said || `${name} ended before it was ready`, await ended)));
  });
  ready.catch(() => undefined);
  return {
    name,
    ready,
    ended,
    stop() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM');
      return ended;
    },
  };
}

async function exitOf(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function isWarning({ level }: Record<string, unknown>): boolean {
  return level === 'warn' || level === 'error' || level === 'fatal';
}
