/** Every text of a component passes the rule by which texts are shown: the console's JSX applies it. */
import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { sealedText, shownText } from '@rcpt/contract/shown.ts';
import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Link, Router } from 'wouter';
import { Fragment, jsx, jsxs } from '../../src/shown/jsx-runtime.ts';
import { Shown } from '../../src/shown/shown.ts';

const UNSEEN = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) =>
    /^[\p{Cf}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Zs}\p{Cc}]$/u.test(character) &&
    !' \n'.includes(character),
);
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...UNSEEN),
      fc.constantFrom(' ', '\n', '[U+', ']', '<b>', '&amp;', '👩‍💻', 'e', '\u0301', 'ש', 'می‌خ'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((parts) => parts.join('').toWellFormed());

/** What a reader sees of an element. */
function read(element: React.ReactNode): string {
  return renderToStaticMarkup(element)
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(#x27|amp|lt|gt|quot);/g,
      (_, name: string) => ({ '#x27': "'", amp: '&', lt: '<', gt: '>', quot: '"' })[name]!,
    );
}

describe('a text in the console', () => {
  test('is what was sealed, read back: whole, as one line, and as part of a sentence', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const place of ['line', 'text'] as const) {
          const shown = read(createElement(Shown, { text, place }));
          assert.equal(shown, shownText(text, place));
          assert.equal(sealedText(shown), text);
        }
        const parts = jsxs('p', { children: ['By ', text, [', ', jsx('b', { children: text }, 'b')]] });
        const fragment = jsx(Fragment, { children: text });
        assert.equal(sealedText(read(parts)), `By ${text}, ${text}`);
        assert.equal(sealedText(read(fragment)), text);
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  test('shows every character that one does not see, in elements, options and what is read aloud', () => {
    assert.ok(UNSEEN.length > 4_200);
    for (const character of UNSEEN) {
      const code = `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
      const said = `a${character}b`;
      assert.equal(read(jsx('td', { children: said })), `a${code}b`);
      assert.equal(renderToStaticMarkup(jsx('option', { children: said })), `<option>a${code}b</option>`);
      assert.equal(renderToStaticMarkup(jsx('i', { title: said })), `<i title="a${code}b"></i>`);
    }
  });

  test('is shown in a link, which a library draws', () => {
    const link = jsx(Link, { href: '/', children: 'a\u202eb' } as never);
    assert.equal(read(jsx(Router, { ssrPath: '/', children: link })), 'a[U+202E]b');
  });

  test('of two directions is isolated, and a run of one character is one code', () => {
    const name = 'שלום';
    assert.equal(
      renderToStaticMarkup(jsxs('p', { children: [name, ' approved'] })),
      `<p><bdi>${name}</bdi> approved</p>`,
    );
    assert.equal(renderToStaticMarkup(jsx('p', { dir: 'auto', children: name })), `<p dir="auto">${name}</p>`);
    const markup = renderToStaticMarkup(jsx('p', { children: `a${'\u00ad'.repeat(19_000)}` }));
    assert.equal(markup, '<p>a<code class="unseen-code">[U+00AD×19000]</code></p>');
  });

  test('is cut where a page gets slow, and says so', () => {
    assert.match(
      read(createElement(Shown, { text: 'x'.repeat(21_000) })),
      /x \[…\] 1,000 more characters are not shown\.$/,
    );
  });

  test('below a field is the field’s, character for character', () => {
    const typed = 'a\u200bb';
    assert.equal(read(jsx('span', { 'data-as-typed': true, children: typed })), typed);
  });
});
