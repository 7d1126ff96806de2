/** What one of two ledgers decides, both hold to; `two-processes.full.test.ts` has more clients. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeChain } from '../kit/independent.ts';
import type { Tenant } from '../kit/running.ts';
import { runAt, WORK } from '../kit/story.ts';
import { mintThroughBoth, twoLedgers } from './two-processes.ts';

twoLedgers((tenants, ledgers) => {
  mintThroughBoth(tenants, 12, 2);

  test('one Run minted through both at once has one receipt', async () => {
    const through = await tenants();
    for (let round = 0; round < 5; round++) {
      const id = await runAt(through[0]!, 'Approval');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => through[n % 2]!.ask('approver', 'POST', `/runs/${id}/receipt`)),
      );
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(19).fill(200), 201]);
    }
    assert.equal((await wholeChain(through[1]!)).length, 5);
  });

  test('one Idempotency-Key sent to both at once creates one Run', async () => {
    const through = await tenants();
    const body = { lane: 'generic', title: 'x', inputs: WORK.generic.inputs };
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        through[n % 2]!.ask('agent', 'POST', '/runs', { body, headers: { 'idempotency-key': 'one' } }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal((await through[1]!.as('auditor')('GET', '/runs')).runs.length, 1);
  });

  test('one approval and one rejection at once through both: one of them decides', async () => {
    const through = await tenants();
    const id = await runAt(through[0]!, 'Verdict');
    const answers = await Promise.all(
      (['approved', 'rejected'] as const).map((decision, n) =>
        through[n]!.ask('approver', 'POST', `/runs/${id}/approval`, { body: { decision } }),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  });

  test('two owners who revoke each other at once through both leave one owner', async () => {
    const [here, there] = (await tenants()) as [Tenant, Tenant];
    const [first] = (await here.as('owner')('GET', '/keys')).keys;
    const second = await here.as('owner')('POST', '/keys', { role: 'owner' });
    const call = (method: string, path: string) => ledgers[1]!.call(method, path, { token: second.api_key });
    assert.equal((await call('GET', '/keys')).status, 200);
    const answers = await Promise.all([
      here.ask('owner', 'DELETE', `/keys/${second.id}`),
      call('DELETE', `/keys/${first.id}`),
    ]);
    assert.equal(
      answers.filter(({ status }) => status === 200).length,
      1,
      JSON.stringify(answers.map(({ text }) => text)),
    );
    assert.equal((await there.ask('auditor', 'GET', '/ledger')).status, 200);
  });

  test('a key revoked through one is refused by the other', async () => {
    const [here, there] = (await tenants()) as [Tenant, Tenant];
    const { keys } = await here.as('owner')('GET', '/keys');
    assert.equal((await there.ask('auditor', 'GET', '/ledger')).status, 200);
    await here.as('owner')('DELETE', `/keys/${keys.find((key: { role: string }) => key.role === 'auditor').id}`);
    const deadline = performance.now() + 60_000;
    while ((await there.ask('auditor', 'GET', '/ledger')).status !== 401)
      assert.ok(performance.now() < deadline, 'it is still let in');
  });

  test('a receipt minted through one is shared, listed and verified by the other', async () => {
    const [here, there] = (await tenants()) as [Tenant, Tenant];
    const id = await runAt(here, 'Approval');
    const { json: receipt, text } = await here.ask('approver', 'POST', `/runs/${id}/receipt`);
    assert.equal((await ledgers[1]!.call('GET', new URL(receipt.share_url).pathname)).text, text);
    assert.equal((await there.as('auditor')('GET', '/receipts/recent')).receipts[0].receipt_id, receipt.receipt_id);
    assert.equal((await wholeChain(there)).length, 1);
  });
});
