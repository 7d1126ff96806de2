/** One component as a child process: started, watched, drained. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../../rcpt', import.meta.url));

export interface Component {
  name: string;
  url: string;
  /** Resolves with the exit code, when it ends for whatever reason. */
  ended: Promise<number>;
  /** SIGTERM, then waits for the drain. */
  stop(): Promise<number>;
}

/** Resolves once the component listens. Throws with the one line it said when it does not start. */
export async function startComponent(name: string, environment: Record<string, string>, onLog: (line: string) => void): Promise<Component> {
  const child = spawn(LAUNCHER, [name], { env: { ...process.env, ...environment }, stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = exitOf(child);
  const lines = createInterface({ input: child.stderr! });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    lines.on('line', (line) => {
      const entry = parsed(line);
      if (entry?.msg === 'listening' && typeof entry.url === 'string') resolve(entry.url);
      else if (entry === null) said = line;
      if (entry === null || worthReading(entry)) onLog(line);
    });
    void ended.then(() => reject(new Error(said || `${name} ended before it listened`)));
  });
  return {
    name,
    url,
    ended,
    stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
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

function worthReading({ level }: Record<string, unknown>): boolean {
  return level === 'warn' || level === 'error' || level === 'fatal';
}
