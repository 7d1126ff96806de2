import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ANSWER_TITLES } from '@rcpt/proof/answers/answer.ts';
import { check } from '@rcpt/proof/given/check.ts';
import fc from 'fast-check';
import { logOf } from '../../../../test/kit/signed-log.ts';
import { renderPdf } from '../../src/share/pdf/pdf.ts';
import { genericReceipt, hash, PERSON, readPdf, sealed } from '../kit/print.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('the PDF of a receipt', () => {
  it('is the same bytes twice, and in another process', async () => {
    const here = sha256(await renderPdf(sealed()));
    assert.equal(sha256(await renderPdf(sealed())), here);
    const program = `
      import { createHash } from 'node:crypto';
      const { renderPdf } = await import(${JSON.stringify(import.meta.resolve('../../src/share/pdf/pdf.ts'))});
      const { sealed } = await import(${JSON.stringify(import.meta.resolve('../kit/print.ts'))});
      process.stdout.write(createHash('sha256').update(await renderPdf(sealed())).digest('hex'));`;
    const there = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, TZ: 'Pacific/Auckland', LANG: 'de_DE.UTF-8' },
      encoding: 'utf8',
    });
    assert.equal(there, here);
  });

  it('carries the stored bytes as an attachment, unchanged', async () => {
    const input = sealed(genericReceipt((usual) => `${usual} – Ωж漢😀\u202e`));
    const { attachments } = readPdf(await renderPdf(input));
    assert.deepEqual([...attachments.keys()], ['RCPT-000012-9f3ac01b.json']);
    assert.equal(attachments.get('RCPT-000012-9f3ac01b.json')?.toString('utf8'), input.bytes);
  });

  it('takes its proof and the keys along, prints what a check of them answers, and that is what the offline reader finds', async () => {
    const before = Array.from({ length: 12 }, (_, i) => `before ${i}`);
    const input = sealed();
    const log = logOf([...before, input.bytes], 'ledger.test/org/org_1');
    const beside = { proof: await log.proof(12), keys: `${log.signer.vkey}\n` };
    const pdf = await renderPdf({ ...input, beside });
    const { attachments, pages } = readPdf(pdf);
    assert.deepEqual(
      Array.from(attachments, ([name, bytes]) => [name, bytes.toString()]),
      [
        ['RCPT-000012-9f3ac01b.json', input.bytes],
        ['RCPT-000012-9f3ac01b.tlog-proof', beside.proof],
        ['RCPT-000012-9f3ac01b.keys', beside.keys],
      ],
    );
    const blob = new Blob([new Uint8Array(pdf)]);
    const { answers } = await check([{ name: 'receipt.pdf', size: blob.size, slice: (a, b) => blob.slice(a, b) }], []);
    assert.equal(answers.inclusion_and_completeness.code, 'included');
    assert.equal(answers.identity.code, 'key_beside');
    const paper = pages.join(' ').replaceAll(/\s+/g, ' ');
    for (const [name] of ANSWER_TITLES) assert.ok(paper.includes(answers[name].text), `${name}: ${answers[name].text}`);
    const alone = readPdf(await renderPdf(input))
      .pages.join(' ')
      .replaceAll(/\s+/g, ' ');
    assert.match(alone, /Not shown\. A receipt alone does not show that it stands in its ledger/);
  });

  it('says verdict, approval, checks, evidence, both hashes and how to check them', async () => {
    const input = sealed();
    const text = readPdf(await renderPdf(input)).pages.join('\n');
    const { receipt_sha256 } = input.receipt as { receipt_sha256: string };
    for (const said of [
      'Weekly digest',
      'Passed',
      '96',
      'Sealed 29 May 2026, 20:14:33.123 UTC',
      'Approved by Ada Okafor (person), 29 May 2026, 20:12:01.007 UTC',
      PERSON,
      'Rule 2',
      'export.csv',
      hash('3f7a'),
      hash('5d41'),
      receipt_sha256,
      `perl -pe 's/"receipt_sha256":"[0-9a-f]{64}",//' RCPT-000012-9f3ac01b.json | shasum -a 256`,
    ]) {
      assert.ok(text.includes(said), `the PDF does not say ${said}`);
    }
  });

  it('says how a file is compared with the sealed output, but not once altered', async () => {
    const execution = { output_sha256: hash('ab12'), output_bytes: 5 };
    const input = sealed({ ...genericReceipt(), execution });
    const said = async (verified: boolean) =>
      readPdf(await renderPdf({ ...input, verified }))
        .pages.join(' ')
        .replace(/\s+/g, ' ');
    assert.match(await said(true), /To compare a file with the sealed output, take its SHA-256/);
    assert.doesNotMatch(await said(false), /To compare a file/);
  });

  it('says on each page that an altered receipt no longer matches its hash, and repeats its verdict only as a claim', async () => {
    const input = { ...sealed(genericReceipt(undefined, 60)), verified: false };
    const { pages } = readPdf(await renderPdf(input));
    assert.ok(pages.length > 2);
    for (const page of pages) assert.match(page, /This receipt no longer matches its hash/);
    assert.match(pages[0]!, /As stored: Passed/);
    const [first] = readPdf(await renderPdf(sealed())).pages;
    assert.doesNotMatch(first!, /no longer matches/);
  });

  it('numbers its pages and names the receipt on each, two hundred checks or not', async () => {
    const { pages } = readPdf(await renderPdf(sealed(genericReceipt(undefined, 200))));
    pages.forEach((page, i) => {
      assert.ok(page.includes(`Page ${i + 1} of ${pages.length}`));
      assert.ok(page.includes('RCPT-000012-9f3ac01b'));
    });
    const all = pages.join('\n');
    for (let i = 0; i < 200; i++) assert.ok(all.includes(`Rule ${i}\n`), `check ${i} is missing`);
  });

  it('leaves the same space under the column heads of every page', async () => {
    const { pages, source } = readPdf(await renderPdf(sealed(genericReceipt(undefined, 60))));
    assert.ok(pages.filter((page) => /Rule \d/.test(page)).length > 2);
    // A line across the page, then the status of a check beside its mark, before another such line.
    const rows = source.matchAll(/539\.28 ([\d.]+) l\nS(?:(?!539\.28)[\s\S])*?1 0 0 1 71\.5 ([\d.]+) Tm/g);
    const spaces = Array.from(rows, ([, line, status]) => (841.89 - Number(status) - Number(line)).toFixed(1));
    assert.equal(spaces.length, 60);
    assert.deepEqual([...new Set(spaces)], ['15.1']);
  });

  it('shows a character that no face has by its code, and never as nothing', async () => {
    const title = 'A 漢 \u{1f469}\u200d\u{1f467} \u202eevil ไ x\u0000y';
    const { pages, source } = readPdf(
      await renderPdf(sealed(genericReceipt((usual) => (usual === 'Weekly digest' ? title : usual)))),
    );
    for (const code of ['U+6F22', 'U+1F469', 'U+200D', 'U+202E', 'U+0E44', 'U+0000']) {
      assert.ok(pages[0]!.includes(code), `${code} is not shown`);
    }
    assert.match(source, /\/ActualText/);
  });

  it('writes Greek, Cyrillic, Vietnamese, Hebrew, Arabic and combined letters in its own faces', async () => {
    const title = 'Ωμέγα ὀξεῖα Жук Việt ạ̈ שלום مرحبا ½ → ✓';
    const { pages } = readPdf(
      await renderPdf(sealed(genericReceipt((usual) => (usual === 'Weekly digest' ? title : usual)))),
    );
    assert.doesNotMatch(pages[0]!, /U\+[0-9A-F]{4}/);
    for (const word of ['Ωμέγα', 'Жук', 'Việt', '½']) assert.ok(pages[0]!.includes(word), word);
  });

  it('draws letter for letter: no ligature and no contextual form stands for other characters', async () => {
    const exact = 'a -> b != 0x12 fi ffl <= www';
    const { pages } = readPdf(
      await renderPdf(sealed(genericReceipt((usual) => (usual === 'Weekly digest' ? exact : usual)))),
    );
    assert.ok(pages[0]!.includes(exact));
  });

  it('cuts what is far too long for paper, and says how much the attachment has more', async () => {
    const task = 'word '.repeat(40_000);
    const input = sealed(genericReceipt((usual) => (usual === 'Collect.' ? task : usual)));
    const { pages, attachments } = readPdf(await renderPdf(input));
    assert.match(pages.join(' ').replaceAll('\n', ' '), /180,000 more characters stand in the attached file/);
    assert.ok(pages.length < 12);
    assert.equal([...attachments.values()][0]?.toString('utf8'), input.bytes);
  });

  it('stays bounded when every text is long and there are thousands of checks, and says what it left out', async () => {
    const receipt = genericReceipt(() => '漢'.repeat(300), 5_000);
    const pdf = await renderPdf({ receipt, bytes: '{}', verified: true, share_url: 'http://ledger.test/share/a' });
    const { pages } = readPdf(pdf);
    assert.match(pages.join('\n'), /4,9\d\d more checks stand in the attached file/);
    assert.ok(pages.join('\n').includes(hash('5d41')));
    assert.ok(pages.length < 120, `${pages.length} pages`);
  });

  it('is drawn whatever the texts are, and whatever shape a tampered receipt has', async () => {
    const wild = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '\u0301'.repeat(40),
        '\ud800',
        'ש\u202e123(ab',
        'x'.repeat(2000),
        '\n\n\t ',
        'ﷺﷺ',
        '؀١٢',
        '\u{e0041}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(wild, fc.object({ maxDepth: 3 }), async (text, tampered) => {
        const shapes = [
          genericReceipt(() => text),
          { ...genericReceipt(), ...tampered },
          tampered,
          { schema: 'service.eval-receipt/v1', verdict: tampered },
        ];
        for (const receipt of shapes) {
          const pdf = await renderPdf({ receipt, bytes: text.toWellFormed(), verified: false, share_url: text });
          assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
        }
      }),
      { numRuns: 25 },
    );
  });
});
