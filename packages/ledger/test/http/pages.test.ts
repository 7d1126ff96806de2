/** Pages of Runs and of the chain: where one ends, and what a cursor may be (docs/spec.md §11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachLedger } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';

eachLedger('pages', (ledger) => {
  test('a full page that is the last says so', async () => {
    const tenant = await ledger.tenant();
    const auditor = tenant.as('auditor');
    for (let i = 0; i < 3; i++) await mintedReceipt(tenant);
    for (const [limit, next] of [
      [2, 1],
      [3, null],
      [4, null],
    ] as const)
      assert.equal((await auditor('GET', `/ledger?limit=${limit}`)).next_after_seq, next, `${limit} receipts`);
    assert.equal((await auditor('GET', '/ledger?limit=1&after_seq=1')).next_after_seq, null);

    const { runs } = await auditor('GET', '/runs');
    const ids = runs.map((run: { id: string }) => run.id);
    for (const [limit, next] of [
      [2, ids[1]],
      [3, null],
      [4, null],
    ])
      assert.equal((await auditor('GET', `/runs?limit=${limit}`)).next_after, next, `${limit} Runs`);
    assert.equal((await auditor('GET', `/runs?limit=1&after=${ids[1]}`)).next_after, null);
    assert.equal((await auditor('GET', '/runs?limit=3&lane=generic&stage=Receipt')).next_after, null);
  });

  test('a cursor or size is written in digits: an empty one does not stand for 0', async () => {
    const tenant = await ledger.tenant();
    await mintedReceipt(tenant);
    const numbers: Record<string, string[]> = {
      '/ledger': ['after_seq', 'limit'],
      '/receipts': ['before_seq', 'limit'],
      '/receipts/recent': ['limit'],
      '/runs': ['limit'],
    };
    for (const [path, names] of Object.entries(numbers))
      for (const name of names)
        for (const value of ['', '%20', '0x1', '1e0', '1.0', '%201', 'true', `1&${name}=1`]) {
          const { status, json } = await tenant.ask('auditor', 'GET', `${path}?${name}=${value}`);
          assert.deepEqual(
            [status, json.code, json.errors?.[0]?.path],
            [422, 'invalid', name],
            `${path} ${name}=${value}`,
          );
        }
    assert.equal((await tenant.as('auditor')('GET', '/ledger?after_seq=-1&limit=1')).receipts.length, 1);
  });

  test('the export holds the receipts also when somebody took the recorded head away', async () => {
    const tenant = await ledger.doomedTenant();
    await mintedReceipt(tenant);
    const headers = { accept: 'application/x-ndjson' };
    const whole = await tenant.ask('auditor', 'GET', '/ledger', { headers });
    await ledger.db.run('delete from chains where organization_id = $1', [tenant.organization_id]);
    const headless = await tenant.ask('auditor', 'GET', '/ledger', { headers });
    assert.deepEqual([headless.text, headless.headers.get('ledger-head')], [whole.text, null]);
    const { violation } = await tenant.as('auditor')('GET', '/ledger/verify');
    assert.equal(violation.kind, 'head_mismatch');
  });
});
