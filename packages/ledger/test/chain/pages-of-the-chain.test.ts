/** Reading the chain (docs/spec.md §8.1, §17): lists, pages, the NDJSON export, and receipts that leave as they are stored. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { assertChain, assertReceipt, type Receipt } from '../kit/independent.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';

const LANES = ['generic', 'cook', 'incident', 'model-pin', 'generic', 'dataset-download', 'eval'] as const;
const ids = (receipts: Receipt[]) => receipts.map((receipt) => receipt.receipt_id);

eachLedger('the ledger', (ledger) => {
  let tenant: Tenant;
  let chain: Receipt[];
  const get = (path: string, accept = 'application/json'): Promise<Answer> =>
    tenant.ask('auditor', 'GET', path, { headers: { accept } });

  before(async () => {
    tenant = await ledger.tenant();
    chain = [];
    for (const lane of LANES) chain.push(await mintedReceipt(tenant, lane));
  });

  describe('recent receipts', () => {
    test('come newest first', async () => {
      const { json } = await get('/receipts/recent');
      assert.deepEqual(Object.keys(json), ['receipts']);
      assert.deepEqual(json.receipts, chain.toReversed());
    });

    test('are as many as asked for', async () => {
      assert.deepEqual(ids((await get('/receipts/recent?limit=2')).json.receipts), ids(chain.toReversed().slice(0, 2)));
    });

    test('can be those of one schema', async () => {
      const generic = chain.filter((receipt) => receipt.schema === 'service.receipt/v1').toReversed();
      assert.deepEqual(ids((await get('/receipts/recent?schema=service.receipt/v1')).json.receipts), ids(generic));
      assert.deepEqual(
        ids((await get('/receipts/recent?schema=service.receipt/v1&limit=1')).json.receipts),
        ids(generic.slice(0, 1)),
      );
    });

    test('of an unknown schema or an impossible number are 422', async () => {
      for (const query of ['schema=service.other/v1', 'limit=0', 'limit=501', 'limit=-1', 'limit=many'])
        assert.equal((await get(`/receipts/recent?${query}`)).status, 422, query);
    });
  });

  test('one receipt is found by its id, as stored', async () => {
    for (const receipt of chain)
      assert.deepEqual(assertReceipt((await get(`/receipts/${receipt.receipt_id}`)).text), receipt);
  });

  test('a receipt id that was never given is 404', async () => {
    const [known] = chain;
    const other = known.receipt_id.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0'));
    for (const id of [
      other,
      'RCPT-000099-00000000',
      'RCPT-1-00000000',
      'RCPT-999999999999999999-00000000',
      'recen',
      '%22',
      "RCPT-000000-'or'1'='1",
    ])
      assert.equal((await get(`/receipts/${id}`)).status, 404, id);
  });

  describe('GET /ledger', () => {
    test('is the chain in sequence order', async () => {
      const { json } = await get('/ledger');
      assert.deepEqual(json, { receipts: chain, next_after_seq: null });
    });

    test('comes page by page, each receipt once', async () => {
      for (const limit of [1, 3, LANES.length]) {
        const seen: Receipt[] = [];
        let after_seq: number | null = -1;
        while (after_seq !== null) {
          const { json }: Answer = await get(`/ledger?limit=${limit}&after_seq=${after_seq}`);
          assert.ok(json.receipts.length <= limit);
          seen.push(...json.receipts);
          after_seq = json.next_after_seq;
        }
        assert.deepEqual(ids(seen), ids(chain));
      }
    });

    test('after the end is an empty page', async () => {
      assert.deepEqual((await get('/ledger?after_seq=1000')).json, { receipts: [], next_after_seq: null });
    });

    test('with a cursor or page size that cannot be is 422', async () => {
      for (const query of ['after_seq=x', 'after_seq=-2', 'after_seq=1.5', 'after_seq=1e99', 'limit=0', 'limit=501'])
        assert.equal((await get(`/ledger?${query}`)).status, 422, query);
    });

    test('as NDJSON is the whole chain, a canonical receipt per line, and says where it ends', async () => {
      const { text, headers } = await get('/ledger?limit=1', 'application/x-ndjson');
      assert.equal(headers.get('content-type'), 'application/x-ndjson');
      assert.equal(headers.get('ledger-head'), `${chain.length - 1}:${chain.at(-1).receipt_sha256}`);
      assert.ok(text.endsWith('\n'));
      assert.deepEqual(assertChain(text.split('\n').slice(0, -1)), chain);
    });

    test('JSON and NDJSON hold the same bytes of a receipt', async () => {
      const lines = (await get('/ledger', 'application/x-ndjson')).text.split('\n').slice(0, -1);
      const { text } = await get('/ledger');
      for (const line of lines) assert.ok(text.includes(line));
    });
  });

  test('a new organization has an empty ledger that verifies', async () => {
    const fresh = await ledger.tenant();
    assert.deepEqual(await fresh.as('auditor')('GET', '/ledger'), { receipts: [], next_after_seq: null });
    const asked = await fresh.ask('auditor', 'HEAD', '/ledger', { headers: { accept: 'application/x-ndjson' } });
    assert.deepEqual([asked.status, asked.headers.get('content-type')], [200, 'application/x-ndjson']);
    const exported = await fresh.ask('auditor', 'GET', '/ledger', { headers: { accept: 'application/x-ndjson' } });
    assert.deepEqual([exported.status, exported.text, exported.headers.get('ledger-head')], [200, '', null]);
    assert.deepEqual(await fresh.as('auditor')('GET', '/receipts/recent'), { receipts: [] });
    assert.deepEqual(await fresh.as('auditor')('GET', '/ledger/verify'), {
      ok: true,
      receipts_checked: 0,
      head: null,
      violation: null,
      violations: [],
    });
  });

  test('a reader that leaves in the middle of the export takes nothing with it', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${ledger.url}/ledger`, {
      headers: { authorization: `Bearer ${tenant.keys.auditor}`, accept: 'application/x-ndjson' },
      signal: leaving.signal,
    });
    await response.body!.getReader().read();
    leaving.abort();
    assert.equal((await get('/ledger/verify')).json.ok, true);
  });
});
