/**
 * A port that stays a test's own while no server listens on it, for what has to come back where it was. The system gives such a
 * port to no process that asks for any free one, and test processes that run beside each other look at different ones.
 */
import { createServer } from 'node:net';

/** Below the ports that systems hand out by themselves. */
const FIRST = 20_000;
const PER_PROCESS = 20;
const PROCESSES = 600;
let looked = 0;

export async function ownPort(): Promise<number> {
  for (let tries = 0; tries < PER_PROCESS; tries++) {
    const port = FIRST + (process.pid % PROCESSES) * PER_PROCESS + (looked++ % PER_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error(`all of the ${PER_PROCESS} ports of this process are taken`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
