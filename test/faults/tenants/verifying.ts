/** An organization that verifies its chain again and again, with more callers than it has turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './victim.ts';

const CALLERS = 16;

export const verifyAgain: Attack = async ({ call, tenant, signal }) => {
  const verify = async () => {
    while (!signal.aborted) {
      const asked = call('GET', '/ledger/verify', { token: tenant.keys.auditor }).catch(() => null);
      const answer = await Promise.race([asked, stopped(signal)]);
      if (answer !== 'stopped' && answer?.status !== 200) await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, verify));
};

function stopped(signal: AbortSignal): Promise<'stopped'> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'), { once: true }));
}
