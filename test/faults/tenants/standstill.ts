/** What every attack would like to do: the ledger stands still for a while, again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './victim.ts';

export const attack: Attack = async ({ pid, signal }) => {
  while (!signal.aborted) {
    process.kill(pid, 'SIGSTOP');
    await sleep(2_500);
    process.kill(pid, 'SIGCONT');
    await sleep(500);
  }
};
