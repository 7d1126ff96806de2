/** The router as operators run it: `./rcpt router` in a process of its own, which a test may kill at any moment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../../../rcpt', import.meta.url));

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
  // A test machine may be busy with others: that is not what is tested here.
  const usual = { ROUTER_PORT: '0', ROUTER_OVERLOAD_DELAY_MS: '60000' };
  const env = { ...process.env, ...usual, ...environment };
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
  // Not at its exit: what it said may still be on its way then.
  const closed = once(child, 'close') as Promise<[number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr! }).on('line', (line) => {
      if (line.includes('"msg":"listening"')) resolve((JSON.parse(line) as { url: string }).url);
    });
    void closed.then(() => reject(new Error(`the router ended before it listened: ${said.join('\n')}`)));
  });
  return {
    url,
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
  };
}
