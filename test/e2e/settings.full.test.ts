/** Settings in the console, in a real browser: keys, members, the organization, and a flight sheet from blank to published. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { runAt, SHEET } from '../../packages/ledger/test/kit/story.ts';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';

const DARK: BrowserContextOptions = { colorScheme: 'dark' };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
/** What Chromium writes for an answer that the page itself shows in words; on a busy machine trials take more than their time. */
const REFUSED = [/status of 4(09|22|29)/];

describe('settings in a browser', () => {
  let folder: string;
  let ledger: RunningTest;
  let browser: Browser;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
    [ledger, browser] = await Promise.all([running({ url: `sqlite:${join(folder, 'ledger.db')}` }), openBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await ledger?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (key: string, options: BrowserContextOptions = {}): Promise<Watched> =>
    visitor(browser, ledger.url, { ...options, extraHTTPHeaders: { authorization: `Bearer ${key}` } }, REFUSED);
  const open = (page: Page, path: string) => page.goto(`${ledger.url}/settings${path}`);
  const press = (page: Page, name: string | RegExp) =>
    page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .last()
      .click();

  test('a key is shown once, asks before it is closed uncopied, and counts until it is revoked', async () => {
    const { keys } = await ledger.tenant();
    const { page, clean, context } = await as(keys.owner);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, '/keys');
    await press(page, 'New key');
    await page.getByLabel('Name').fill('nightly');
    await page.getByRole('radio', { name: /^Auditor/ }).check();
    await assertAccessible(page, 'a new key');
    await press(page, 'Create key');
    await page.getByText('shown once').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Close without copying?' }).waitFor();
    await press(page, 'Back to the key');
    await press(page, 'Copy');
    await page.getByText('Key copied').waitFor();
    const secret = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const session = await ledger.call('GET', '/session', { token: secret });
    assert.deepEqual([session.json.role, session.json.name], ['auditor', 'nightly']);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(secret), 'the secret is gone from the page');

    await press(page, 'Revoke nightly');
    await press(page, 'Revoke key');
    await page.getByText('1 revoked key').waitFor();
    clean();
    await context.close();
  });

  test('the last owner is refused in words', async () => {
    const { keys } = await ledger.tenant();
    const { page, clean, context } = await as(keys.owner, DARK);
    await open(page, '/keys');
    await press(page, 'Revoke first owner');
    await press(page, 'Revoke key');
    await page.getByText('This is the last owner').waitFor();
    await assertAccessible(page, 'a refused wish');
    clean();
    await context.close();
  });

  test('a member is invited once, changes role and is removed', async () => {
    const { keys } = await ledger.tenant();
    const { page, clean, context } = await as(keys.owner);
    await open(page, '/members');
    for (const words of ['dora@example.org invited; a mail', 'belongs to this organization already']) {
      await page.getByRole('heading', { name: 'You', exact: true }).waitFor();
      await page.keyboard.press('c');
      await page.getByLabel('E-mail address').fill('Dora@example.org');
      await press(page, 'Invite');
      await page.getByText(words).waitFor();
    }
    await press(page, 'Cancel');
    await press(page, 'Actions for dora@example.org');
    await page.getByRole('menuitem', { name: 'Change role' }).click();
    await page.getByRole('radio', { name: /^Agent/ }).check();
    await press(page, 'Change role');
    await page.getByText('is agent now').waitFor();
    await press(page, 'Actions for dora@example.org');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await press(page, 'Remove');
    await page.getByRole('heading', { name: 'Nobody is here yet' }).waitFor();
    clean();
    await context.close();
  });

  test('four eyes and the name hold for everybody at once', async () => {
    const tenant = await ledger.tenant();
    const { page, clean, context } = await as(tenant.keys.owner);
    await open(page, '');
    await page.getByLabel('Name').fill('Renamed Workshop');
    await press(page, 'Save');
    await page.getByText('Name saved').waitFor();
    await page.getByRole('switch', { name: 'Four eyes' }).click();
    await page.getByText('Four eyes from now on').waitFor();
    const { name, four_eyes } = await tenant.as('auditor')('GET', '/organization');
    assert.deepEqual([name, four_eyes], ['Renamed Workshop', true]);
    clean();
    await context.close();
  });

  test('how much is stored is said', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Inputs');
    await tenant.as('agent')('POST', `/runs/${id}/evidence`, { kind: 'log', label: 'x', content: 'x'.repeat(500_000) });
    const { page, clean, context } = await as(tenant.keys.auditor, PHONE);
    await open(page, '');
    await page.getByText('500.1 kB').waitFor();
    await page.getByText('10.7 GB').waitFor();
    assert.equal(await page.getByText('full', { exact: true }).count(), 0);
    await assertAccessible(page, 'storage');
    // More than is allowed, as after the operator gave it less.
    const db = new DatabaseSync(join(folder, 'ledger.db'));
    db.prepare('update organizations set storage_limit_bytes = 400000 where organization_id = ?').run(
      tenant.organization_id,
    );
    db.close();
    await page.reload();
    await page.getByText('full', { exact: true }).waitFor();
    assert.match((await page.getByRole('progressbar', { name: 'Storage' }).getAttribute('class'))!, /\bfull\b/);
    await assertAccessible(page, 'full storage');
    clean();
    await context.close();
  });

  test('evidence that was altered in storage is named where it is listed, and is not downloaded as evidence', async () => {
    const tenant = await ledger.tenant();
    const id = await runAt(tenant, 'Evidence');
    const { sha256 } = await tenant.as('agent')('POST', `/runs/${id}/evidence`, {
      kind: 'log',
      label: 'The log',
      content: 'all is well',
    });
    const { page, clean, context } = await as(tenant.keys.auditor);
    await page.goto(`${ledger.url}/runs/${id}`);
    const items = page.locator('.evidence > li');
    await press(page, 'Compare what is stored with what was recorded');
    await items.nth(1).getByText('Stored as recorded').waitFor();
    const [saved] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    assert.equal(readFileSync(await saved.path(), 'utf8'), 'all is well');

    const objects = join(ledger.folder, 'objects', tenant.organization_id, 'evidence', id);
    writeFileSync(join(objects, sha256), 'all is bad.');
    await press(page, 'Compare what is stored with what was recorded');
    await items.nth(1).getByText('Altered in storage').waitFor();
    await items.nth(0).getByText('Stored as recorded').waitFor();
    await press(page, 'Download');
    await page.getByText('The bytes in object storage are not those that were attached').waitFor();
    // The button below says it.
    assert.equal(await page.getByText('?altered=serve').count(), 0);
    await assertAccessible(page, 'altered evidence');
    const link = items.nth(1).getByRole('link', { name: 'Download the altered bytes' });
    const [altered] = await Promise.all([page.waitForEvent('download'), link.click()]);
    assert.match(altered.suggestedFilename(), /\.altered$/);
    clean();
    await context.close();
  });

  test('whoever may not manage something reads what they may', async () => {
    const { keys } = await ledger.tenant();
    const { page, clean, context } = await as(keys.auditor, PHONE);
    for (const [path, what] of [
      ['/keys', 'Owners manage API keys'],
      ['/members', 'Owners manage members'],
      ['/flight-sheets/new', 'Owners manage flight sheets'],
    ] as const) {
      await open(page, path);
      await page.getByRole('heading', { name: what }).waitFor();
      await page.getByText('Changes nothing').first().waitFor();
      await assertAccessible(page, `${path} for an auditor`);
    }
    clean();
    await context.close();
  });

  test('a flight sheet is checked while it is written, tried, published and never changed', async () => {
    const { keys } = await ledger.tenant();
    const { page, clean, context } = await as(keys.owner);
    await open(page, '/flight-sheets');
    await press(page, 'New sheet');
    await page.getByLabel('Title').fill('Visit report');
    await page.getByLabel('What holds').fill('The lines make the total');
    const expression = page.getByLabel('Expression of rule 1');
    await expression.fill('submission.total ==\n  summ(submission.lines)');
    await page.getByText("Line 2, column 3: Unknown function 'summ'").waitFor();
    assert.equal(await page.locator('.rule mark').textContent(), 'summ');
    await press(page, 'Publish');
    await page.getByText('2 things to put right').waitFor();
    await assertAccessible(page, 'a sheet with faults');

    await page.getByLabel('What is asked for').fill('Report on the visit');
    await expression.fill('submission.total == sum(submission.lines)');
    await page.getByLabel('Output').fill('{"total": 4, "lines": [1, 2]}');
    await page.getByRole('heading', { name: 'Needs review' }).waitFor();
    await page.getByLabel('Output').fill('{"total": 3, "lines": [1, 2]}');
    await page.getByRole('heading', { name: 'Passed' }).waitFor();
    await page.goBack();
    await page.goForward();
    assert.equal(await page.getByLabel('Title').inputValue(), 'Visit report', 'the draft was kept');
    await page.getByText('Compiles').waitFor();
    await press(page, 'Publish');
    await page.getByText('never changes and cannot be taken back').waitFor();
    await press(page, 'Publish');
    await page.getByRole('heading', { name: 'Visit report' }).waitFor();
    await page.waitForURL(/\/visit-report\/1\.0\.0$/);
    await assertAccessible(page, 'a published sheet');

    await page.getByRole('link', { name: 'New version' }).click();
    assert.equal(await page.getByLabel('Version').inputValue(), '1.1.0');
    await page.getByLabel('Version').fill('1.0.0');
    await page.getByText('Published already').waitFor();
    clean();
    await context.close();
  });

  test('a new version is tried on the work of a Run, as a form and as JSON', async () => {
    const tenant: Tenant = await ledger.tenant();
    await runAt(tenant, 'Checks', 'eval', { title: 'Sum of the day' });
    for (const options of [{}, DARK, PHONE]) {
      const { page, clean, context } = await as(tenant.keys.agent, options);
      await open(page, `/flight-sheets/new?from=${SHEET.name}%40${SHEET.version}`);
      await page.getByLabel('Take a submission from a Run').selectOption({ label: 'Sum of the day' });
      await page.getByRole('heading', { name: 'Passed' }).waitFor();
      await assertAccessible(page, 'a sheet that is tried');
      await assertNoSideways(page);
      await page.getByRole('button', { name: 'JSON' }).first().click();
      const text = page.getByLabel('Flight sheet as JSON');
      const sheet = JSON.parse(await text.inputValue());
      assert.equal(sheet.version, '1.1.0');
      sheet.rules[0].expr = 'submission.a + submission.b == 6.0';
      await text.fill(JSON.stringify(sheet, null, 2));
      await page.getByRole('heading', { name: 'Failed' }).waitFor();
      await text.fill('{ "name": }');
      await page.getByText('Column 11: unexpected').waitFor();
      await assertAccessible(page, 'JSON with a fault');
      await assertNoSideways(page);
      clean();
      await context.close();
    }
  });
});

async function assertNoSideways(page: Page): Promise<void> {
  const [whole, seen] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  assert.ok(whole <= seen, `${page.url()} scrolls sideways: ${whole} > ${seen}`);
}
