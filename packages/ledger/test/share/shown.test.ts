/** What page, paper, card and mail show says what was sealed: nothing of it hides, and no two texts are shown alike. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sealedText } from '@rcpt/contract/shown.ts';
import fc from 'fast-check';
import { invitationMail } from '../../src/mail/people-mail.ts';
import { receiptMail } from '../../src/mail/receipt-mail.ts';
import { drawCard } from '../../src/share/card.ts';
import { renderPage } from '../../src/share/page/page.ts';
import { renderPdf } from '../../src/share/pdf/pdf.ts';
import { genericReceipt, hash, LINK, readPdf, sealed } from '../kit/print.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

/** Unicode's format, bidi and ignorable characters, its spaces, ends of lines and controls; of the rest some. */
const INVISIBLE = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) =>
    /^[\p{Cf}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Zs}\p{Cc}]$/u.test(character) &&
    !' \n'.includes(character),
);
INVISIBLE.push('\ue000', '\uffff', '\u{1ffff}', '\u0378', '\u2800', '\u3164', '\ufe0f');

const RUN = { id: 'run_1', lane: 'generic' };
const titled = (title: string, task = 'Collect.') =>
  sealed({ ...genericReceipt(), run: { ...RUN, title, inputs: { task } } });

/** What a reader of the page sees there, its codes as they are written. */
function on(page: string, pattern: RegExp): string {
  return words(pattern.exec(page)?.[1] ?? '', '');
}

function words(markup: string, between: string): string {
  return markup
    .replace(/<[^>]*>/g, between)
    .replace(
      /&(#39|amp|lt|gt|quot);/g,
      (_, name: string) => ({ '#39': "'", amp: '&', lt: '<', gt: '>', quot: '"' })[name]!,
    );
}
const H1 = /<h1[^>]*>(.*?)<\/h1>/s;
const TASK = /<div class="prose" dir="auto">(.*?)<\/div>/s;
const TITLE_BAR = /<title>(.*?) · /s;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...INVISIBLE),
      fc.constantFrom(' ', '\n', '[U+', ']', '<b>', '&amp;', '👩‍💻', '❤️', 'e', '\u0301', 'ש', 'می‌خ'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((parts) => parts.join('').toWellFormed());

describe('every character that one does not see', () => {
  const all = INVISIBLE.map((character) => `a${character}`);

  it('is written by its code on the page and on paper, and read back is what was sealed', async () => {
    assert.ok(INVISIBLE.length > 4_200, `${INVISIBLE.length} characters`);
    for (let at = 0; at < all.length; at += 150) {
      const task = `${all.slice(at, at + 150).join('')}z`;
      const input = titled('Weekly digest', task);
      const page = renderPage(input);
      assert.equal(sealedText(on(page, TASK)), task);
      assert.doesNotMatch(page.replaceAll('\n', ''), /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u);
      const paper = readPdf(await renderPdf(input)).pages.join('');
      assert.ok(unwrapped(paper).includes(task), `the characters from ${at} on`);
    }
  });

  it('is written by its code in mails, and makes each card another', () => {
    const cards = new Set<string>();
    for (const character of INVISIBLE) {
      const name = `a${character}b`;
      const code = `a[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]b`;
      const { subject, text, html } = receiptMail({ ...RECEIPT_MAIL, title: name });
      const invitation = invitationMail(invitationOf(name));
      for (const part of [subject, text, html, invitation.subject, invitation.text, invitation.html])
        assert.ok(part.includes(code), `${code}: ${part}`);
    }
    const drawn = INVISIBLE.filter((_, i) => i < 150 || i % 100 === 0);
    for (const character of ['', ...drawn]) cards.add(drawCard(titled(`a${character}b`)));
    assert.equal(cards.size, drawn.length + 1);
  });
});

describe('whatever is written', () => {
  it('the page shows it so that it can be read back, in its title bar too', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const page = renderPage(titled(`a${text}b`, `a${text}b`));
        assert.equal(sealedText(on(page, H1)), `a${text}b`);
        assert.equal(sealedText(on(page, TASK)), `a${text}b`);
        assert.equal(sealedText(on(page, TITLE_BAR)), `a${text}b`);
      }),
      { numRuns: 400 },
    );
  });

  it('paper shows it so that it can be read back, but for where its lines end', async () => {
    // Letters from right to left are drawn in the order in which they are seen.
    const left = hostile.map((text) =>
      text.replace(/[ \n\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}]/gu, ''),
    );
    await fc.assert(
      fc.asyncProperty(left, async (text) => {
        const paper = readPdf(await renderPdf(titled('Weekly digest', `<${text}>`))).pages.join('');
        assert.ok(unwrapped(paper).includes(`<${text}>`), JSON.stringify(text));
      }),
      { numRuns: 60 },
    );
  });

  it('a run of one character is one code: 20,000 of them make a page no longer', async () => {
    const empty = renderPage(titled('Weekly digest', 'a'));
    const input = titled('Weekly digest', `a${'\u00ad'.repeat(19_998)}b`);
    const page = renderPage(input);
    assert.ok(page.includes('a<span class="code-point">[U+00AD×19998]</span>b'));
    assert.ok(page.length < empty.length + 100, `${page.length} characters`);
    assert.ok(
      readPdf(await renderPdf(input))
        .pages.join('')
        .includes('[U+00AD×19998]'),
    );
  });

  it('spaces are as many as were sealed, at the end of a line of paper too', async () => {
    const task = `${'word '.repeat(30)}${'x     '.repeat(30)}y`;
    const paper = readPdf(await renderPdf(titled('Weekly digest', task))).pages.join('');
    const runs = [...sealedText(paper.replaceAll('\n', '')).matchAll(/x( +)(?=[xy])/g)].map(([, run]) => run!.length);
    assert.deepEqual(runs, Array(30).fill(5));
  });
});

