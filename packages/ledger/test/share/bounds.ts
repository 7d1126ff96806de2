/** Receipts that fill page and paper: a reader with the link may ask for them again and again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderPage } from '../../src/share/page/page.ts';
import { renderPdf } from '../../src/share/pdf/pdf.ts';
import { genericReceipt, readPdf, sealed } from '../kit/print.ts';

/** The same words every time: a receipt that drew itself by chance would be another document. */
function wordsOf(letters: string, marks: string, length: number): () => string {
  let state = 1;
  const next = (characters: string[]) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return characters[Math.floor((state / 2 ** 32) * characters.length)]!;
  };
  const [of_letters, of_marks] = [Array.from(letters), Array.from(marks)];
  return () => Array.from({ length }, () => next(of_letters) + (of_marks.length > 0 ? next(of_marks) : '')).join('');
}

export const SCRIPTS = {
  'Hebrew with points': wordsOf('אבגדהוזחטיכלמנסעפצקרשת', '\u05b0\u05b4\u05b8\u05bc', 6),
  'Arabic with marks': wordsOf('ابتثجحخدذرزسشصضطظعغفقكلمنهوي', '\u064b\u064e\u0651\u0652', 6),
  'Latin with marks': wordsOf('abcdefghijklmnopqrstuvwxyz', '\u0300\u0301\u0308\u0323', 6),
  'one word without an end': wordsOf('abcdefghijklmnopqrstuvwxyz', '', 4_000),
  quotes: wordsOf('“”‘’„«»"', '', 8),
  'what one does not see': wordsOf('\u00ad\u200b\u202e\u2060', '', 8),
  'characters without a face': wordsOf('漢字東京大学中国日本語', '', 8),
  lines: wordsOf('a\n\n\n', '', 9),
};
export type Script = keyof typeof SCRIPTS;
export const textOf = (word: () => string, length: number) => {
  let text = word();
  while (text.length < length) text += ` ${word()}`;
  return text.slice(0, length).toWellFormed();
};
export const run = (inputs: object) => ({
  ...genericReceipt(),
  run: { id: 'run_1', lane: 'generic', title: 'Full', inputs },
});

/** Of about a megabyte each. */
export const SHAPES: Record<string, (word: () => string) => object> = {
  'one text': (word) => run({ task: 'Fill the page', text: textOf(word, 300_000) }),
  'many texts': (word) =>
    run({ task: 'Fill', ...Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`k${i}`, textOf(word, 4_000)])) }),
  'many checks': (word) => ({
    ...genericReceipt(),
    checks: Array.from({ length: 3_000 }, (_, i) => ({
      key: `check_${i}`,
      label: textOf(word, 60),
      category: 'math',
      status: 'flag',
      severity: 'low',
      detail: textOf(word, 100),
      decided_by: 'rule',
    })),
  }),
  'much evidence': (word) => ({
    ...genericReceipt(),
    evidence: Array.from({ length: 1_500 }, () => ({
      kind: 'file',
      label: textOf(word, 400),
      sha256: 'a'.repeat(64),
      content_type: 'a/b',
      byte_size: 1,
    })),
  }),
};

export function megabyteReceipts(scripts: readonly Script[]): void {
  describe('a receipt of a megabyte', () => {
    for (const [shape, receiptOf] of Object.entries(SHAPES))
      it(`of ${shape} makes a page of half a megabyte at most, which says what it leaves out`, () => {
        for (const [script, word] of wordsIn(scripts)) {
          const page = renderPage(sealed(receiptOf(word)));
          assert.ok(Buffer.byteLength(page) < 500_000, `${script}: ${Buffer.byteLength(page)} bytes`);
          assert.match(page, /[\d,]+ more (characters|checks|items) stand in the JSON/, script);
        }
      });

    for (const [shape, receiptOf] of Object.entries(SHAPES))
      it(`of ${shape} makes a short PDF, which says what it leaves out and carries all of it`, async () => {
        for (const [script, word] of wordsIn(scripts)) {
          const input = sealed(receiptOf(word));
          const { pages, attachments } = readPdf(await renderPdf(input));
          assert.ok(pages.length <= 60, `${script}: ${pages.length} pages`);
          assert.match(
            pages.join('\n'),
            /more\s+(characters|checks|items)\s+stand\s+in\s+the\s+attached\s+file/,
            script,
          );
          // What stands in every document stands in this one whole.
          assert.match(
            pages.join('\n').replace(/\s+/g, ' '),
            /It has to print the hash of this receipt: .* when this PDF was made Integrity Holds\. .* Identity /,
          );
          assert.equal([...attachments.values()][0]?.toString('utf8'), input.bytes);
        }
      });
  });
}

function wordsIn(scripts: readonly Script[]): [Script, () => string][] {
  return scripts.map((script) => [script, SCRIPTS[script]]);
}
