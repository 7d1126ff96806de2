/** The offline file, opened from disk without a network: it says of every vector what the command line says, and of a PDF as a reader gets it. */
import { strict as assert } from 'node:assert';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { renderPdf } from '@rcpt/ledger/share/pdf/pdf.ts';
import { opened } from '@rcpt/ledger/share/view.ts';
import { ANSWER_TITLES, type Answers } from '@rcpt/proof/answers/answer.ts';
import type { Browser, Page } from 'playwright-core';
import { answersOfVector } from '../../vectors/expected-proofs.ts';
import type { AnswersVector } from '../../vectors/make-proofs.ts';
import { assertAccessible, openBrowser, visitor } from './browser.ts';

const FILE = new URL('../../packages/console/dist/verify.html', import.meta.url);
const folder = new URL('../../vectors/proofs/', import.meta.url);
const vectorAt = (name: string): AnswersVector => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
const vectors = readdirSync(folder)
  .filter((name) => name.startsWith('answers--'))
  .map(vectorAt)
  // What was seen before is remembered by the command line alone.
  .filter(({ remembered }) => remembered === undefined);

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content as string),
});

/** Lays the files down on an empty page, and what it says then. */
async function lay(page: Page, files: ReturnType<typeof file>[], keys = ''): Promise<string[]> {
  if (await page.locator('#anew').isVisible()) await page.locator('#anew').click();
  await page.locator('#key').fill(keys);
  await page.locator('#files').setInputFiles(files);
  await page.locator('#result').waitFor();
  return page.locator('#answers .text').allTextContents();
}

const sentences = (answers: Answers) =>
  answers.about === 'nothing' ? [] : ANSWER_TITLES.map(([name]) => answers[name].text);

describe('the offline file', () => {
  let browser: Browser;
  before(async () => {
    assert.ok(existsSync(FILE), 'npm run build makes it');
    browser = await openBrowser();
  });
  after(() => browser?.close());

  test('says of every vector what the command line says, and asks nobody', async () => {
    const { page, context, clean } = await visitor(browser, 'http://127.0.0.1:1', { offline: true });
    await page.goto(pathToFileURL(FILE.pathname).href);
    for (const vector of vectors) {
      const { receipt, proof, checkpoint, keys_beside, policy, consistency } = vector;
      const given = { receipt, export: vector.export, proof, checkpoint, keys_beside, policy, consistency };
      const files = Object.entries(given).flatMap(([name, text]) => (text === undefined ? [] : [file(name, text)]));
      const said = await lay(page, files, vector.keys);
      assert.deepEqual(said, sentences(await answersOfVector(vector)), vector.story);
    }
    clean();
    await context.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`takes a PDF alone, and a key is trusted when the reader says so: ${colorScheme}`, async () => {
      const { page, context, clean } = await visitor(browser, 'http://127.0.0.1:1', { colorScheme, offline: true });
      await page.goto(pathToFileURL(FILE.pathname).href);
      await assertAccessible(page, `the empty page, ${colorScheme}`);
      const { receipt, proof, keys } = vectorAt('answers--a-receipt-with-proof-and-key.json');
      const share_url = JSON.parse(receipt!).share_url;
      const pdf = await renderPdf(opened({ bytes: receipt!, share_url, beside: { proof: proof!, keys: keys! } }));
      const said = await lay(page, [file('receipt.pdf', pdf)]);
      const beside: AnswersVector = { story: '', receipt: receipt!, proof: proof!, keys_beside: keys! };
      assert.deepEqual(said, sentences(await answersOfVector(beside)));
      await page.locator('#keys input').check();
      await page.locator('#identity.holds').waitFor();
      await assertAccessible(page, `the answers, ${colorScheme}`);
      const altered = receipt!.replace('"eval_after":0.734', '"eval_after":0.834');
      await lay(page, [file('receipt.json', altered), file('proof', proof!)], keys);
      await page.locator('#integrity.fails').waitFor();
      await assertAccessible(page, `answers that fail, ${colorScheme}`);
      clean();
      await context.close();
    });
});
