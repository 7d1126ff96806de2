/** Starts, stops and starts again the server of `own-postgres-server.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface OwnPostgres {
  /** A superuser's; the same after a restart. */
  url: string;
  /** As a crash: open transactions are gone, committed ones are not. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and deletes its files; so does the end of this process, however it comes. */
  remove(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const script = fileURLToPath(new URL('own-postgres-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await lines.next()).value);
  const url = await nextLine();
  async function tell(command: string): Promise<void> {
    child.stdin.write(`${command}\n`);
    const said = await nextLine();
    if (said !== command) throw new Error(`PostgreSQL did not ${command}: ${said}`);
  }
  return {
    url,
    crash: () => tell('stop'),
    start: () => tell('start'),
    async remove() {
      child.stdin.end();
      await closed;
    },
  };
}
