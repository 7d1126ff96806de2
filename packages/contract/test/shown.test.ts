/** One rule for showing what others wrote: nothing hides, nothing is rounded, and what is legitimate stays. */
import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { exact, fitting, type Place, sealedText, shownLine, shownText, stretchesOf } from '../src/shown.ts';

const PLACES: Place[] = ['text', 'line'];

function codePoints(of: RegExp): string[] {
  const found: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (of.test(character)) found.push(character);
  }
  return found;
}

/** Everything that draws nothing, or turns around what stands beside it. */
const UNSEEN = codePoints(
  /^[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u3164\uffa0]$/u,
).filter((character) => character !== ' ' && character !== '\n');
const MARKS = codePoints(/^\p{M}$/u);

/** Characters of all the kinds that the rule tells apart, more of them than of others. */
const hostile = fc.oneof(
  fc.constantFrom(...UNSEEN.filter((_, i) => i < 300 || i % 5_000 === 0)),
  fc.constantFrom(...MARKS),
  fc.constantFrom(' ', '  ', '\n', '\r\n', '\t', '[', ']', 'U', '+', '[U+', '[U+202E]', '×2', 'a', 'é', '1', '#'),
  fc.constantFrom('\u200c', '\u200d', '\ufe0f', '\ufe0e', '\u{e0067}', '👩', '💻', '❤', '🏴', '🏽', '\u20e3'),
  fc.constantFrom('م', 'ی', 'ا', 'ر', 'क', '\u094d', 'ষ', 'র', '\u09cd', 'ש', 'ג'),
  fc.string({ unit: 'binary', maxLength: 1 }),
);
const text = fc.array(hostile, { maxLength: 24 }).map((parts) => parts.join(''));

