/** The longest list of the smallest Runs, asked for again and again by many readers. */
import { type Attack, type Prepare, unharmedBy } from './victim.ts';

const RUNS = 500;
const AT_ONCE = 25;
const READERS = 32;

export const prepare: Prepare = async ({ tenant }) => {
  const open = (_: unknown, i: number) =>
    tenant.as('agent')('POST', '/runs', { lane: 'generic', title: `Run ${i}`, inputs: { task: 'Look at it' } });
  for (let i = 0; i < RUNS; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, open));
};

export const attack: Attack = async ({ call, tenant, signal }) => {
  const read = async () => {
    while (!signal.aborted) await call('GET', `/runs?limit=${RUNS}`, { token: tenant.keys.auditor });
  };
  await Promise.all(Array.from({ length: READERS }, read));
};

unharmedBy('lists of many Runs', import.meta.url);
