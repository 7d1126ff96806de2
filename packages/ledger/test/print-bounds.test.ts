/** Receipts that fill the page: whoever has the link may ask for it again and again. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { renderPage } from '../src/print/page.ts';
import { genericReceipt, sealed } from './print-kit.ts';

const filled = (length: number) => Array.from({ length }, (_, i) => '\u202e\u200b\u0001😀'.charAt(i % 3)).join('');

it('a page of a megabyte of characters shown by their codes stays small, and says what it leaves out', () => {
  const receipts = [
    { inputs: { task: 'Fill the page', text: filled(300_000) } },
    {
      inputs: {
        task: 'Fill the page',
        ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, filled(3_000)])),
      },
    },
  ].map((run) => ({ ...genericReceipt(), run: { id: 'run_1', lane: 'generic', title: 'Full', ...run } }));
  const evidence = Array.from({ length: 500 }, () => ({
    kind: 'file',
    label: filled(500),
    sha256: 'a'.repeat(64),
    content_type: 'a/b',
    byte_size: 1,
  }));
  for (const receipt of [...receipts, { ...genericReceipt(), evidence }]) {
    const page = renderPage(sealed(receipt));
    assert.ok(page.length < 9_000_000, `${page.length} characters`);
    assert.match(page, /more characters stand in the JSON/);
  }
});

it('the longest text a person can send is shown whole', () => {
  const text = 'word '.repeat(4_000).trim();
  const page = renderPage(
    sealed({ ...genericReceipt(), run: { id: 'run_1', lane: 'generic', title: 'Long', inputs: { task: text } } }),
  );
  assert.ok(page.includes(text));
});
