/** In Chromium: a Run is opened with private members, approved, shown in part, and erased; a stranger's browser checks what is shown. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';

const PATIENT = 'Letter to Ada Okafor';
const TASK = 'Write the discharge letter of Ada Okafor, ward 7B';

describe('what stands beside a receipt', () => {
  let house: House;
  let browser: Browser;
  before(async () => {
    house = await startHouse();
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await house.stop();
  });

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await fetch(`${house.ledger_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${house.demo.agent_key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer.json();
  };

  test('is marked in New Run, named in the approval, chosen and erased on the receipt’s page, checked under the link', async () => {
    const page = await browser.newPage();
    await enter(page, house.sign_in_url, 'Ben Adeyemi');
    await page.goto(`${house.ledger_url}/runs`);
    await page.getByRole('button', { name: 'New Run' }).first().click();
    const form = page.getByRole('dialog', { name: 'New Run' });
    await form.getByLabel('Title', { exact: true }).first().fill(PATIENT);
    await form.getByLabel('Task').first().fill(TASK);
    for (const name of ['Title', 'Task', 'Note of the approval']) await form.getByRole('checkbox', { name }).check();
    await form.screenshot({ path: shot('new-run') });
    await form.getByRole('button', { name: 'Open the Run' }).click();
    await page.waitForURL(/\/runs\/run_/);
    const id = /run_[0-9a-f]{32}/.exec(page.url())![0];

    await call('POST', `/runs/${id}/evidence`, { kind: 'note', label: 'chart', content: 'The chart of the ward' });
    await call('POST', `/runs/${id}/execution`, {
      agent_name: 'scribe',
      model_name: 'small-1',
      output: 'All is well with you, and you may go home.',
    });
    await call('POST', `/runs/${id}/checks`);
    await call('POST', `/runs/${id}/verdict`);
    await page.reload();
    await page
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Approve this Run' });
    await dialog.getByLabel('Note').fill('Read against the chart of ward 7B.');
    await dialog.getByText('Committed, not public').waitFor();
    await dialog.getByText('Private: a digest of it is sealed').waitFor();
    await dialog.screenshot({ path: shot('approve') });
    await dialog.getByRole('button', { name: 'Approve and mint' }).click();
    await dialog.waitFor({ state: 'detached' });

    const { receipt_id } = await call('GET', `/runs/${id}`);
    const { share_url } = await call('GET', `/receipts/${receipt_id}`);
    await page.goto(`${house.ledger_url}/receipts/${receipt_id}`);
    for (const name of ['Title /title', 'Task /inputs/task', 'Output /output'])
      await page.getByRole('checkbox', { name, exact: true }).check();
    await page.getByRole('checkbox', { name: 'Evidence 1: chart /evidence/0', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save what the link shows' }).click();
    await page.getByText('The link shows what you chose').waitFor();
    const row = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('checkbox', { name: 'Task /inputs/task', exact: true }) });
    await row.getByRole('button', { name: 'Erase' }).click();
    const erase = page.getByRole('dialog', { name: 'Erase /inputs/task for good?' });
    await erase.getByLabel('Reason').fill('The patient asked for it.');
    await erase.getByLabel('Type /inputs/task').fill('/inputs/task');
    await erase.screenshot({ path: shot('erase') });
    await erase.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('because: The patient asked for it.').waitFor();
    await page.locator('.beside').screenshot({ path: shot('receipt') });

    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(share_url);
    await stranger.getByText('Checked in your browser, by bytes that it hashed itself.').waitFor();
    assert.deepEqual(await saidBy(stranger), {
      '/title': `Disclosed and matching ${PATIENT}`,
      '/inputs/task': 'Erased, because: The patient asked for it.',
      '/note': 'Withheld',
      '/output': 'Disclosed and matching Download it',
      '/evidence/0': 'Withheld',
    });
    assert.equal(await stranger.getByRole('heading', { level: 1 }).textContent(), PATIENT);
    for (const colorScheme of ['light', 'dark'] as const) {
      await stranger.emulateMedia({ colorScheme });
      await stranger.screenshot({ path: shot(`shared-${colorScheme}`) });
    }
    assert.ok(!(await stranger.content()).includes('7B'));
    const { ok } = await call('GET', '/ledger/verify');
    assert.equal(ok, true);
  });

  test('that somebody altered on its way is told apart', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(house.ledger_url);
    const { receipts } = await call('GET', '/receipts/recent?limit=1');
    const { share_url } = receipts[0];
    await page.route('**/disclosures/output', (route) => route.fulfill({ body: 'All is lost.' }));
    await page.route('**/disclosures', async (route) => {
      const { disclosures } = await (await route.fetch()).json();
      const title = disclosures.find(({ path }: { path: string }) => path === '/title');
      title.disclosure = `${title.disclosure.slice(0, -1)}${title.disclosure.endsWith('A') ? 'B' : 'A'}`;
      await route.fulfill({ json: { disclosures } });
    });
    await page.goto(share_url);
    await page.getByText('Checked in your browser, by bytes that it hashed itself.').waitFor();
    const said = await saidBy(page);
    assert.match(said['/title']!, /^Not what this receipt sealed: digest differs/);
    assert.match(said['/output']!, /^Not what this receipt sealed: bytes differ/);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Title withheld');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: shot(`withheld-${colorScheme}`) });
    }
  });
});

/** Of each path what the page says of it. */
async function saidBy(page: Page): Promise<Record<string, string>> {
  const rows = await page.locator('#beside li').evaluateAll((items) =>
    (
      items as unknown as {
        querySelector(at: string): { textContent: string } | null;
        querySelectorAll(at: string): Iterable<{ textContent: string }>;
      }[]
    ).map((item) => [
      item.querySelector('.laid')?.textContent ?? '',
      [...item.querySelectorAll('p')].map((part) => part.textContent).join(' '),
    ]),
  );
  return Object.fromEntries(rows.map(([path, said]) => [path, said!.replace(/ on \d{4}-[^,]*,/, ',').trim()]));
}

/** Kept where SHOTS names a folder. */
function shot(name: string): string | undefined {
  return process.env.SHOTS ? `${process.env.SHOTS}/${name}.png` : undefined;
}
