/** Receipts are read once for what stands beside them, for as long as they are kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { disclosureText, withDigests } from '@rcpt/proof/committing.ts';
import { checkDisclosure, digestOf } from '@rcpt/proof/disclosures.ts';
import { createReceiptReader } from '../../src/disclosures/receipts.ts';

const text = disclosureText({ salt: 'AAAAAAAAAAAAAAAAAAAAAA', name: 'ward', value: 7 });
const receipt = (title: string) => {
  const block = { schema: 'service.receipt/v1', run: { title, inputs: {} } };
  return JSON.stringify(withDigests(block, [{ place: ['run', 'inputs', 'ward'], digest: digestOf(text) }]));
};

test('the same bytes are read once, and answer as they did; altered ones are another receipt', () => {
  const read = createReceiptReader();
  const one = read(receipt('one'));
  assert.equal(read(receipt('one')), one);
  assert.notEqual(read(receipt('two')), one);
  for (const path of ['/inputs/ward', '/inputs/other', '/inputs/ward'])
    assert.deepEqual(one.check(path, text), checkDisclosure(one.payload, path, text), path);
  assert.equal(one.check('/inputs/ward', text).ok, true);
  assert.deepEqual([read('{').payload, read('null').payload], [{}, {}]);
});

test('those that were asked for last are kept, by number and by size', () => {
  for (const bounds of [{ most: 2 }, { most_characters: 2 * receipt('a').length }]) {
    const read = createReceiptReader(bounds);
    const [a, b] = [read(receipt('a')), read(receipt('b'))];
    assert.equal(read(receipt('a')), a);
    read(receipt('c'));
    assert.equal(read(receipt('a')), a);
    assert.notEqual(read(receipt('b')), b);
  }
});
