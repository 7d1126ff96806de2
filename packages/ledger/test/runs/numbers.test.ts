/** Numbers from a body to the sealed bytes: what RFC 8785 writes and every reader reads alike is taken as it is (docs/spec.md §3.1, §11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { eachLedger } from '../kit/running.ts';
import { mintedReceipt, WORK } from '../kit/story.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

eachLedger('numbers', (ledger) => {
  test('a number far beyond the integers is sealed in its exponent form', async () => {
    const tenant = await ledger.tenant();
    // The numbers of RFC 8785, section 3.2.2.
    const card = { numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001] };
    const written = '{"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}';
    const pin = await mintedReceipt(tenant, 'model-pin', { inputs: { card, card_sha256: undefined } });
    assert.equal(pin.model.card_sha256, sha256Hex(written));

    const { receipt_id } = await mintedReceipt(tenant, 'generic', { inputs: { card } });
    const { text } = await tenant.ask('auditor', 'GET', `/receipts/${receipt_id}`);
    assert.ok(text.includes(`"card":${written}`), text);
  });

  test('an integer that is no longer exact is refused, however it is written', async () => {
    const tenant = await ledger.tenant();
    const inputs = JSON.stringify(WORK.generic.inputs).slice(0, -1);
    const numbers = ['9007199254740992', '-9007199254740993', '1e16', '1e20', '1000000000000000000000000000000'];
    for (const number of numbers) {
      const raw = `{"lane":"generic","title":"A number","inputs":${inputs},"number":${number}}}`;
      const { status, json } = await tenant.ask('agent', 'POST', '/runs', { raw, headers: JSON_TYPE });
      assert.deepEqual([status, json.code], [422, 'not_representable'], number);
      assert.match(json.detail, /\/inputs\/number/);
    }
    assert.deepEqual((await tenant.as('auditor')('GET', '/runs')).runs, []);
  });
});
