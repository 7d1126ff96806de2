/** Witnesses in the console and on the share page, in a real browser. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type RunningTest, running } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt as mint } from '../../packages/ledger/test/kit/story.ts';
import { type ServingWitness, serveWitness } from '../../packages/witness/test/kit/serving.ts';
import { assertAccessible, openBrowser, visitor } from './browser.ts';

const DARK: BrowserContextOptions = { colorScheme: 'dark' };

describe('witnesses in a browser', () => {
  let folder: string;
  let ledger: RunningTest;
  let browser: Browser;
  let witness: ServingWitness;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'witnesses-'));
    witness = await serveWitness('witness.example/w1');
    [ledger, browser] = await Promise.all([running({ url: `sqlite:${join(folder, 'ledger.db')}` }), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await ledger?.close();
    await witness?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('are added, cosign, are shown where the chain is and where a receipt is shared, and say what is wrong', async () => {
    const tenant = await ledger.tenant();
    const receipt = await mint(tenant);
    const headers = { extraHTTPHeaders: { authorization: `Bearer ${tenant.keys.owner}` } };
    const { page, clean, context } = await visitor(browser, ledger.url, { ...headers, ...DARK }, [/status of 422/]);

    await page.goto(`${ledger.url}/settings/witnesses`);
    await page.getByText('Nobody cosigns yet').waitFor();
    await page.getByRole('button', { name: 'Add a witness' }).last().click();
    await page.getByLabel('Address').fill(witness.url);
    await page.getByLabel('Verifier key').fill('not a key');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('a verifier key is name+id+base64').waitFor();
    await page.getByLabel('Verifier key').fill(witness.vkey);
    await assertAccessible(page, 'a new witness');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('a log of that origin. Send its operator the line of GET /ledger/key.').waitFor();
    await page.getByText('a log of that origin. Send its operator the line of GET /activity/key.').waitFor();
    await assertAccessible(page, 'a witness that refuses');

    for (const path of ['/ledger/key', '/activity/key'])
      witness.watch((await tenant.ask('owner', 'GET', path)).text.trim());
    await page.getByText('Cosigned', { exact: true }).nth(1).waitFor();
    await page.goto(`${ledger.url}/ledger`);
    await page.getByText('1 of 1 witnesses have cosigned the end').waitFor();
    await assertAccessible(page, 'the chain with its witnesses');

    await page.goto(receipt.share_url);
    await page.getByText(/^Cosigned by 1 of 1 witnesses, last at \d{4}-/).waitFor();
    await page.locator('#check').scrollIntoViewIfNeeded();

    await page.goto(`${ledger.url}/settings/witnesses`);
    await page.getByRole('button', { name: 'Remove witness.example/w1' }).click();
    await page.getByRole('button', { name: 'Remove witness', exact: true }).click();
    await page.getByText('Nobody cosigns yet').waitFor();
    const kinds = (await tenant.as('auditor')('GET', '/activity')).receipts.map(
      ({ activity }: { activity: { kind: string } }) => activity.kind,
    );
    for (const kind of ['witness_added', 'witness_removed']) assert.ok(kinds.includes(kind), `${kinds}`);
    clean();
    await context.close();
  });
});
