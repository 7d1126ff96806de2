/** Large Runs, minted many at once: what is sealed is the same to the byte, and others have their turns between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertReceipt, wholeChain } from '../kit/independent.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { approvedRun, mintedReceipt } from '../kit/story.ts';

/** A third of what one transaction takes of large ones. */
const TEXT = 'A "text" of {words}, [é😀] \\ '.repeat(12_000);

const mint = (tenant: Tenant, id: string) => tenant.ask('approver', 'POST', `/runs/${id}/receipt`);

async function largeRuns(tenant: Tenant, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await approvedRun(tenant, 'generic', { inputs: { text: TEXT } }));
  return ids;
}

eachLedger('large Runs', (ledger) => {
  test('minted at once, each of them twice, make one chain', async () => {
    const tenants = [await ledger.tenant(), await ledger.tenant()];
    const runs = await Promise.all(tenants.map((tenant) => largeRuns(tenant, 8)));
    const minted = await Promise.all(
      tenants.map((tenant, i) => Promise.all([...runs[i]!, ...runs[i]!].map((id) => mint(tenant, id)))),
    );
    for (const [i, tenant] of tenants.entries()) {
      const answers = minted[i]!;
      assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(8).fill(200), ...Array(8).fill(201)]);
      for (const [k, { text }] of answers.entries()) {
        assert.equal(text, answers[(k + 8) % 16]!.text);
        assert.equal(assertReceipt(text).run.inputs.text, TEXT);
      }
      assert.equal((await wholeChain(tenant)).length, 8);
      assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
    }
  });

  test('of one organization leave another its turn', async () => {
    const [greedy, other] = [await ledger.tenant(), await ledger.tenant()];
    const [many, one] = [await largeRuns(greedy, 24), await approvedRun(other)];
    let answered = 0;
    const mints = many.map((id) =>
      mint(greedy, id)
        .then(({ status }) => status, String)
        .finally(() => answered++),
    );
    await Promise.race(mints);
    assert.equal((await mint(other, one)).status, 201);
    assert.ok(answered <= 16, `${answered} were minted first`);
    assert.deepEqual(new Set(await Promise.all(mints)), new Set([201]));
    assert.equal((await wholeChain(greedy)).length, 24);
  });

  test('that cannot be minted do not keep others waiting, and are told why', async () => {
    const tenant = await ledger.tenant();
    const [bad, ...good] = await largeRuns(tenant, 4);
    await ledger.db.run(`update run_documents set approved_block = '{' || approved_block where id = $1`, [bad!]);
    const answers = await Promise.all([bad!, ...good, 'run_unknown'].map((id) => mint(tenant, id)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [409, 201, 201, 201, 404],
    );
    assert.equal(answers[0]!.json.code, 'approval_mismatch');
  });

  test('of cooks seal the pin of their model, whatever their metrics hold', async () => {
    const tenant = await ledger.tenant();
    const pin = await mintedReceipt(tenant, 'model-pin');
    const metrics = {
      duration_seconds: 5400,
      text: TEXT,
      cook: { base_model: 'acme/other' },
      base_model: 'acme/tiny-1b',
    };
    const id = await approvedRun(tenant, 'cook', { execution: { metrics } });
    const receipt = assertReceipt((await mint(tenant, id)).text);
    assert.deepEqual(receipt.cook.metrics, metrics);
    assert.equal(receipt.pinned_model.pin_receipt_sha256, pin.receipt_sha256);
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
  });
});
