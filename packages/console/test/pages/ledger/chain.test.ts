/** What the ledger page shows of a chain follows from its rows: links, gaps, ends. */
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { ReceiptPage, ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { ChainVerifier } from '@rcpt/proof/chain.ts';
import { blocksOf, lastOf, linkOf, rowsOfBlock } from '../../../src/pages/ledger/chain.ts';
import { duration, KIND, verdictOf, violationsBySeq } from '../../../src/pages/ledger/wording.ts';

const lines = readFileSync(new URL('../../../../../vectors/valid/chain--six.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const receipts = lines.map((line) => JSON.parse(line) as ReceiptSummary);

describe('the chain as rows', () => {
  test('in an intact chain every link leads to the row below, and the first has no parent', () => {
    for (const [org_seq, receipt] of receipts.entries())
      assert.equal(linkOf(receipt, receipts[org_seq - 1]), org_seq === 0 ? 'first' : 'holds');
  });

  test('an altered hash breaks the link from the row above and from the row itself, nowhere else', () => {
    const altered = { ...receipts[3]!, receipt_sha256: 'f'.repeat(64) };
    assert.equal(linkOf(receipts[4], altered), 'broken');
    assert.equal(linkOf(altered, receipts[2]), 'holds');
    const elsewhere = { ...receipts[3]!, parent_hash: 'f'.repeat(64) };
    assert.equal(linkOf(elsewhere, receipts[2]), 'broken');
    assert.equal(linkOf(receipts[4], elsewhere), 'holds');
    assert.equal(linkOf({ ...receipts[0]!, parent_hash: 'f'.repeat(64) }, undefined), 'broken');
  });

  test('a missing row is lost, one that is not loaded is not judged', () => {
    assert.equal(linkOf(receipts[4], null), 'lost');
    assert.equal(linkOf(receipts[4], undefined), 'unknown');
    assert.equal(linkOf(undefined, receipts[3]), 'unknown');
  });

  test('blocks do not move when the chain grows', () => {
    assert.deepEqual(blocksOf(0, 99), [0]);
    assert.deepEqual(blocksOf(95, 230), [0, 1, 2]);
    assert.deepEqual(blocksOf(-1, 5), [0]);
    assert.deepEqual(blocksOf(999_950, 999_999), [9_999]);
    assert.deepEqual(blocksOf(0, -1), []);
  });

  test('a page that reaches over a gap into the next block gives only what lies in its own', () => {
    const row = (org_seq: number) => ({ ...receipts[0]!, org_seq });
    const page: ReceiptPage = { receipts: [row(199), row(150), row(98)], next_before_seq: 98, head_seq: 199 };
    assert.deepEqual([...rowsOfBlock(1, page).keys()], [199, 150]);
  });

  test('the end is the recorded head, or a receipt that somebody put behind it', () => {
    const page = (head_seq: number | null, seqs: number[]) =>
      lastOf({ receipts: seqs.map((org_seq) => ({ ...receipts[0]!, org_seq })), next_before_seq: null, head_seq });
    assert.equal(page(5, [5]), 5);
    assert.equal(page(5, [3]), 5, 'cut off: what is missing is shown as missing');
    assert.equal(page(5, [7]), 7);
    assert.equal(page(null, []), -1);
  });
});

describe('a verification in words', () => {
  const report = (text: readonly string[]) => {
    const verifier = new ChainVerifier();
    for (const line of text) verifier.push(line);
    return verifier.finish();
  };

  test('a chain that holds, one that does not, and none at all are three different things', () => {
    assert.deepEqual(verdictOf(report(lines)), { tone: 'good', words: 'The chain holds' });
    assert.deepEqual(verdictOf(report([])), { tone: 'neutral', words: 'There was nothing to verify' });
    const torn = report(lines.toSpliced(2, 1));
    assert.deepEqual(verdictOf(torn), { tone: 'bad', words: 'The chain does not hold: 1 violation' });
    assert.deepEqual([...violationsBySeq(torn.violations).keys()], [3]);
    assert.equal(KIND[torn.violation!.kind].title, 'Number missing or out of order');
  });

  test('several violations of one receipt stand together; one without a number stands nowhere', () => {
    const of = (org_seq: number | null) =>
      ({ kind: 'payload_altered', org_seq, receipt_id: null, expected: null, actual: null, detail: '' }) as const;
    const found = violationsBySeq([of(2), of(2), of(null), of(4)]);
    assert.deepEqual(
      [...found].map(([org_seq, list]) => [org_seq, list.length]),
      [
        [2, 2],
        [4, 1],
      ],
    );
  });

  test('how long it took', () => {
    assert.deepEqual([0.01, 0.84, 9.96, 12.3, 61, 600].map(duration), [
      '0.1 s',
      '0.8 s',
      '10 s',
      '12 s',
      '1 min 1 s',
      '10 min 0 s',
    ]);
  });
});
