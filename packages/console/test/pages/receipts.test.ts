/** The receipts' pages: filters live in the address, a search knows how far it came, bytes are shown as they are. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { ReceiptPage, ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { LANE_NAMES, LANE_WORDS } from '@rcpt/contract/words.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { sealedFilesOf } from '@rcpt/proof/sealed-files.ts';
import { seqOf, stretchesOf, textOf } from '../../src/pages/receipts/bytes.ts';
import { foundOf } from '../../src/pages/receipts/comparing.ts';
import { asksForAll, changed, filtersOf } from '../../src/pages/receipts/filters.ts';
import { hashesOf } from '../../src/pages/receipts/hash-file.ts';
import { printOf } from '../../src/pages/receipts/print.ts';
import { PAGE_ROWS, PAGES_UNASKED, reachOf } from '../../src/pages/receipts/searching.ts';

const VECTORS = new URL('../../../../vectors/valid/', import.meta.url);
const sealed = readdirSync(VECTORS)
  .filter((file) => file.startsWith('receipt--'))
  .map((file) => ({ file, bytes: readFileSync(new URL(file, VECTORS)) }));

describe('filters and the address', () => {
  const of = (query: string) => filtersOf(new URLSearchParams(query));

  test('what is typed comes back from the address', () => {
    const address = changed(new URLSearchParams('keep=1'), { search: 'roof & tile', lane: 'eval', from: '2026-05-01' });
    assert.equal(address.toString(), 'keep=1&search=roof+%26+tile&lane=eval&from=2026-05-01');
    assert.deepEqual(filtersOf(address), { search: 'roof & tile', lane: 'eval', from: '2026-05-01', to: undefined });
    assert.equal(changed(address, { search: '', lane: '', from: '' }).toString(), 'keep=1');
  });

  test('what makes no sense counts as not asked for', () => {
    assert.ok(asksForAll(of('lane=nonsense&from=2026-02-30&to=yesterday&search=++')));
    assert.ok(!asksForAll(of('to=2026-02-28')));
    assert.equal(of(`search=${'x'.repeat(300)}`).search?.length, 200);
    assert.ok(of('search=%ED%A0%80').search?.isWellFormed());
  });
});

describe('how far a search has come', () => {
  const page = (rows: number, next_before_seq: number | null): ReceiptPage => ({
    receipts: Array.from({ length: rows }, () => ({}) as ReceiptSummary),
    next_before_seq,
    head_seq: 99_999,
  });

  test('a full page waits for somebody to scroll, the last one ends', () => {
    assert.deepEqual(reachOf([page(PAGE_ROWS, 500)], 0), { next: 'waits', back_to: 500, found: 50, barren: false });
    assert.deepEqual(reachOf([page(PAGE_ROWS, 500), page(3, null)], 0), {
      next: 'ends',
      back_to: null,
      found: 53,
      barren: false,
    });
    assert.equal(reachOf([], 0).next, 'ends');
  });

  test('short pages go on by themselves a few times, then a person is asked, and then a few times more', () => {
    const pages = [page(0, 95_000)];
    for (let i = 1; i < PAGES_UNASKED; i++) {
      assert.equal(reachOf(pages, 0).next, 'on');
      pages.push(page(i % 2, 95_000 - i * 5_000));
    }
    const stood = reachOf(pages, 0);
    assert.deepEqual(stood, { next: 'waits', back_to: 80_000, found: 2, barren: true });
    pages.push(page(0, 75_000));
    assert.equal(reachOf(pages, PAGES_UNASKED).next, 'on');
  });
});

describe('a receipt and its bytes', () => {
  test('there is one of every lane to look at', () =>
    assert.deepEqual(
      new Set(sealed.map(({ file }) => file)),
      new Set(LANE_NAMES.map((lane) => `receipt--${lane}.json`)),
    ));

  test('the text is cut at the hashes of the chain and loses nothing', () => {
    for (const { bytes } of sealed) {
      const text = textOf(bytes);
      const stretches = stretchesOf(text);
      assert.equal(stretches.map((stretch) => stretch.text).join(''), text);
      assert.deepEqual(
        stretches.map(({ is }) => is),
        ['plain', 'parent', 'plain', 'seal', 'plain'],
      );
      const seal = stretches.find(({ is }) => is === 'seal')!;
      assert.match(seal.text, /^"receipt_sha256":"[0-9a-f]{64}",$/);
    }
  });

  test('where a member of the envelope stands twice, none is pointed out', () => {
    const twice = `{"receipt_sha256":"${'a'.repeat(64)}","x":{"receipt_sha256":"${'b'.repeat(64)}"}}`;
    assert.deepEqual(stretchesOf(twice), [{ text: twice, is: 'plain' }]);
  });

  test('a number is read from a receipt’s id and from nothing else', () => {
    assert.equal(seqOf('RCPT-000042-9f86d081'), 42);
    assert.equal(seqOf('RCPT-1000000-9f86d081'), 1_000_000);
    for (const id of ['', 'RCPT-42-9f86d081', 'recent', 'RCPT-000042-9f86d081x', '../keys'])
      assert.equal(seqOf(id), null);
  });

  test('every lane is printed as on its shared page; an altered receipt’s verdict is its claim', () => {
    for (const { file, bytes } of sealed) {
      const { payload, ok } = verifyReceipt(bytes);
      assert.ok(ok, file);
      const print = printOf(payload!, true);
      assert.ok(print.title.length > 2 && print.sections.length > 0, file);
      const doubted = printOf(payload!, false);
      assert.equal(doubted.outcome?.tone, print.outcome === null ? undefined : 'neutral');
      if (print.outcome) assert.equal(doubted.outcome?.word, `As stored: ${print.outcome.word}`);
    }
  });

  test('what no lane knows, and what somebody forged, is shown member by member', () => {
    const print = printOf(
      { schema: 'service.unknown/v9', receipt_id: 'RCPT-000001-00000000', work: { done: [1] } },
      false,
    );
    assert.deepEqual(print.sections, [{ kind: 'text', title: 'work', text: '{\n  "done": [\n    1\n  ]\n}' }]);
    for (const schema of [...LANE_NAMES.map((lane) => LANE_WORDS[lane].schema), null])
      assert.doesNotThrow(() =>
        printOf({ schema, checks: 7, verdict: [], evidence: { length: 1e9 }, findings: 'x' }, false),
      );
  });
});

describe('a file beside a receipt', () => {
  const generic = JSON.parse(sealed.find(({ file }) => file === 'receipt--generic.json')!.bytes.toString());
  const { evidence } = sealedFilesOf(generic);
  const never = new AbortController().signal;

  test('is hashed a slice at a time, and says how far it is', async () => {
    const bytes = new Uint8Array(2.5 * 1024 * 1024).fill(7);
    const read: number[] = [];
    const { sha256, byte_size } = await hashesOf(new Blob([bytes]), (at) => read.push(at), never);
    assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.deepEqual([byte_size, read], [bytes.length, [1, 2, 2.5].map((mebibytes) => mebibytes * 1024 * 1024)]);
    await assert.rejects(
      hashesOf(new Blob([bytes]), () => {}, AbortSignal.abort()),
      { name: 'AbortError' },
    );
  });

  test('is told what it is, and one that is nothing of it is told so', async () => {
    const known = { ...(await hashesOf(new Blob(['x']), () => {}, never)), sha256: evidence[0]!.sha256, byte_size: 0 };
    const found = foundOf('a.txt', { ...known, byte_size: evidence[0]!.byte_size ?? 0 }, evidence);
    assert.deepEqual([found.is_sealed, found.labels[0]], [true, evidence[0]!.label]);
    const other = foundOf('b.txt', await hashesOf(new Blob(['y']), () => {}, never), evidence);
    assert.deepEqual([other.is_sealed, other.sentences], [false, ['This file is not in this receipt.']]);
    const unread = foundOf('folder', null, evidence);
    assert.deepEqual([unread.is_sealed, unread.sha256], [false, null]);
  });
});