describe('text of two directions', () => {
  const name = 'שלום ישראל';

  it('is isolated: a name turns nothing around in the sentence about it', () => {
    const page = renderPage(sealed(genericReceipt((usual) => (usual === 'Ada Okafor' ? name : usual))));
    assert.ok(page.includes(`Approved by <bdi>${name}</bdi> (person), 29 May 2026`));
    const { text, html } = invitationMail(invitationOf(name));
    assert.ok(text.startsWith(`The API key “\u2068${name}\u2069” invited you to \u2068${name}\u2069.`));
    assert.ok(html.includes(`<p>The API key “<bdi>${name}</bdi>” invited you to <bdi>${name}</bdi>.</p>`));
  });
});

describe('what stands in the JSON alone', () => {
  const inputs = (others: object) =>
    sealed({ ...genericReceipt(), run: { ...RUN, title: 'Digest', inputs: { task: 'Collect.', ...others } } });
  const both = async (others: object) => {
    const input = inputs(others);
    const paper = readPdf(await renderPdf(input)).pages.join(' ');
    return [words(renderPage(input), '\n'), paper] as const;
  };

  it('is counted, on the page and on paper', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]));
    const [page, paper] = await both(many);
    assert.match(page, /19,900 more members stand in the JSON\./);
    assert.match(paper, /19,900 more members stand in the attached file\./);
    const [few, few_on_paper] = await both({ a: 1 });
    assert.doesNotMatch(few + few_on_paper, /more member/);
  });

  it('is not hidden by names that read alike, and numbers have every digit', async () => {
    for (const said of await both({ 'a.b': 0.9999999999999999, a: { b: 1e21 }, c: 1234567.25, d: '1' })) {
      const lines = said.split(/\s*\n\s*/);
      for (const line of ['"a.b"', '0.9999999999999999', 'a.b', '1e+21', '1234567.25', '"1"'])
        assert.ok(lines.includes(line), line);
    }
  });

  it('is said of a long title and a long name at the top of each page of paper', async () => {
    const name = `${'Northwind Research '.repeat(20)}Ltd`;
    const [first] = readPdf(
      await renderPdf(sealed(genericReceipt((usual) => (usual.startsWith('North') ? name : usual)))),
    ).pages;
    assert.match(first!, /Northwind[^\n]*(\n[^\n]*)?…/);
    const page = renderPage(titled('word '.repeat(90).trim()));
    assert.match(page, /<title>(?:word )+\w*…/);
  });
});

const RECEIPT_MAIL = {
  receipt: {
    receipt_id: 'RCPT-000012-9f3ac01b',
    organization: { id: 'org_1', name: 'Northwind' },
    receipt_sha256: hash('ab'),
    created_at: '2026-05-29T20:14:33.123Z',
  },
  bytes: '{}',
  pdf: Buffer.from('%PDF-'),
  to: 'ada@example.org',
  share_url: LINK,
};
const invitationOf = (name: string) => ({
  to: 'ada@example.org',
  link: 'http://ledger.test/sign-in',
  organization: { id: `org_${'0'.repeat(32)}`, name },
  invited_by: name,
  invited_at: '2026-05-29T20:14:33.123Z',
});

/** The text of a PDF without the ends of its lines, read back. */
function unwrapped(paper: string): string {
  return sealedText(paper.replaceAll('\n', ''));
}
