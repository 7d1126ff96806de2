/** Starts and stops the throw-away server of `postgres-server.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface PostgresServer {
  /** A superuser's. */
  url: string;
  /** Ends the server and deletes its files; so does the end of this process, however it comes. */
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const script = fileURLToPath(new URL('postgres-server.ts', import.meta.url));
  // Its own process group: Ctrl-C in a terminal reaches the tests first, and the tests end the server.
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  const url = await Promise.race([once(lines, 'line').then(([line]) => String(line)), closed.then(() => null)]);
  if (url === null) throw new Error('PostgreSQL did not start; its log is above');
  return {
    url,
    async stop() {
      child.stdin.end();
      await closed;
    },
  };
}
