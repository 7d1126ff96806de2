/** The page's script, run as the browser gets it: the served modules, a document with the spots it writes to. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
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

  /** The script on the page of `shown`, where the link leads to `answer`. */
  async function visit(shown: string, answer: () => Promise<Response>) {
    const page = renderPage({ ...sealed(), receipt: JSON.parse(shown) as object, bytes: shown });
    const at = (id: string) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? '';
    const spot = (textContent: string): Spot => ({ textContent, className: '', dataset: {}, setAttribute() {} });
    const spots = new Map(
      ['integrity', 'finding', 'found', 'receipt-id', 'receipt-sha256'].map((id) => [`#${id}`, spot(at(id))]),
    );
    const documentElement = { ...spot(''), dataset: { download: './token/download' } };
    const asked: unknown[] = [];
    const world = globalThis as unknown as Record<string, unknown>;
    const { fetch } = globalThis;
    world.document = { documentElement, querySelector: (selector: string) => spots.get(selector) ?? null };
    world.fetch = (url: unknown) => {
      asked.push(url);
      return answer();
    };
    try {
      await import(`${pathToFileURL(join(folder, 'assets/page/verify.mjs')).href}?${runs++}`);
    } finally {
      world.fetch = fetch;
      delete world.document;
    }
    assert.deepEqual(asked, ['./token/download']);
    const said = (id: string) => spots.get(`#${id}`)!.textContent;
    return { tone: spots.get('#integrity')!.className, text: said('finding'), hash: said('found') };
  }

  const { bytes, receipt } = sealed();
  const { receipt_sha256 } = receipt as { receipt_sha256: string };

  it('computes the hash of the downloaded bytes and says that it is the stated one', async () => {
    const said = await visit(bytes, async () => new Response(bytes));
    assert.equal(said.tone, 'good');
    assert.match(said.text, /^Unchanged since it was sealed\./);
    assert.equal(said.hash, receipt_sha256);
  });

  it('says that altered bytes do not hold, and which hash they have', async () => {
    const said = await visit(bytes, async () => new Response(bytes.replace('Send it.', 'Sent it.')));
    assert.equal(said.tone, 'bad');
    assert.match(said.text, /does not hold/);
    assert.match(said.hash, /^[0-9a-f]{64}$/);
    assert.notEqual(said.hash, receipt_sha256);
  });

  it('says so when the page shows another receipt than its link leads to', async () => {
    const other = sealed({ ...genericReceipt(), receipt_id: 'RCPT-000013-00000000', org_seq: 13 });
    const said = await visit(bytes, async () => new Response(other.bytes));
    assert.equal(said.tone, 'bad');
    assert.match(said.text, /another receipt .* RCPT-000013-00000000/);
  });

  it('claims nothing when it could not download, or what came is no receipt', async () => {
    const busy = await visit(bytes, async () => new Response('', { status: 429 }));
    assert.deepEqual([busy.tone, busy.hash], ['neutral', '']);
    assert.match(busy.text, /Not checked: .*429/);
    const away = await visit(bytes, () => Promise.reject(new TypeError('offline')));
    assert.match(away.text, /Not checked/);
    const page = await visit(bytes, async () => new Response('<html>'));
    assert.equal(page.tone, 'bad');
  });
});
