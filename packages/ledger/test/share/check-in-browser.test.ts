/** The page's script, run as the browser gets it: the served modules, a document with the spots it writes to. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ANSWER_TITLES } from '@rcpt/proof/answers/answer.ts';
import { logOf } from '../../../../test/kit/signed-log.ts';
import { loadAssets } from '../../src/share/page/assets.ts';
import { renderPage } from '../../src/share/page/page.ts';
import { genericReceipt, sealed } from '../kit/print.ts';

interface Spot {
  textContent: string;
  className: string;
  dataset: Record<string, string>;
  setAttribute(): void;
}

describe('the check in the browser', () => {
  let folder = '';
  let runs = 0;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'page-script-'));
    for (const [path, { body }] of loadAssets()) {
      if (!path.endsWith('.ts')) continue;
      const file = join(folder, path.replace(/\.ts$/, '.mjs'));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, body.toString().replace(/(from\s*['"][^'"]+)\.ts(['"])/g, '$1.mjs$2'));
    }
  });
  after(() => rmSync(folder, { recursive: true }));

  /** The script on the page of `shown`, where the links lead to these answers. */
  async function visit(shown: string, answer: () => Promise<Response>, proof?: string, key?: string) {
    const page = renderPage({ ...sealed(), receipt: JSON.parse(shown) as object, bytes: shown });
    const at = (id: string) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? '';
    const spot = (textContent: string): Spot => ({ textContent, className: '', dataset: {}, setAttribute() {} });
    const names = ANSWER_TITLES.map(([name]) => name);
    const spots = new Map(['check', 'receipt-id', 'receipt-sha256', ...names].map((id) => [`#${id}`, spot(at(id))]));
    for (const name of names)
      for (const part of ['finding', 'advice', 'found']) spots.set(`#${name} .${part}`, spot(''));
    const documentElement = { ...spot(''), dataset: { download: './t/download', proof: './t/proof', key: './t/key' } };
    const world = globalThis as unknown as Record<string, unknown>;
    const { fetch } = globalThis;
    const beside = (text?: string) => new Response(text ?? '', { status: text === undefined ? 404 : 200 });
    world.document = { documentElement, querySelector: (selector: string) => spots.get(selector) ?? null };
    world.fetch = async (url: unknown) =>
      url === './t/download' ? answer() : beside({ './t/proof': proof, './t/key': key }[String(url)]);
    try {
      await import(`${pathToFileURL(join(folder, 'assets/page/verify.mjs')).href}?${runs++}`);
    } finally {
      world.fetch = fetch;
      delete world.document;
    }
    const said = (name: string) => spots.get(`#${name} .finding`)!.textContent;
    const advice = (name: string) => spots.get(`#${name} .advice`)!.textContent;
    const tone = (name: string) => spots.get(`#${name}`)!.className;
    const hash = /[0-9a-f]{64}$/.exec(spots.get('#integrity .found')!.textContent)?.[0] ?? '';
    return { said, advice, tone, hash };
  }

  const { bytes, receipt } = sealed();
  const { receipt_sha256 } = receipt as { receipt_sha256: string };

  it('computes the hash of the downloaded bytes, and says that it is the stated one', async () => {
    const { tone, said, hash, advice } = await visit(bytes, async () => new Response(bytes));
    assert.equal(tone('integrity'), 'good');
    assert.equal(said('integrity'), 'The receipt is byte for byte what was hashed when it was sealed.');
    assert.equal(hash, receipt_sha256);
    assert.equal(tone('inclusion_and_completeness'), 'neutral');
    assert.match(advice('inclusion_and_completeness'), /No proof came with this page: the proof was answered with 404/);
  });

  it('checks the proof with the key beside it, and says that the key came with it', async () => {
    const receipts = Array.from({ length: 12 }, (_, i) => `before ${i}`);
    const log = logOf([...receipts, bytes], 'ledger.test/org/org_1');
    const { tone, said } = await visit(
      bytes,
      async () => new Response(bytes),
      await log.proof(12),
      `${log.signer.vkey}\n`,
    );
    assert.equal(tone('inclusion_and_completeness'), 'good');
    assert.match(said('inclusion_and_completeness'), /stands at 12 among the 13 of the signed checkpoint/);
    assert.equal(tone('identity'), 'neutral');
    assert.match(said('identity'), /it came with what was checked/);
    const other = logOf([...receipts, 'another'], 'ledger.test/org/org_1');
    const forged = await visit(bytes, async () => new Response(bytes), await other.proof(12), log.signer.vkey);
    assert.equal(forged.tone('inclusion_and_completeness'), 'bad');
  });

  it('says that altered bytes do not hold, and which hash they have', async () => {
    const altered = bytes.replace('Send it.', 'Sent it.');
    const { tone, said, hash } = await visit(bytes, async () => new Response(altered));
    assert.equal(tone('integrity'), 'bad');
    assert.match(said('integrity'), /does not hold/);
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.notEqual(hash, receipt_sha256);
  });

  it('says so when the page shows another receipt than its link leads to', async () => {
    const other = sealed({ ...genericReceipt(), receipt_id: 'RCPT-000013-00000000', org_seq: 13 });
    const { tone, said } = await visit(bytes, async () => new Response(other.bytes));
    assert.equal(tone('integrity'), 'bad');
    assert.match(said('integrity'), /another receipt .* RCPT-000013-00000000/);
  });

  it('claims nothing when it could not download, or what came is no receipt', async () => {
    const busy = await visit(bytes, async () => new Response('', { status: 429 }));
    assert.deepEqual([busy.tone('integrity'), busy.hash], ['neutral', '']);
    assert.match(busy.said('integrity'), /Not checked: .*429/);
    const away = await visit(bytes, () => Promise.reject(new TypeError('offline')));
    assert.match(away.said('integrity'), /Not checked/);
    const page = await visit(bytes, async () => new Response('<html>'));
    assert.equal(page.tone('integrity'), 'bad');
  });
});
