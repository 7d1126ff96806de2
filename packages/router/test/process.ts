/** The router as operators run it: `./rcpt router` in a process of its own, which a test may kill at any moment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../../rcpt', import.meta.url));

export interface RouterProcess {
  url: string;
  /** Every line on stderr so far. */
  said: string[];
  /** SIGKILL: no clean-up of any kind. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const alive = new Set<ChildProcess>();
after(async () => {
  for (const child of alive) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** Not listening yet. */
export function spawnRouter(environment: Record<string, string>): { child: ChildProcess; said: string[] } {
  const env = { ...process.env, ROUTER_PORT: '0', ...environment };
  const child = spawn(LAUNCHER, ['router'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  const said: string[] = [];
  createInterface({ input: child.stderr! }).on('line', (line) => said.push(line));
  return { child, said };
}

/** Resolves once it listens; throws what it said when it does not. */
export async function startRouterProcess(environment: Record<string, string>): Promise<RouterProcess> {
  const { child, said } = spawnRouter(environment);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { url: string }).url);
    });
    void exited.then(() => reject(new Error(`the router ended before it listened: ${said.join('\n')}`)));
  });
  return {
    url,
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
  };
}