describe('what one does not see is written by its code', () => {
  test('every control, format, bidi and ignorable character, every odd space, whatever stands beside it', () => {
    assert.ok(UNSEEN.length > 900_000, `${UNSEEN.length} characters`);
    for (const character of UNSEEN) {
      const code = `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
      assert.equal(shownText(`a${character}b`), `a${code}b`);
      assert.equal(shownText(character, 'line'), code);
    }
  });

  test('a mark without a base, twice on one base, or piled up', () => {
    for (const mark of MARKS) assert.ok(shownText(mark).startsWith('[U+'), shownText(mark));
    assert.equal(shownText('e\u0301'), 'e\u0301');
    assert.equal(shownText('e\u0301\u0301 \u0301'), 'e\u0301[U+0301] [U+0301]');
    assert.equal(shownText('e\u0300\u0301\u0302\u0303\u0304'), 'e\u0300\u0301\u0302[U+0303][U+0304]');
    assert.equal(shownText('a\u200b\u0301'), 'a[U+200B][U+0301]');
  });

  test('spaces that nobody sees, or that push what follows out of sight', () => {
    assert.equal(shownText(' a b \n    c'), '[U+0020]a b[U+0020]\n    c');
    assert.equal(shownText(`a${' '.repeat(400)}b`), 'a[U+0020×400]b');
    assert.equal(shownText('a  b\nc', 'line'), 'a[U+0020×2]b[U+000A]c');
    assert.equal(shownText('a\r\n\tb\u2028c\u0085'), 'a[U+000D]\n[U+0009]b[U+2028]c[U+0085]');
  });

  test('a code that somebody typed is none', () => {
    assert.equal(shownText('[U+202E] [U] a[0]'), '[U+005B]U+202E] [U] a[0]');
  });

  test('selectors, tags and joiners where they hide data', () => {
    assert.equal(shownText('a\ufe0f\u{e0100}'), 'a[U+FE0F][U+E0100]');
    assert.equal(shownText('😀\ufe0f 😀\u200d😀 1\ufe0f'), '😀[U+FE0F] 😀[U+200D]😀 1[U+FE0F]');
    assert.equal(shownText('🏴\u{e0068}\u{e0069}'), '🏴[U+E0068][U+E0069]');
    assert.equal(shownText('a\u200cb\u200dc'), 'a[U+200C]b[U+200D]c');
    assert.equal(shownText('کار\u200cها'), 'کار[U+200C]ها', 'after a letter that does not join it changes nothing');
    assert.equal(shownText('a\u094d\u200dक'), 'a\u094d[U+200D]क');
  });
});

describe('what is legitimate stands as it is', () => {
  for (const [what, said] of [
    ['emoji', '👩‍💻 🏳️‍🌈 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👍🏽 🇩🇪 👨‍👩‍👧‍👦'],
    ['Persian', 'می‌خواهم کتاب‌هایم را بخوانم'],
    ['Devanagari', 'क्‌ष क्‍ष हिन्दी में लिखा'],
    ['Bengali', 'র‍্যাব বাংলা'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Hebrew with its points', 'שָׁלוֹם עֲלֵיכֶם'],
    ['Arabic with its marks', 'بِسْمِ ٱللَّهِ'],
    ['Vietnamese, taken apart', 'Tiếng Việt'.normalize('NFD')],
    ['Thai, Chinese, Korean, Greek', 'ภาษาไทยที่ 漢字 한국어 Ελληνικά'],
    ['lines and how they are indented', 'if a:\n    b = "x  y"\n\nend'],
  ] as const)
    test(what, () => {
      assert.equal(shownText(said), said);
      assert.equal(stretchesOf(said).length, 1);
    });
});

describe('what is shown says what was sealed', () => {
  test('read back, it is the text: two texts are never shown alike', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...PLACES), (said, place) => {
        assert.equal(sealedText(shownText(said, place)), said);
      }),
      { numRuns: 20_000 },
    );
  });

  test('nothing unseen is left but the joiners and selectors of emoji and scripts', () => {
    const kept = /\n|\u200c|\u200d|\ufe0f|[\u{e0020}-\u{e007f}]/gu;
    fc.assert(
      fc.property(text, (said) => {
        assert.doesNotMatch(shownText(said).replace(kept, ''), /[[\p{C}\p{Z}]--[ ]]|\p{Default_Ignorable_Code_Point}/v);
        assert.doesNotMatch(shownText(said), /\p{Bidi_Control}/u);
      }),
      { numRuns: 5_000 },
    );
  });

  test('a run of one character is one code, and a megabyte takes a moment', () => {
    assert.equal(shownText('\u00ad'.repeat(20_000)), '[U+00AD×20000]');
    for (const unit of [
      '\u00ad',
      '\u00ad\u200b',
      'a\u00ad',
      'e\u0301',
      '\u0301\u0302',
      '[U+',
      '  ',
      ' a',
      '👩‍💻',
      '\u200c',
    ]) {
      const started = performance.now();
      stretchesOf(unit.repeat(1_000_000 / unit.length));
      assert.ok(performance.now() - started < 3_000, `${JSON.stringify(unit)}: ${performance.now() - started} ms`);
    }
  });

  test('the beginning that fits is measured by what is shown', () => {
    assert.equal(fitting(`a${'\u00ad'.repeat(5_000)}bcdefgh`, 16), 5_003);
    assert.equal(fitting('a\u200b\u200cb', 12), 2);
    assert.equal(fitting('ab😀', 3), 2);
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 60 }), (said, most) => {
        const fits = fitting(said, most);
        assert.ok(fits === said.length || shownText(said).length > most);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a line is cut between codes and says so', () => {
    assert.equal(shownLine('short', 5), 'short');
    assert.equal(shownLine('longer than that', 7), 'longer…');
    assert.equal(shownLine('ab😀cd', 4), 'ab…');
    assert.equal(shownLine('ab\u202e\u202d', 12), 'ab[U+202E]…');
  });
});

test('a number is shown as it is sealed', () => {
  const numbers = [
    [0.9999999999999999, '0.9999999999999999'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1e21, '1e+21'],
    [1234567.25, '1234567.25'],
    [5e-324, '5e-324'],
    [-0, '0'],
    [123456789012345680000, '123456789012345680000'],
  ] as const;
  for (const [number, shown] of numbers) assert.equal(exact(number), shown);
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => Number(exact(n)) === n));
});
