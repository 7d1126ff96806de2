/** A person's way through the console, in a real browser: from the mailed link to a receipt that a stranger verifies. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { ledgerClient } from '@rcpt/contract/client/ledger.ts';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';
import { enter, workHere } from './first-sign-in.ts';
import { type House, startHouse } from './house.ts';
import { mailedLink } from './mail.ts';

const NAME = 'Olivia Owner';
const OWNER = 'owner@workshop.example';
const EVIDENCE = Buffer.from('interview notes, 21 November\n');
const TITLE = 'Summary of three interviews';

/** One rule that a machine decides, one that is left to a person. */
const SHEET = {
  name: 'summary-review',
  version: '1.0.0',
  title: 'Review of a summary',
  assignment: { title: 'Summarize the interviews', instructions: 'Three sentences at most.' },
  output_schema: { type: 'object', required: ['summary'], properties: { summary: { type: 'string' } } },
  rules: [
    {
      id: 'short',
      label: 'At most 300 characters',
      category: 'structure',
      severity: 'medium',
      expr: 'size(submission.summary) <= 300',
    },
    { id: 'tone', label: 'The tone suits the client', category: 'policy', severity: 'high', checklist: true },
  ],
  pass_threshold: 90,
  fail_threshold: 40,
} as const;

describe('the console in a browser', () => {
  let house: House;
  let browser: Browser;
  let person: Watched;
  let page: Page;

  before(async () => {
    [house, browser] = await Promise.all([startHouse(), openBrowser()]);
    const owner = ledgerClient({ base_url: house.ledger_url, token: house.demo.owner_key });
    await owner.publishFlightSheet(SHEET as never);
    person = await visitor(browser, house.ledger_url);
    page = person.page;
  });
  after(async () => {
    await browser?.close();
    assert.equal(await house?.stop(), 0);
  });

  test('asks who is there, mails a link, and opens with it, once', async () => {
    const stranger = await visitor(browser, house.ledger_url, {}, [/401/]);
    await stranger.page.goto(`${house.ledger_url}/runs?lane=eval`);
    await stranger.page.getByLabel('E-mail address').waitFor();
    await assertAccessible(stranger.page, 'the sign-in page');
    const asked = Date.now();
    await stranger.page.getByLabel('E-mail address').fill(OWNER);
    await stranger.page.getByRole('button', { name: 'Mail me a link' }).click();
    await stranger.page.getByText(OWNER).waitFor();
    await assertAccessible(stranger.page, 'the page that waits for the mail');
    const link = await mailedLink(house.data, OWNER, asked - 1_000);
    await stranger.page.goto(link);
    await stranger.page.getByRole('textbox', { name: 'Public name' }).waitFor();
    await stranger.page.getByText('in public, for ever').waitFor();
    await assertAccessible(stranger.page, 'the page that asks for a public name');
    await stranger.page.getByRole('button', { name: 'Not now' }).click();
    await stranger.page.getByRole('heading', { name: 'You were invited here' }).waitFor();
    await stranger.page.getByText(house.demo.organization_id).waitFor();
    await assertAccessible(stranger.page, 'the page that asks whether one wants to work here');
    await workHere(stranger.page);
    await stranger.page.getByRole('heading', { name: 'Runs' }).waitFor();
    assert.equal(new URL(stranger.page.url()).pathname + new URL(stranger.page.url()).search, '/runs?lane=eval');
    const cookie = (await stranger.context.cookies()).find(({ httpOnly }) => httpOnly);
    assert.ok(cookie !== undefined && cookie.sameSite === 'Lax', 'the session is in a cookie no script can read');
    assert.equal(await stranger.page.evaluate('document.cookie'), '');
    stranger.clean();
    await stranger.context.close();

    const thief = await visitor(browser, house.ledger_url, {}, [/40[0-9]|410/]);
    await thief.page.goto(link);
    await thief.page.getByRole('button', { name: /link/i }).first().waitFor();
    assert.ok(!(await thief.page.locator('body').textContent())!.includes('Demo Workshop'));
    await assertAccessible(thief.page, 'the page of a link that was used');
    await thief.context.close();
  });

  test('takes a Run from its inputs to a receipt', async () => {
    await enter(page, house.sign_in_url);
    await page.getByRole('heading', { name: 'Demo Workshop' }).waitFor();
    await assertAccessible(page, 'the overview');

    await page.getByRole('link', { name: 'Runs' }).first().click();
    await page.getByRole('button', { name: 'New Run' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Lane').selectOption('eval');
    await form.getByLabel('Title').fill(TITLE);
    const sheet = form.getByLabel('Flight sheet');
    const value = await sheet.locator('option', { hasText: 'summary' }).first().getAttribute('value');
    await sheet.selectOption(value);
    await assertAccessible(page, 'the form of a new Run');
    await page.getByRole('button', { name: 'Open the Run' }).click();
    await page.getByRole('heading', { name: TITLE }).waitFor();
    await assertAccessible(page, 'a Run at its inputs');

    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: EVIDENCE });
    const sha256 = createHash('sha256').update(EVIDENCE).digest('hex');
    await page.locator('.evidence', { hasText: 'notes.txt' }).getByText(sha256.slice(0, 8)).first().waitFor();

    await page.getByRole('button', { name: 'Post the execution' }).click();
    await page.getByLabel('What was done').fill(
      JSON.stringify({
        agent_name: 'scribe',
        model_name: 'small',
        provider: 'here',
        output: { summary: 'All three agree.' },
      }),
    );
    await page.getByRole('button', { name: 'Post it' }).click();
    await page.getByRole('button', { name: 'Run the checks' }).click();
    await page.getByLabel('Note on: The tone suits the client').fill('Read it aloud; it does.');
    await assertAccessible(page, 'a Run with an open check');
    await page.getByRole('button', { name: 'Holds' }).click();
    const naming = page.getByRole('dialog', { name: 'Choose your public name' });
    await naming.getByRole('textbox', { name: 'Public name' }).fill(NAME);
    await naming.getByText(`Approved by ${NAME} (person)`).waitFor();
    await assertAccessible(page, 'the dialog that asks for a public name');
    await naming.getByRole('button', { name: 'Use this name' }).click();
    await page.getByText(`Decided by ${NAME} (person)`).waitFor();
    await page.getByRole('button', { name: 'Give the verdict' }).click();
    await page.getByRole('button', { name: 'Approve', exact: false }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Note').fill('Good work.');
    await dialog.getByText('That it was approved. Not by whom').waitFor();
    await dialog.getByText(`who decided: ${NAME} (person)`).waitFor();
    await assertAccessible(page, 'the approval dialog');
    await dialog.getByRole('button', { name: 'Approve and mint' }).click();
    await page
      .getByRole('link', { name: /^RCPT-\d{6}-[0-9a-f]{8}$/ })
      .first()
      .waitFor();
    await assertAccessible(page, 'a Run with its receipt');
    person.clean();
  });

  test('shares it with a stranger, whose own browser verifies it; switched off, it is gone', async () => {
    const share_url = (await page.locator('.share-address code').textContent())!;
    const stranger = await visitor(browser, house.ledger_url, {}, [/410/]);
    await stranger.page.goto(share_url);
    await stranger.page.locator('#integrity.good').waitFor();
    const said = (await stranger.page.locator('main').textContent())!;
    assert.match(said, /Summarize the interviews/);
    assert.match(said, /The tone suits the client/);
    assert.match(said, new RegExp(`Decided by ${NAME} \\(person\\) user_[0-9a-f]{32}`));
    assert.ok(!(await stranger.page.content()).includes(OWNER), 'no mailbox stands on the page');

    await page.getByRole('switch', { name: /Shared by link/ }).click();
    await assertAccessible(page, 'the question before a link is switched off');
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('switch', { name: 'The link is switched off' }).waitFor();
    const answer = await stranger.page.goto(share_url);
    assert.equal(answer?.status(), 410);
    await stranger.page.getByRole('heading', { name: 'This link has been switched off' }).waitFor();
    await assertAccessible(stranger.page, 'the page of a link that is off');
    await page.getByRole('switch', { name: 'The link is switched off' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click();
    await page.getByRole('switch', { name: /Shared by link/ }).waitFor();
    assert.equal((await stranger.page.goto(share_url))?.status(), 200);
    await stranger.page.locator('#integrity.good').waitFor();
    stranger.clean();
    await stranger.context.close();
    person.clean();
  });

  test('takes a Run to its receipt by the keyboard alone', async () => {
    const title = 'Decided without a mouse';
    await readyForApproval(house, title);
    await page.goto(house.ledger_url);
    await page.getByRole('heading', { name: 'Demo Workshop' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(title);
    await page.getByRole('link', { name: title }).waitFor();
    await page.getByRole('link', { name: TITLE }).waitFor({ state: 'detached' });
    await tabTo(page, title);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: title }).waitFor();
    await tabTo(page, 'Approve');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Note');
    await page.keyboard.type('Typed.');
    const dialog = page.getByRole('dialog');
    const shown = (await dialog.getByRole('region', { name: 'What becomes public of this decision' }).textContent())!;
    assert.match(shown, new RegExp(`${NAME} \\(person\\).*user_[0-9a-f]{32}.*Typed\\.`));
    await dialog.getByLabel('Note').fill(`Ask ${OWNER}`);
    await dialog.getByText('There is an e-mail address in the note').waitFor();
    await assertAccessible(page, 'an approval whose note holds an address');
    await dialog.getByLabel('Note').fill('Typed.');
    await tabTo(page, 'Approve and mint');
    await page.keyboard.press('Enter');
    await page
      .getByRole('link', { name: /^RCPT-\d{6}-[0-9a-f]{8}$/ })
      .first()
      .waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await assertAccessible(page, 'the help on keys');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    person.clean();
  });

  test('says in public who approved, and keeps it when the name is changed', async () => {
    await page.getByText(`Approved by ${NAME} (person)`).waitFor();
    const share_url = (await page.locator('.share-address code').textContent())!;
    await page.goto(`${house.ledger_url}/settings/members`);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change your public name' });
    await dialog.getByText('Receipts already sealed keep the name they were sealed with.').waitFor();
    await dialog.getByRole('textbox', { name: 'Public name' }).fill('Olivia Elsewhere');
    await assertAccessible(page, 'the dialog that changes a public name');
    await dialog.getByRole('button', { name: 'Change name' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page
      .getByRole('cell', { name: 'Olivia Elsewhere' })
      .or(page.getByRole('rowheader', { name: 'Olivia Elsewhere' }))
      .first()
      .waitFor();
    const stranger = await visitor(browser, house.ledger_url);
    await stranger.page.goto(share_url);
    await stranger.page.locator('#integrity.good').waitFor();
    const said = (await stranger.page.locator('main').textContent())!;
    assert.match(said, new RegExp(`Approved by ${NAME} \\(person\\)`));
    assert.ok(!said.includes('Elsewhere') && !said.includes(OWNER));
    stranger.clean();
    await stranger.context.close();
    person.clean();
  });

  test('a check that is open cannot be decided by an agent, and says who may', async () => {
    const agent = ledgerClient({ base_url: house.ledger_url, token: house.demo.agent_key });
    const { name, version } = SHEET;
    const { id } = await agent.openRun({
      lane: 'eval',
      title: 'Left open',
      inputs: { flight_sheet: { name, version } },
    });
    await agent.postExecution(id, { agent_name: 'scribe', output: { summary: 'Short.' } });
    await agent.runChecks(id);
    const authorization = `Bearer ${house.demo.agent_key}`;
    const program = await visitor(browser, house.ledger_url, { extraHTTPHeaders: { authorization } });
    await program.page.goto(`${house.ledger_url}/runs/${id}`);
    const holds = program.page.getByRole('button', { name: 'Holds' });
    await holds.waitFor();
    assert.equal(await holds.getAttribute('aria-disabled'), 'true');
    await program.page
      .getByText('Your role here is agent; this takes approver or owner.')
      .first()
      .waitFor({ state: 'attached' });
    await assertAccessible(program.page, 'an open check for an agent');
    program.clean();
    await program.context.close();
  });

  test('sees what others do without a reload', async () => {
    await page.goto(`${house.ledger_url}/runs`);
    await page.getByRole('link', { name: TITLE }).waitFor();
    const agent = ledgerClient({ base_url: house.ledger_url, token: house.demo.agent_key });
    await agent.openRun({ lane: 'generic', title: 'Opened by a program', inputs: { task: 'Something' } });
    await page.getByRole('link', { name: 'Opened by a program' }).waitFor();
    person.clean();
  });

  test('shows nothing more to somebody who was removed', async () => {
    const owner = ledgerClient({ base_url: house.ledger_url, token: house.demo.owner_key });
    const { id } = await owner.addMember({ email: 'guest@workshop.example', role: 'auditor' });
    const guest = await visitor(browser, house.ledger_url, {}, [/40[13]/]);
    const asked = Date.now();
    await guest.page.goto(`${house.ledger_url}/runs`);
    await guest.page.getByLabel('E-mail address').fill('guest@workshop.example');
    await guest.page.getByRole('button', { name: 'Mail me a link' }).click();
    await enter(guest.page, await mailedLink(house.data, 'guest@workshop.example', asked - 1_000));
    await guest.page.getByRole('link', { name: TITLE }).waitFor();
    const headers = { authorization: `Bearer ${house.demo.owner_key}` };
    assert.equal((await fetch(`${house.ledger_url}/members/${id}`, { method: 'DELETE', headers })).status, 200);
    await guest.page.getByText('You belong to no organization any more').waitFor();
    assert.equal(await guest.page.getByText(TITLE).count(), 0);
    guest.clean();
    await guest.context.close();
  });

  test('says that the ledger does not answer, and comes back by itself', async () => {
    const away = await visitor(browser, house.ledger_url, {}, [/ERR_INTERNET_DISCONNECTED|preload CSS/]);
    await away.context.addCookies(await person.context.cookies());
    await away.page.goto(`${house.ledger_url}/runs`);
    await away.page.getByRole('heading', { name: 'Runs' }).waitFor();
    await away.context.setOffline(true);
    await away.page.getByRole('link', { name: 'Ledger' }).click();
    await away.page.getByText('The ledger does not answer').waitFor();
    await away.page.getByText('The ledger cannot be reached').waitFor();
    await away.context.setOffline(false);
    await away.page.getByRole('heading', { name: 'The chain' }).waitFor();
    await away.page.getByText('The ledger does not answer').waitFor({ state: 'detached' });
    away.clean();
    await away.context.close();
  });

  test('verifies the chain, and draws where it breaks after the database was altered', async () => {
    await page.goto(`${house.ledger_url}/ledger`);
    await page
      .getByRole('button', { name: /verify/i })
      .first()
      .click();
    await page.getByRole('heading', { name: 'The chain holds' }).waitFor();
    await page
      .getByText(/\b5 receipts/)
      .first()
      .waitFor();
    await assertAccessible(page, 'a verified chain');
    const db = new DatabaseSync(join(house.data, 'ledger.db'), { timeout: 60_000 });
    const changed = db
      .prepare(`update receipts set payload = replace(payload, 'Demo Workshop', 'Other Workshop') where org_seq = 1`)
      .run();
    db.close();
    assert.equal(changed.changes, 1);
    await page.reload();
    await page
      .getByRole('button', { name: /verify/i })
      .first()
      .click();
    await page.getByRole('heading', { name: 'The chain does not hold: 1 violation' }).waitFor();
    await page.getByText('What is stored here is not what was sealed.').first().waitFor();
    await assertAccessible(page, 'a broken chain');
    person.clean();
  });

  test('is signed out everywhere at once', async () => {
    const other = await visitor(browser, house.ledger_url, {}, [/401/]);
    await other.context.addCookies(await person.context.cookies());
    await other.page.goto(`${house.ledger_url}/settings/organization`);
    await other.page.getByRole('heading', { name: 'Organization' }).waitFor();
    const gone = await other.page.evaluate(`fetch('/sessions', { method: 'DELETE' }).then((r) => r.status)`);
    assert.equal(gone, 200);
    const later = await visitor(browser, house.ledger_url, {}, [/401/]);
    await later.context.addCookies(await person.context.cookies());
    await later.page.goto(`${house.ledger_url}/runs`);
    await later.page.getByLabel('E-mail address').waitFor();
    await later.context.close();
    await other.context.close();
  });
});

/** A Run that only a person is missing from. */
async function readyForApproval(house: House, title: string): Promise<void> {
  const agent = ledgerClient({ base_url: house.ledger_url, token: house.demo.agent_key });
  const { id } = await agent.openRun({ lane: 'generic', title, inputs: { task: 'Anything' } });
  await agent.attachEvidence(id, { kind: 'note', label: 'Note', content: 'Seen.' });
  await agent.postExecution(id, { agent_name: 'scribe', model_name: 'small', provider: 'here', output: 'Done.' });
  await agent.runChecks(id);
  await agent.giveVerdict(id);
}

/** Presses Tab until the focus is on what is called so. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const called = (await page.evaluate(`{
      const at = document.activeElement;
      const labels = Array.from(at.labels ?? [], (label) => label.textContent);
      [at.ariaLabel, ...labels, at === document.body ? '' : at.textContent].find((text) => text?.trim())?.trim() ?? '';
    }`)) as string;
    passed.push(called.slice(0, 30));
    if (called === name || called.startsWith(`${name} `) || called.startsWith(`${name}(`)) return;
  }
  throw new Error(`80 presses of Tab did not reach ${name}: ${passed.join(' | ')}`);
}
