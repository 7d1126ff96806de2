/** A client holds the file they were given against the receipt they were sent, and the file leaves their machine for nobody. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { assertAccessible, openBrowser, visitor } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';
import { mintGeneric } from './mint.ts';

const TEXT = 'Visit notes: two tiles to replace, the gutter can stay. – Ω';
const NOTES = 'Two tiles are broken. The gutter is sound.';
const VALUE = { total: 10.3, items: [{ amount: 10.1 }, { amount: 0.2 }] };
/** What hashes and compares, loaded with the first file. */
const OWN_SCRIPT = /^\/assets\/(page|proof|contract)\/[\w/-]+\.ts$/;
const MEBIBYTE = 1 << 20;
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

describe('a file beside a shared receipt', () => {
  let house: House;
  let browser: Browser;
  let text_url = '';
  let text_receipt_id = '';
  let json_url = '';
  const folder = mkdtempSync(join(tmpdir(), 'e2e-compare-'));

  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
    const evidence = [
      ['Visit notes', NOTES],
      ['Roof, north side', 'a photo'],
    ] as const;
    ({ share_url: text_url, receipt_id: text_receipt_id } = await mintGeneric(house, {
      title: 'Roof survey',
      output: TEXT,
      evidence,
    }));
    json_url = (await mintGeneric(house, { title: 'Invoice check', output: VALUE, evidence: [] })).share_url;
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
    assert.equal(await house?.stop(), 0);
  });

  /** Nothing but zeros and an x in the last mebibyte; it takes no room on the disk. */
  function fileOf(name: string, size: number): string {
    const path = join(folder, name);
    const file = openSync(path, 'w');
    ftruncateSync(file, size);
    writeSync(file, 'x', size - MEBIBYTE);
    closeSync(file);
    return path;
  }

  /** The page, its hash recomputed, ready for files; from then on it requests its own scripts and nothing else. */
  async function open(url: string, options: BrowserContextOptions = {}) {
    const { page, context, clean } = await visitor(browser, house.ledger_url, options);
    const asked: string[] = [];
    await page.goto(url);
    await page.locator('#drop').waitFor();
    page.on('request', (request) => {
      const is_script = request.method() === 'GET' && OWN_SCRIPT.test(request.url().slice(house.ledger_url.length));
      if (!is_script) asked.push(request.url());
    });
    const finish = async () => {
      assert.deepEqual(asked, [], 'nothing leaves the page');
      clean();
      await context.close();
    };
    return { page, finish };
  }

  for (const [name, options] of [
    ['wide and light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
    ['on a phone and dark', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true }],
  ] as const)
    test(`is told to be the output, evidence or neither: ${name}`, async () => {
      const { page, finish } = await open(text_url, options);
      await drop(page, [['deliverable.txt', TEXT]]);
      assert.deepEqual(await answers(page), [['deliverable.txt', 'This file is the sealed output.', sha256(TEXT)]]);

      await drop(page, [
        ['notes.txt', NOTES],
        ['other.txt', `${TEXT} `],
        ['echoed.txt', `${TEXT}\n`],
      ]);
      assert.deepEqual(await answers(page), [
        ['notes.txt', 'This file is evidence.', sha256(NOTES)],
        ['other.txt', 'This file is not in this receipt.', sha256(`${TEXT} `)],
        [
          'echoed.txt',
          'This file is not in this receipt. It ends in a newline that was not sealed: without that newline it would be the sealed output.',
          sha256(`${TEXT}\n`),
        ],
      ]);
      assert.equal(await page.locator('#answers .answer.good .piece').textContent(), 'Visit notes');
      const compared = await page.locator('.compared-with').textContent();
      const stated = await page.locator('#receipt-sha256').textContent();
      assert.match(compared!, /^Compared with RCPT-\d{6}-[0-9a-f]{8}, whose hash this browser recomputed: /);
      assert.ok(compared!.endsWith(stated!));
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
        true,
        'nothing is cut off at the side',
      );
      await assertAccessible(page, `compared files, ${name}`);
      await finish();
    });

  test('is chosen by keyboard, in an input that has a name, and the answer is announced', async () => {
    const { page, finish } = await open(text_url);
    const input = page.getByLabel('Choose a file');
    assert.equal(await input.getAttribute('type'), 'file');
    await input.focus();
    const chosen = page.waitForEvent('filechooser');
    // The browser hands its dialog to the test from the next round trip on.
    await page.evaluate('0');
    await page.keyboard.press('Enter');
    await (await chosen).setFiles([{ name: 'deliverable.txt', mimeType: 'text/plain', buffer: Buffer.from(TEXT) }]);
    const status = page.getByRole('status');
    await status.getByText('This file is the sealed output.').waitFor();
    await finish();
  });

  test('that holds the JSON of the output in another formatting is told so', async () => {
    const { page, finish } = await open(json_url);
    await drop(page, [['invoice.json', `${JSON.stringify(VALUE, null, 4)}\n`]]);
    const [[, said] = []] = await answers(page);
    assert.equal(said, 'Its JSON content is the sealed output; the file is formatted differently.');
    await drop(page, [['invoice.json', JSON.stringify({ ...VALUE, total: 10.4 })]]);
    assert.equal((await answers(page))[0]?.[1], 'This file is not in this receipt.');
    await finish();
  });

  test('of three hundred megabytes is hashed with progress, the page stays alive, and it can be stopped', async () => {
    const large = fileOf('large.bin', 300 * MEBIBYTE);
    // So large that it is still being read when somebody stops it, on any machine.
    const huge = fileOf('huge.bin', 16 * 1024 * MEBIBYTE);
    const { page, finish } = await open(text_url);
    await page.evaluate(`
      globalThis.longest = 0;
      let last = performance.now();
      setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 10);
    `);
    await page.getByLabel('Choose a file').setInputFiles(huge);
    await page.getByRole('progressbar', { name: /Hashing huge\.bin, 17,179,869,184 bytes/ }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('progressbar').waitFor({ state: 'hidden' });
    assert.equal(await page.locator('#answers .answer').count(), 0);

    await page.getByLabel('Choose a file').setInputFiles(large);
    const whole = createHash('sha256');
    const nothing = Buffer.alloc(MEBIBYTE);
    for (let i = 0; i < 299; i++) whole.update(nothing);
    nothing.write('x');
    assert.deepEqual(await answers(page), [
      [
        'large.bin',
        'This file is not in this receipt. It is too large to be compared by its JSON content: only its bytes were.',
        whole.update(nothing).digest('hex'),
      ],
    ]);
    const longest = (await page.evaluate('longest')) as number;
    assert.ok(longest < 2000, `the page stood still for ${longest} ms`);
    await finish();
  });

  test('is in the hands of a worker that can send nothing', async () => {
    const refused = [/violates the following Content Security Policy directive/, /Refused to connect/];
    const { page, context, clean } = await visitor(browser, house.ledger_url, {}, refused);
    await page.goto(text_url);
    await page.locator('#drop').waitFor();
    assert.deepEqual(page.workers(), [], 'nothing is started for a page without files');
    await drop(page, [['deliverable.txt', TEXT]]);
    const [worker] = page.workers();
    const tried = await worker!.evaluate(`fetch('/healthz').then(() => 'sent', () => 'refused')`);
    assert.equal(tried, 'refused');
    clean();
    await context.close();
  });

  test('that cannot be read is not compared, and a name is never taken for markup', async () => {
    const { page, finish } = await open(text_url);
    await drop(page, [['<img src=x onerror=alert(1)>\u202egpj', 'x']]);
    assert.deepEqual((await answers(page))[0]?.slice(0, 2), [
      '<img src=x onerror=alert(1)>[U+202E]gpj',
      'This file is not in this receipt.',
    ]);
    // Gone between being chosen and being read.
    const gone = join(folder, 'gone.txt');
    writeFileSync(gone, 'here');
    const file = await page.evaluateHandle('document.querySelector("#file")');
    await page.evaluate(`document.querySelector('#file').addEventListener('change', (event) => {
      event.stopImmediatePropagation();
      globalThis.again = () => document.querySelector('#file').dispatchEvent(new Event('change'));
    }, { capture: true, once: true })`);
    await file.asElement()!.setInputFiles(gone);
    rmSync(gone);
    await page.evaluate('again()');
    await page.getByText('It could not be read.').waitFor();
    await finish();
  });

  test('is not compared with an altered receipt, whatever it is', async () => {
    const token = json_url.split('/').at(-1)!;
    const output_sha256 = sha256('the forger’s own');
    const db = new DatabaseSync(join(house.data, 'ledger.db'), { timeout: 60_000 });
    const changed = db
      .prepare(`update receipts set payload = json_set(payload, '$.execution.output_sha256', ?) where share_token = ?`)
      .run(output_sha256, token);
    db.close();
    assert.equal(changed.changes, 1);
    // The log gives no proof of what it did not sign.
    const { page, context, clean } = await visitor(browser, house.ledger_url, {}, [/status of 409/]);
    await page.goto(json_url);
    await page.locator('#integrity.bad').waitFor();
    await page.getByText('The receipt itself does not verify, so no file is compared with it.').waitFor();
    assert.equal(await page.locator('input[type=file]').count(), 0);
    await assertAccessible(page, 'an altered receipt, without files');

    // The server says nothing of it, and the browser finds out by itself.
    const shown = await (await fetch(text_url, { headers: { accept: 'text/html' } })).text();
    const forged = await (await fetch(`${json_url}/download`)).text();
    await page.route(text_url, (route) => route.fulfill({ body: shown, contentType: 'text/html' }));
    await page.route(`${text_url}/download`, (route) => route.fulfill({ body: forged }));
    await page.goto(text_url);
    await page.getByText('The receipt itself does not verify, so no file is compared with it.').waitFor();
    assert.equal(await page.locator('#drop').isVisible(), false);
    clean();
    await context.close();
  });

  test('is compared in the console, too, beside the receipt that was hashed there', async () => {
    const { page, context, clean } = await visitor(browser, house.ledger_url, { reducedMotion: 'reduce' });
    await enter(page, house.sign_in_url);
    await page.getByRole('heading', { level: 1, name: 'Demo Workshop' }).waitFor();
    await page.goto(`${house.ledger_url}/receipts/${text_receipt_id}`);
    await page.getByRole('heading', { name: 'Compare a file' }).waitFor();
    const posted: string[] = [];
    page.on('request', (request) => request.method() !== 'GET' && posted.push(request.url()));
    const file = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
    await page
      .getByLabel('choose one')
      .setInputFiles([file('deliverable.txt', TEXT), file('notes.txt', NOTES), file('echoed.txt', `${TEXT}\n`)]);
    await page.locator('.compared > li').nth(2).waitFor();
    const said = await page.locator('.compared > li').allInnerTexts();
    const lines = said.map((text) => text.replace(/\n+/g, '\n'));
    assert.deepEqual(lines, [
      `deliverable.txt\nThis file is the sealed output.\n${sha256(TEXT)}`,
      `notes.txt\nThis file is evidence.\nVisit notes\n${sha256(NOTES)}`,
      `echoed.txt\nThis file is not in this receipt.\nIt ends in a newline that was not sealed: without that newline it would be the sealed output.\n${sha256(`${TEXT}\n`)}`,
    ]);
    assert.deepEqual(posted, []);
    await assertAccessible(page, 'a receipt in the console with compared files');
    clean();
    await context.close();
  });

  test('has no place on the page of a receipt that seals none', async () => {
    const { page, context, clean } = await visitor(browser, house.ledger_url);
    await page.goto(house.demo.training.cook.share_url);
    await page.locator('#integrity.good').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Compare a file' }).count(), 0);
    clean();
    await context.close();
  });

  test('can be compared by hand where scripts do not run', async () => {
    const { page, context, clean } = await visitor(browser, house.ledger_url, { javaScriptEnabled: false });
    await page.goto(text_url);
    assert.equal(await page.locator('#drop').isVisible(), false);
    await page.getByText('Compare it by hand').click();
    assert.ok(await page.locator('.compare').getByText(sha256(TEXT)).isVisible());
    clean();
    await context.close();
  });
});

/** As a pointer drops them, on the page and not on the zone. */
async function drop(page: Page, files: [name: string, content: string][]): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(${(given: [string, string][]) => {
      const world = globalThis as unknown as {
        DataTransfer: new () => { items: { add(file: unknown): void } };
        File: new (parts: string[], name: string) => unknown;
      };
      const made = new world.DataTransfer();
      for (const [name, content] of given) made.items.add(new world.File([content], name));
      return made;
    }})(${JSON.stringify(files)})`,
  );
  for (const event of ['dragover', 'drop']) await page.dispatchEvent('h1', event, { dataTransfer: transfer });
  await page
    .locator('#answers .answer')
    .nth(files.length - 1)
    .waitFor();
}

/** File, sentence, hash. */
async function answers(page: Page): Promise<string[][]> {
  await page.locator('#answers .answer').first().waitFor();
  await page.locator('#compared-hash:not(:empty)').waitFor();
  return Promise.all(
    (await page.locator('#answers .answer').all()).map(async (answer) => [
      (await answer.locator('.laid').textContent())!,
      (await answer.locator('p:not(.piece, .hash)').allTextContents()).join(' '),
      (await answer.locator('.hash').textContent())!,
    ]),
  );
}
