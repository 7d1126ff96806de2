/** Organizations of one name in the console: a person chooses among them, tells them apart, and is moved to none. */
import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { addMember, linkToken, newMailbox } from '../../packages/ledger/test/kit/people.ts';
import { type RunningTest, running, type Tenant } from '../../packages/ledger/test/kit/running.ts';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';

const NAME = 'Acme Workshop';
/** A folder for pictures of the pages, to look at. */
const PICTURES = process.env.PICTURES;

describe('places of work in the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'places-'));
  let ledger: RunningTest;
  let browser: Browser;
  let stranger: Tenant;
  let own: Tenant;
  let person: Watched;

  before(async () => {
    ledger = await running({ url: `sqlite:${folder}/ledger.db` });
    browser = await openBrowser();
    [stranger, own] = [await ledger.tenant(NAME), await ledger.tenant(NAME)];
    person = await visitor(browser, ledger.url, {}, [/40[0-9]/]);
  });
  after(async () => {
    await browser?.close();
    await ledger?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('asks where one wants to work, and shows whose each is', async () => {
    const email = newMailbox();
    await addMember(stranger, 'owner', email);
    await addMember(own, 'owner', email);
    const { page } = person;
    await page.goto(`${ledger.url}/sign-in#token=${await linkToken(ledger, email)}`);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('heading', { name: 'Which organization do you want to work in?' }).waitFor();
    const choices = page.getByRole('radio');
    assert.deepEqual([await choices.count(), await page.getByRole('radio', { checked: true }).count()], [2, 0]);
    for (const { organization_id } of [stranger, own]) await page.getByText(organization_id).waitFor();
    await assertAccessible(page, 'the page that asks where one works');
    await picture(page, 'choose');
    await page.getByText(own.organization_id).click();
    await page.getByRole('button', { name: 'Work here' }).click();
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    await page.getByRole('button', { name: NAME }).click();
    const chosen = page.getByRole('menuitemradio', { checked: true });
    assert.match((await chosen.textContent())!, new RegExp(own.organization_id));
    await assertAccessible(page, 'the menu of organizations');
    await picture(page, 'switcher');
    await page.keyboard.press('Escape');
    await page.goto(`${ledger.url}/settings/members`);
    await page.getByText('Member of').waitFor();
    await picture(page, 'members');
  });

  test('whoever is removed while they look on chooses again, and nothing goes elsewhere', async () => {
    const { page } = person;
    await page.goto(`${ledger.url}/runs`);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    const [{ id }] = (await own.as('owner')('GET', '/members')).members;
    await own.as('owner')('DELETE', `/members/${id}`);
    await page.getByRole('heading', { name: 'You were invited here' }).waitFor();
    await page.getByText(stranger.organization_id).waitFor();
    assert.equal(await page.getByText(own.organization_id).count(), 0);
    await picture(page, 'removed');
    assert.deepEqual((await stranger.as('auditor')('GET', '/runs')).runs, []);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').waitFor();
    person.clean();
  });
});

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
