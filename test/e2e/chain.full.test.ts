/** Receipts and their chain in the console, in a real browser: found, read, verified, and drawn where they break. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { MIGRATIONS } from '@rcpt/ledger/migrations.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type RunningTest, running } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt } from '../../packages/ledger/test/kit/story.ts';
import { chainOf, found, type Tenant } from '../bench/src/prepare.ts';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';

const RECEIPTS = 6_200;
const DARK: BrowserContextOptions = { colorScheme: 'dark' };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

describe('receipts and their chain in a browser', () => {
  let folder: string;
  let file: string;
  let ledger: RunningTest;
  let browser: Browser;
  let long: Tenant;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'chain-'));
    file = join(folder, 'ledger.db');
    const db = openDatabase(`sqlite:${file}`);
    await migrate(db, MIGRATIONS);
    long = await found(db, 'Long Chain');
    await chainOf(db, long, RECEIPTS, () => {});
    await db.close();
    alter(`update runs set title = 'Seek and find' where organization_id = ? and id in
      (select run_id from receipts where organization_id = ? and org_seq in (6100, 40))`);
    [ledger, browser] = await Promise.all([running({ url: `sqlite:${file}` }), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await ledger?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (key: string, options: BrowserContextOptions = {}, expected: RegExp[] = []): Promise<Watched> =>
    visitor(browser, ledger.url, { ...options, extraHTTPHeaders: { authorization: `Bearer ${key}` } }, expected);

  /** What no API can do: as whoever holds the database file. */
  function alter(sql: string): void {
    const db = new DatabaseSync(file, { timeout: 60_000 });
    assert.ok(db.prepare(sql).run(...Array(sql.split('?').length - 1).fill(long.organization_id)).changes > 0);
    db.close();
  }

  async function receiptAt(org_seq: number): Promise<ReceiptSummary> {
    const { json } = await ledger.call('GET', `/receipts?search=%23${org_seq}`, { token: long.api_key });
    return json.receipts[0];
  }

  test('an organization without receipts has nothing to verify', async () => {
    const { keys } = await ledger.tenant('Newcomer');
    const { page, clean, context } = await as(keys.owner, DARK);
    await page.goto(`${ledger.url}/ledger`);
    await page.getByRole('heading', { name: 'The chain has no receipt yet' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Verify' }).count(), 0);
    await assertAccessible(page, 'an empty ledger');
    await page.goto(`${ledger.url}/receipts`);
    await page.getByRole('heading', { name: 'No receipt yet' }).waitFor();
    await assertAccessible(page, 'an empty list of receipts');
    clean();
    await context.close();
  });

  test('a search goes on by itself to the beginning of the chain, and its address brings it back', async () => {
    const { page, clean, context } = await as(long.api_key);
    await page.goto(`${ledger.url}/receipts`);
    await page.getByRole('link', { name: `#${RECEIPTS - 1}` }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('seek AND');
    await page.getByText('2 receipts in all').waitFor();
    assert.match(page.url(), /\?search=seek\+AND$/);
    await assertAccessible(page, 'found receipts');
    await page.reload();
    await page.getByText('2 receipts in all').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Seek and find' }).waitFor();
    assert.match(page.url(), /\/receipts\/RCPT-000040-/);
    clean();
    await context.close();
  });

  test('a receipt stands beside its bytes, hashed in this browser, between its neighbours', async () => {
    const { receipt_id, receipt_sha256 } = await receiptAt(6_100);
    for (const options of [{}, DARK, PHONE]) {
      const { page, clean, context } = await as(long.api_key, options);
      await page.goto(`${ledger.url}/receipts/${receipt_id}`);
      await page.getByRole('heading', { name: 'Unchanged since it was sealed' }).waitFor();
      await page.getByRole('heading', { name: 'Findings' }).waitFor();
      const { text } = await ledger.call('GET', `/receipts/${receipt_id}`, { token: long.api_key });
      assert.equal(await page.locator('.stored-bytes').textContent(), text);
      assert.match((await page.locator('.integrity').textContent())!, new RegExp(receipt_sha256));
      await assertNoSideways(page);
      await assertAccessible(page, 'a receipt');
      await page.keyboard.press('j');
      await page.waitForURL(/RCPT-006099-/);
      clean();
      await context.close();
    }
  });

  test('the chain is walked to any number, row for row, and verified from end to end', async () => {
    const { page, clean, context } = await as(long.api_key);
    await page.goto(`${ledger.url}/ledger`);
    await page.getByRole('link', { name: 'Invoice' }).first().waitFor();
    await page.getByRole('textbox', { name: 'Number of a receipt' }).fill('3000');
    await page.keyboard.press('Enter');
    await page.locator('.chain-row[data-at] .chain-number', { hasText: '#3000' }).waitFor();
    await page.keyboard.press('j');
    const { receipt_sha256, receipt_id } = await receiptAt(2_999);
    const row = page.locator('.chain-row[data-at]');
    await row.locator('code', { hasText: receipt_sha256.slice(0, 10) }).waitFor();
    assert.equal(await page.locator('.chain-scroller .broken').count(), 0);

    await page.keyboard.press('v');
    await page.getByRole('heading', { name: 'The chain holds' }).waitFor();
    assert.match(
      (await page.locator('.verify').textContent())!,
      /All 6,200 receipts are as they were sealed.*Head #6199/,
    );
    await assertAccessible(page, 'a chain that holds');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(receipt_id));
    clean();
    await page.goto(`${ledger.url}/`);
    const card = page.getByRole('region', { name: 'Chain' });
    await card.getByText('Unchanged').waitFor();
    assert.match((await card.textContent())!, /6,200 receipts/);
    await context.close();
  });

  test('what was altered is named, in the list and in the receipt, with the broken link', async () => {
    const altered = await receiptAt(4_321);
    alter(
      `update receipts set payload = replace(payload, 'invoice-reader', 'invoice-writer') where organization_id = ? and org_seq = 4321`,
    );
    alter(`update receipts set parent_hash = '${'f'.repeat(64)}' where organization_id = ? and org_seq = 77`);
    for (const options of [{}, DARK, PHONE]) {
      const { page, clean, context } = await as(long.api_key, options);
      await page.goto(`${ledger.url}/ledger`);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('heading', { name: 'The chain does not hold: 2 violations' }).waitFor();
      await page.getByRole('heading', { name: 'Record altered at #77' }).waitFor();
      await page.getByRole('heading', { name: 'Content altered at #4321' }).waitFor();
      await page.getByRole('button', { name: 'Show in the chain' }).nth(1).click();
      const torn = page.locator('.chain-scroller .chain-row', { has: page.locator('.line.broken') });
      await torn
        .filter({ hasText: '#4322' })
        .locator('.torn', { hasText: altered.receipt_sha256.slice(0, 10) })
        .waitFor();
      await page.locator('.chain-row[data-at]', { hasText: 'Content altered' }).waitFor();
      await assertNoSideways(page);
      await assertAccessible(page, 'a broken chain');
      await page.goto(`${ledger.url}/receipts/${altered.receipt_id}`);
      await page.getByRole('heading', { name: 'This receipt no longer matches its hash' }).waitFor();
      await page.getByText('As stored: Passed').waitFor();
      await assertAccessible(page, 'an altered receipt');
      clean();
      await context.close();
    }
  });

  test('what is minted meanwhile shows up without a reload', async () => {
    const tenant = await ledger.tenant('Busy');
    await mintedReceipt(tenant, 'generic', { title: 'The first one' });
    const { page, clean, context } = await as(tenant.keys.auditor);
    await page.goto(`${ledger.url}/ledger`);
    await page.getByRole('link', { name: 'The first one' }).waitFor();
    await mintedReceipt(tenant, 'generic', { title: 'The second one' });
    await page.getByRole('link', { name: 'The second one' }).waitFor();
    assert.equal(await page.locator('.chain-scroller .broken').count(), 0);
    await page.goto(`${ledger.url}/receipts`);
    await page.getByText('2 receipts in all').waitFor();
    await mintedReceipt(tenant, 'generic', { title: 'The third one' });
    await page.getByRole('link', { name: 'The third one' }).waitFor();
    clean();
    await context.close();
  });
});

async function assertNoSideways(page: Page): Promise<void> {
  assert.ok(
    ((await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number) <= 0,
    'nothing sticks out',
  );
}
