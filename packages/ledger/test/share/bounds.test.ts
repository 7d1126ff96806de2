/** Receipts that fill page and paper, in some scripts; `bounds.full.test.ts` has them in all. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDrawingBudget } from '../../src/share/drawing-budget.ts';
import { renderPage } from '../../src/share/page/page.ts';
import { renderPdf } from '../../src/share/pdf/pdf.ts';
import { genericReceipt, readPdf, sealed } from '../kit/print.ts';
import { megabyteReceipts, run, SCRIPTS, SHAPES, textOf } from './bounds.ts';

megabyteReceipts(['Hebrew with points', 'one word without an end']);

describe('a receipt of a megabyte', () => {
  it('shows, of what comes after a text that fills the page, the first few of each list', async () => {
    const receipt = { ...genericReceipt(undefined, 500), run: SHAPES['many texts']!(SCRIPTS.quotes!) };
    const { run: filled } = SHAPES['many texts']!(SCRIPTS.quotes!) as { run: object };
    const input = sealed({ ...receipt, run: filled });
    const page = renderPage(input);
    const paper = readPdf(await renderPdf(input)).pages.join('\n');
    for (const said of [page, paper]) {
      assert.match(said, /500 checks: 167 flag, 166 skip, 167 pass/);
      assert.match(said, /Rule 1\b/);
      assert.match(said, /export\.csv/);
      assert.match(said, /4\d\d more checks stand in/);
    }
  });
});

describe('what drawing costs', () => {
  it('is counted alike each time, and never more than there is room for but a line of each text', () => {
    for (const [script, word] of Object.entries(SCRIPTS)) {
      const texts = Array.from({ length: 200 }, () => textOf(word, 4_000));
      const taken = [0, 1].map(() => {
        const budget = createDrawingBudget();
        return texts.map((text) => budget.take(text, 'text'));
      });
      assert.deepEqual(taken[0], taken[1], script);
      const [first] = taken;
      assert.ok(first![0]! > 0 && first!.at(-1)! > 0, `${script}: something of each is shown`);
      assert.ok(first!.at(-1)! < 1_000, `${script}: ${first!.at(-1)} characters when the room is used up`);
      const all = first!.reduce((sum, length) => sum + length, 0);
      assert.ok(all < 200_000, `${script}: ${all} characters`);
    }
  });

  it('leaves the longest text that people write whole, where its words return as words do', () => {
    const vocabulary = Array.from({ length: 1_000 }, SCRIPTS['Latin with marks']!.bind(null));
    const text = Array.from({ length: 20_000 }, (_, i) => vocabulary[(i * i) % 1_000]!.slice(0, 6))
      .join(' ')
      .slice(0, 20_000);
    assert.equal(createDrawingBudget().take(text, 'text'), 20_000);
    assert.equal(createDrawingBudget().take(`${text}x`, 'text'), 20_000);
  });
});

it('the longest text a person can send is shown whole', () => {
  const text = 'word '.repeat(4_000).trim();
  const page = renderPage(sealed(run({ task: text })));
  assert.ok(page.includes(text));
});
