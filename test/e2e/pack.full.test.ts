/** The pack of a period, asked for in a real browser and saved as a file; its verifier opens from the disk. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { addMember, signIn } from '../../packages/ledger/test/kit/people.ts';
import { type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt } from '../../packages/ledger/test/kit/story.ts';
import { unzip } from '../../packages/ledger/test/kit/unzip.ts';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';

const DARK: BrowserContextOptions = { colorScheme: 'dark' };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

describe('the pack in a browser', () => {
  let folder: string;
  let ledger: RunningTest;
  let browser: Browser;
  let tenant: Tenant;
  let receipt_id: string;
  /** Of a person: a browser sends the key of a test along with pages, and not with what it downloads. */
  let cookie: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pack-'));
    [ledger, browser] = await Promise.all([running({ url: `sqlite:${join(folder, 'ledger.db')}` }), openBrowser()]);
    tenant = await ledger.tenant('Riverside Clinic');
    ({ cookie } = await signIn(ledger, (await addMember(tenant, 'auditor')).email));
    ({ receipt_id } = await mintedReceipt(tenant));
  });
  after(async () => {
    await browser?.close();
    await ledger?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (key: string, options: BrowserContextOptions = {}): Promise<Watched> =>
    visitor(browser, ledger.url, { ...options, extraHTTPHeaders: { authorization: `Bearer ${key}` } });

  for (const [scheme, options] of [
    ['light', {}],
    ['dark', DARK],
    ['a phone', PHONE],
  ] as const)
    test(`is asked for by its days: ${scheme}`, async () => {
      const { page, clean, context } = await as(tenant.keys.auditor, options);
      await page.goto(`${ledger.url}/ledger`);
      await page.getByRole('button', { name: 'Pack for an auditor' }).click();
      const link = page.getByRole('link', { name: 'Download' });
      assert.equal(await link.getAttribute('href'), '/ledger/pack');
      await assertAccessible(page, `the dialog of a pack, ${scheme}`);
      await page.getByLabel('From (UTC)').fill('2026-01-01');
      await page.getByLabel('To (UTC)').fill('2026-01-31');
      await page.getByLabel('PDFs').selectOption({ label: 'None' });
      assert.equal(await link.getAttribute('href'), '/ledger/pack?from=2026-01-01&to=2026-01-31&pdfs=false');
      await page.getByLabel('To (UTC)').fill('2025-01-31');
      await page.getByRole('status').getByText('From is after To.').waitFor();
      clean();
      await context.close();
    });

  test('is saved whole, and recorded', async () => {
    const { page, clean, context } = await visitor(browser, ledger.url);
    const [name, value] = cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: ledger.url }]);
    // Whose the organization is was asked at its first sight.
    await context.request.patch(`${ledger.url}/session`, {
      data: { organization_id: tenant.organization_id },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    await page.goto(`${ledger.url}/ledger`);
    await page.getByRole('button', { name: 'Pack for an auditor' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    assert.match(download.suggestedFilename(), new RegExp(`^${tenant.organization_id}-.*\\.zip$`));
    const paths = (await unzip(readFileSync(await download.path()))).map(({ path }) => path);
    for (const path of [`receipts/${receipt_id}.json`, `proofs/${receipt_id}.tlog-proof`, 'README.txt'])
      assert.ok(paths.includes(path), path);
    const { receipts } = await tenant.as('owner')('GET', '/activity?order=newest&limit=1');
    assert.equal(receipts[0].activity.kind, 'pack_taken');
    clean();
    await context.close();
  });

  test('is not for agents, and says so', async () => {
    const { page, clean, context } = await as(tenant.keys.agent);
    await page.goto(`${ledger.url}/ledger`);
    await page.getByRole('button', { name: 'Pack for an auditor' }).hover();
    await page.getByText('Your role here is agent; this takes auditor or owner.').waitFor();
    clean();
    await context.close();
  });
});
