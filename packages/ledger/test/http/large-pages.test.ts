/** Pages end at a number of bytes: what an organization may store it may not read in one answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';

const LARGE = 'x'.repeat(900_000);
const RUNS = 7;
/** Two Runs of this size hold more than a page: each has its inputs twice once it is approved. */
const PAGE_BYTES = 6_000_000;

eachLedger('large pages', (ledger) => {
  async function read(tenant: Tenant, path: string) {
    const { status, text, json } = await ledger.call('GET', path, { token: tenant.keys.auditor });
    assert.equal(status, 200, text.slice(0, 200));
    assert.ok(text.length < PAGE_BYTES, `${path}: ${text.length} bytes`);
    return json;
  }

  test('Runs and receipts of almost a megabyte come in several pages, each once and in order', async () => {
    const tenant = await ledger.tenant();
    const minted: string[] = [];
    for (let i = 0; i < RUNS; i++)
      minted.push((await mintedReceipt(tenant, 'generic', { inputs: { large: LARGE } })).receipt_id);

    const runs: string[] = [];
    for (let after = ''; ; ) {
      const page = await read(tenant, `/runs?limit=500${after}`);
      runs.push(...page.runs.map((run: { receipt_id: string }) => run.receipt_id));
      if (page.next_after === null) break;
      after = `&after=${page.next_after}`;
    }
    assert.deepEqual(runs, minted.toReversed());

    const receipts: string[] = [];
    for (let after_seq = -1; ; ) {
      const page = await read(tenant, `/ledger?limit=500&after_seq=${after_seq}`);
      receipts.push(...page.receipts.map((receipt: { receipt_id: string }) => receipt.receipt_id));
      if (page.next_after_seq === null) break;
      after_seq = page.next_after_seq;
    }
    assert.deepEqual(receipts, minted);

    const recent = await read(tenant, '/receipts/recent?limit=500');
    assert.deepEqual(
      recent.receipts.map((receipt: { receipt_id: string }) => receipt.receipt_id),
      minted.toReversed().slice(0, recent.receipts.length),
    );
    assert.ok(recent.receipts.length >= 4 && recent.receipts.length < RUNS);

    const headers = { accept: 'application/x-ndjson' };
    const whole = await ledger.call('GET', '/ledger', { token: tenant.keys.auditor, headers });
    assert.equal(whole.text.trimEnd().split('\n').length, RUNS);
  });
});
