/** No attack at all: another tenant at work. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './victim.ts';

export const attack: Attack = async ({ call, tenant, signal }) => {
  while (!signal.aborted) {
    await call('GET', '/organization', { token: tenant.keys.auditor });
    await sleep(50);
  }
};
