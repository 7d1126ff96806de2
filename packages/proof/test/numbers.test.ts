import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '../src/canonical.ts';
import { ChainVerifier } from '../src/chain.ts';
import { parseStrict } from '../src/parse.ts';
import { verifyReceipt } from '../src/receipt.ts';
import { chainOf } from './kit/receipts.ts';

const canonical = (text: string) => canonicalize(parseStrict(text));

test('a number that is written with an exponent has one canonical form, as in RFC 8785', () => {
  const forms: [string, string][] = [
    ['1E30', '1e+30'],
    ['-1e21', '-1e+21'],
    ['1000000000000000000000.0', '1e+21'],
    ['295147905179352830000000', ''],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
    ['9.5367431640625e+22', '9.5367431640625e+22'],
  ];
  for (const [text, form] of forms)
    if (form === '') assert.throws(() => parseStrict(text), { code: 'integer_too_large' }, text);
    else assert.equal(canonical(text), form);
});

test('what would be read as an integer beyond 2^53 is refused, with and without an exponent', () => {
  for (const text of ['9007199254740992', '1e16', '-1e20', '9.99e20', '100000000000000000000.0', `1${'0'.repeat(30)}`])
    assert.throws(() => parseStrict(text), { code: 'integer_too_large' }, text);
  for (const number of [2 ** 53, -1e20, 9.99e20])
    assert.throws(() => canonicalize(number), { code: 'integer_too_large' });
});

test('a receipt with such a number verifies, and with its integer form does not', () => {
  const [row] = chainOf(1, () => ({ run: { id: 'run_0', lane: 'generic', title: 'A', inputs: { n: 1e30 } } }));
  assert.ok(verifyReceipt(row!.text).ok);
  const chain = new ChainVerifier();
  chain.push(row!.text, row!.record);
  assert.deepEqual(chain.finish().violations, []);
  assert.equal(verifyReceipt(row!.text.replace('1e+30', `1${'0'.repeat(30)}`)).ok, false);
});
