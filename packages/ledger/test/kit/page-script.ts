/** The page's script, run as the browser gets it: the served modules, and a document with the spots it writes to. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ANSWER_TITLES } from '@rcpt/proof/answers/answer.ts';
import { loadAssets } from '../../src/share/page/assets.ts';
import { renderPage } from '../../src/share/page/page.ts';
import { opened } from '../../src/share/view.ts';
import { LINK } from './print.ts';

interface Spot {
  textContent: string;
  className: string;
  dataset: Record<string, string>;
  setAttribute(): void;
}

type Load = () => Promise<Response>;

export type PageScript = ReturnType<typeof openPageScript>;

/** Changes `document` and `fetch` of this process while a page is visited: one at a time. */
export function openPageScript() {
  const folder = mkdtempSync(join(tmpdir(), 'page-script-'));
  let runs = 0;
  for (const [path, { body }] of loadAssets()) {
    if (!path.endsWith('.ts')) continue;
    const file = join(folder, path.replace(/\.ts$/, '.mjs'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body.toString().replace(/(from\s*['"][^'"]+)\.ts(['"])/g, '$1.mjs$2'));
  }

  /** What the script says on the page of `shown`, where its links lead to these answers. */
  async function visit(shown: string, download: Load, proof?: string, key?: string, witnesses?: string) {
    const page = renderPage(opened({ bytes: shown, share_url: LINK }));
    const at = (id: string) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(page)?.[1] ?? '';
    const spot = (textContent: string): Spot => ({ textContent, className: '', dataset: {}, setAttribute() {} });
    const names = ANSWER_TITLES.map(([name]) => name);
    const spots = new Map(['check', 'receipt-id', 'receipt-sha256', ...names].map((id) => [`#${id}`, spot(at(id))]));
    for (const name of names)
      for (const part of ['finding', 'advice', 'found', 'cosigned']) spots.set(`#${name} .${part}`, spot(''));
    const documentElement = {
      ...spot(''),
      dataset: { download: './t/download', proof: './t/proof', key: './t/key', witnesses: './t/witnesses' },
    };
    const world = globalThis as unknown as Record<string, unknown>;
    const { fetch } = globalThis;
    const beside = (text?: string) => new Response(text ?? '', { status: text === undefined ? 404 : 200 });
    world.document = { documentElement, querySelector: (selector: string) => spots.get(selector) ?? null };
    world.fetch = async (url: unknown) =>
      url === './t/download'
        ? download()
        : beside({ './t/proof': proof, './t/key': key, './t/witnesses': witnesses }[String(url)]);
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
    const cosigned = spots.get('#time .cosigned')!.textContent;
    return { said, advice, tone, hash, cosigned };
  }

  return { visit, close: () => rmSync(folder, { recursive: true }) };
}
