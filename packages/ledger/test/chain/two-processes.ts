/** Several ledgers on one database: still one chain per organization (docs/spec.md §13.4), and what one decides, all hold to. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { wholeChain } from '../kit/independent.ts';
import { type LedgerProcess, ledgerProcess } from '../kit/process.ts';
import { boundTo, type Tenant, tenantOf } from '../kit/running.ts';
import { runAt, WORK } from '../kit/story.ts';

const LANES = Object.keys(WORK).filter((lane) => lane !== 'eval') as LaneName[];

/** @param suite gets a new tenant, seen through each of the two ledgers */
export function twoLedgers(suite: (tenants: () => Promise<Tenant[]>, ledgers: LedgerProcess[]) => void): void {
  eachEngine('two ledgers on one database', MIGRATIONS, (fresh) => {
    describe('two processes', () => {
      const ledgers: LedgerProcess[] = [];
      before(async () => {
        const { url } = await fresh();
        ledgers.push(...(await Promise.all([ledgerProcess(url), ledgerProcess(url)])));
      });
      after(async () => {
        for (const ledger of ledgers) ledger.signal('SIGTERM');
        for (const ledger of ledgers) assert.equal((await ledger.ended).code, 0);
      });
      const tenants = async () => {
        const first = await tenantOf(ledgers[0]!.call);
        return ledgers.map(({ call }) => boundTo(call, first));
      };
      suite(tenants, ledgers);
    });
  });
}

export function mintThroughBoth(tenants: () => Promise<Tenant[]>, clients: number, mints_each: number): void {
  test(`${clients} clients that mint through both leave one chain, no gap, no fork, and meet no error`, async () => {
    const through = await tenants();
    const client = async (n: number) => {
      const statuses = [];
      for (let i = 0; i < mints_each; i++) {
        // Opened here, minted there.
        const id = await runAt(through[n % 2]!, 'Approval', LANES[(n + i) % LANES.length]);
        statuses.push((await through[(n + i) % 2]!.ask('approver', 'POST', `/runs/${id}/receipt`)).status);
      }
      return statuses;
    };
    const statuses = (await Promise.all(Array.from({ length: clients }, (_, n) => client(n)))).flat();
    assert.deepEqual(new Set(statuses), new Set([201]));
    const chains = await Promise.all(through.map(wholeChain));
    assert.equal(chains[0]!.length, clients * mints_each);
    assert.deepEqual(chains[0], chains[1]);
  });
}
