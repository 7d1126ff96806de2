/** What administrators did, in a real browser: read, filtered, verified, exported; what was done past the ledger shows. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { addMember, named, signIn } from '../../packages/ledger/test/kit/people.ts';
import { type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { mintedReceipt } from '../../packages/ledger/test/kit/story.ts';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';

const DARK: BrowserContextOptions = { colorScheme: 'dark' };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

describe('the activity page in a browser', () => {
  let folder: string;
  let ledger: RunningTest;
  let browser: Browser;
  let tenant: Tenant;
  let receipt_id: string;
  /** Of a person: a browser sends the key of a test along with pages, and not with what it downloads. */
  let cookie: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'activity-'));
    [ledger, browser] = await Promise.all([running({ url: `sqlite:${join(folder, 'ledger.db')}` }), openBrowser()]);
    tenant = await ledger.tenant('Riverside Clinic');
    const { email } = await addMember(tenant, 'owner');
    const ada = await signIn(ledger, email);
    await named(ada, 'Ada Examiner');
    cookie = ada.cookie;
    await ada.ask('PATCH', '/organization', { body: { four_eyes: true } });
    ({ receipt_id } = await mintedReceipt(tenant));
    await tenant.as('owner')('PUT', `/receipts/${receipt_id}/share`, { enabled: false });
  });
  after(async () => {
    await browser?.close();
    await ledger?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (key: string, options: BrowserContextOptions = {}): Promise<Watched> =>
    visitor(browser, ledger.url, { ...options, extraHTTPHeaders: { authorization: `Bearer ${key}` } });
  const lines = (page: Page) => page.locator('.activity-line').allInnerTexts();

  for (const [scheme, options] of [
    ['light', {}],
    ['dark', DARK],
    ['a phone', PHONE],
  ] as const)
    test(`says in a sentence each who did what, and verifies it: ${scheme}`, async () => {
      const { page, clean, context } = await as(tenant.keys.auditor, options);
      await page.goto(`${ledger.url}/activity`);
      await page.getByText('Ada Examiner switched four eyes on.').waitFor();
      await page.getByText('The operator created the organization, with four eyes off.').waitFor();
      const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }).format(new Date());
      await page.getByRole('heading', { level: 2, name: new RegExp(`^${day}, `) }).waitFor();
      await assertAccessible(page, `the activity page, ${scheme}`);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByRole('heading', { name: 'The chain holds' }).waitFor();
      await assertAccessible(page, `a verified activity, ${scheme}`);
      clean();
      await context.close();
    });

  test('is filtered by what was done and by who did it, and keeps that in the address', async () => {
    const { page, clean, context } = await as(tenant.keys.owner);
    await page.goto(`${ledger.url}/activity`);
    await page.getByLabel('What was done').selectOption({ label: 'Key issued' });
    await page.getByText('Ada Examiner switched four eyes on.').waitFor({ state: 'detached' });
    assert.equal((await lines(page)).length, 4);
    await page.getByLabel('Who did it').selectOption({ label: 'The operator' });
    await page.getByText('The operator issued the owner key').waitFor();
    await page.waitForFunction('document.querySelectorAll(".activity-line").length === 1');
    assert.match(page.url(), /kind=key_issued&by=operator$/);
    await page.getByLabel('What was done').selectOption({ label: 'Pack taken' });
    await page.getByRole('button', { name: 'Show everything' }).click();
    await page.getByText('Ada Examiner switched four eyes on.').waitFor();
    await page.getByRole('link', { name: receipt_id }).click();
    await page.waitForURL(`**/receipts/${receipt_id}`);
    clean();
    await context.close();
  });

  test('is taken away as a file, which is then in it', async () => {
    const { page, clean, context } = await visitor(browser, ledger.url);
    const [name, value] = cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: ledger.url }]);
    // Whose the organization is was asked at its first sight.
    await context.request.patch(`${ledger.url}/session`, {
      data: { organization_id: tenant.organization_id },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    await page.goto(`${ledger.url}/activity`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `${tenant.organization_id}-activity.ndjson`);
    const first = JSON.parse(readFileSync(await download.path(), 'utf8').split('\n')[0]!);
    assert.equal(first.activity.kind, 'organization_created');
    await page.reload();
    await page.getByText('Ada Examiner took an export of this record, up to #').first().waitFor();
    clean();
    await context.close();
  });

  test('is not for agents and approvers, and says so', async () => {
    const { page, clean, context } = await as(tenant.keys.agent);
    await page.goto(`${ledger.url}/activity`);
    await page.getByText('Your role here is agent; this takes auditor or owner.').waitFor();
    await assertAccessible(page, 'the activity page of an agent');
    clean();
    await context.close();
  });

  test('says which key was slipped in past the ledger', async () => {
    const slipped = await ledger.tenant();
    const db = new DatabaseSync(join(folder, 'ledger.db'));
    db.exec('pragma busy_timeout = 5000');
    db.prepare(
      `insert into api_keys (organization_id, id, role, label, secret_sha256, created_at) values (?, 'key_slipped', 'owner', '', 'x', '2020-01-01T00:00:00.000Z')`,
    ).run(slipped.organization_id);
    db.close();
    const { page, clean, context } = await as(slipped.keys.auditor, DARK);
    await page.goto(`${ledger.url}/activity`);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('heading', { name: 'The chain does not hold: 1 violation' }).waitFor();
    await page.getByText('key key_slipped is stored as owner, and no line says who brought it in').waitFor();
    await assertAccessible(page, 'an activity with a violation');
    clean();
    await context.close();
  });
});
