/** A chain of 50,000 receipts that its organization verifies again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chainOf } from '../../bench/src/prepare.ts';
import { type Attack, unharmedBy } from './victim.ts';

const RECEIPTS = 50_000;
const CALLERS = 16;

export const attack: Attack = async ({ call, tenant, signal }) => {
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

unharmedBy('a long chain that is verified again and again', import.meta.url, {
  engines: ['sqlite', 'postgres'],
  before: (db, { attacker: { organization_id } }) =>
    chainOf(db, { organization_id, name: 'Attacker', api_key: '', key_id: 'key_0' }, RECEIPTS, () => undefined),
});
