/** Approvals signed in a real browser, with its virtual authenticator: enrolled, signed, shared, and checked by a stranger and by openssl alone. */
import { strict as assert } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type LedgerClient, ledgerClient } from '@rcpt/contract/client/ledger.ts';
import { type ApprovalFile, verifyApproval } from '@rcpt/proof/approval/approval.ts';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { temporaryFolder } from '../kit/folders.ts';
import { opensslHolds } from '../kit/openssl.ts';
import { ownPort } from '../kit/own-port.ts';
import { rcpt, type Service, startService } from '../kit/process.ts';
import { assertAccessible, openBrowser, visitor, type Watched } from './browser.ts';
import { enter } from './first-sign-in.ts';
import { mailedLink } from './mail.ts';

const ADMIN = 'admin-token-of-this-test-0123456789';
const ADA = 'ada@workshop.example';

describe('approvals signed with a passkey', () => {
  const folder = temporaryFolder('passkeys');
  let origin: string;
  let service: Service;
  let browser: Browser;
  let owner: LedgerClient;
  let owner_key: string;
  let person: Watched;
  let page: Page;
  let cdp: CDPSession;
  let authenticatorId: string;

  before(async () => {
    const port = await ownPort();
    origin = `http://localhost:${port}`;
    [service, browser] = await Promise.all([
      startService('ledger', {
        ...process.env,
        LEDGER_PORT: String(port),
        LEDGER_BASE_URL: origin,
        LEDGER_DATABASE_URL: `sqlite:${folder}/ledger.db`,
        LEDGER_STORAGE_URL: `file:${folder}/objects`,
        LEDGER_SMTP_URL: `file:${folder}/outbox`,
        LEDGER_ADMIN_TOKEN: ADMIN,
        LEDGER_OVERLOAD_DELAY_MS: '60000',
      }),
      openBrowser(),
    ]);
    const founded = await ledgerClient({ base_url: service.url, token: ADMIN }).createOrganization({
      name: 'Workshop',
    });
    owner_key = founded.api_key;
    owner = ledgerClient({ base_url: service.url, token: owner_key });
    await owner.addMember({ email: ADA, role: 'owner' });
    // What the browser writes of a refused call.
    person = await visitor(browser, origin, {}, [/status of 40[19]/]);
    page = person.page;
    cdp = await person.context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    authenticatorId = await authenticator(cdp);
  });
  after(async () => {
    await browser?.close();
    assert.equal(await service?.stop(), 0);
  });

  const authenticator = async (session: CDPSession) => {
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    return (await session.send('WebAuthn.addVirtualAuthenticator', { options })).authenticatorId;
  };

  const linkFor = async (email: string) => {
    const since = Date.now() - 1;
    await ledgerClient({ base_url: service.url }).requestSignIn(email);
    return mailedLink(folder, email, since);
  };

  const runToDecide = async (title: string) => {
    const { id } = await owner.openRun({
      lane: 'generic',
      title,
      inputs: { task: 'Summarize the notes', kind: 'agent' },
    });
    await owner.attachEvidence(id, { kind: 'note', label: 'Notes', content: 'Two tiles are loose.' });
    await owner.postExecution(id, { agent_name: 'scribe', model_name: 'small-1', output: 'Two tiles are loose.' });
    await owner.runChecks(id);
    await owner.giveVerdict(id);
    return id;
  };

  const openDecision = async (id: string) => {
    await page.goto(`${origin}/runs/${id}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    return page.getByRole('dialog', { name: 'Approve this Run' });
  };

  test('a person signs in, is told what a passkey is for, and enrols one', async () => {
    await enter(page, await linkFor(ADA), 'Ada Examiner');
    await page.goto(`${origin}/settings/organization`);
    await page.getByText('You have none here yet').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('textbox', { name: 'Name optional' }).fill('Work laptop');
    await assertAccessible(page, 'the dialog that adds a passkey');
    await page.getByRole('button', { name: 'Continue' }).click();
    const row = page.getByRole('row', { name: /Work laptop/ });
    await row.waitFor();
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    assert.equal(credentials.length, 1);
    assert.equal(credentials[0]!.isResidentCredential, true);
    assert.equal(credentials[0]!.rpId, 'localhost');
    await assertAccessible(page, 'the organization’s settings with a passkey');
  });

  test('the same device is not enrolled twice', async () => {
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText('This device has your passkey already').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  test('an owner has approvals signed', async () => {
    await page.getByRole('button', { name: 'Offered' }).click();
    await page.getByText('The signature is served beside the receipt').waitFor();
    assert.equal((await owner.getOrganization()).passkey_approvals, 'offered');
  });

  test('an approval is signed, minted and shared; a stranger’s browser, the verifier and openssl agree', async () => {
    const dialog = await openDecision(await runToDecide('Visit of 21 November'));
    await dialog.getByRole('textbox', { name: /Note/ }).fill('Compared with the notes.');
    assert.ok(await dialog.getByRole('checkbox', { name: 'Sign it with my passkey' }).isChecked());
    await assertAccessible(page, 'the dialog that approves with a passkey');
    await dialog.getByRole('button', { name: 'Sign, approve and mint' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { receipts } = await owner.listReceipts();
    const { share_url } = receipts[0] as unknown as { share_url: string };
    assert.ok(share_url.startsWith(`${origin}/share/`));

    const stranger = await visitor(browser, origin);
    await stranger.page.goto(share_url);
    await stranger.page.locator('#integrity.good').waitFor();
    await stranger.page.getByRole('button', { name: 'Check the signature in this browser' }).click();
    await stranger.page.locator('#consent.good').waitFor();
    assert.match(
      (await stranger.page.locator('#consent').textContent())!,
      /A passkey signed exactly what this receipt seals .* the ledger’s word: Ada Examiner/,
    );
    await assertAccessible(stranger.page, 'the page of a receipt whose approval is signed');
    const pdf = Buffer.from(await (await fetch(`${share_url}/pdf`)).arrayBuffer());
    writeFileSync(join(folder, 'receipt.pdf'), pdf);
    const printed = await rcpt(['verify', join(folder, 'receipt.pdf'), '--no-state']);
    assert.match(printed.stdout, /approval attached to it: OK\. A passkey signed exactly what this receipt seals/);
    stranger.clean();
    await stranger.context.close();

    const [receipt, approval] = await Promise.all(
      ['download', 'approval'].map(async (what) => (await fetch(`${share_url}/${what}`)).text()),
    );
    const verified = await verifyApproval(receipt!, approval!);
    assert.deepEqual(
      [verified.approver_name, verified.origin, verified.is_named_in_receipt],
      ['Ada Examiner', origin, true],
    );
    const openssl = opensslHolds(folder, approval!, verified.algorithm === 'EdDSA');
    assert.equal(openssl.holds, true, openssl.said);
    assert.match(openssl.said, /Verified OK/);
    writeFileSync(join(folder, 'receipt.json'), receipt!);
    const offline = await rcpt([
      'verify',
      join(folder, 'receipt.json'),
      '--approval',
      join(folder, 'approval.json'),
      '--no-state',
    ]);
    assert.equal(offline.code, 0, offline.stderr.join('\n'));
    assert.match(offline.stdout, /A passkey signed exactly what this receipt seals/);
    const { authenticator_data, ...rest } = JSON.parse(approval!) as ApprovalFile;
    const bytes = Buffer.from(authenticator_data, 'base64');
    bytes[bytes.length - 1]! ^= 1;
    const altered = JSON.stringify({ ...rest, authenticator_data: bytes.toString('base64') });
    assert.equal(opensslHolds(folder, altered).holds, false);
  });

  test('who is not verified signs nothing, and is told so; then they do', async () => {
    const id = await runToDecide('Visit of 22 November');
    const dialog = await openDecision(id);
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await dialog.getByRole('button', { name: 'Sign, approve and mint' }).click();
    await dialog.getByRole('alert').getByText('Nothing was signed').waitFor();
    await assertAccessible(page, 'the dialog of a signature that was not given');
    assert.equal((await owner.getRun(id)).stage, 'Verdict');
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await dialog.getByRole('button', { name: 'Sign, approve and mint' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await owner.getRun(id)).stage, 'Receipt');
  });

  test('who does not want to sign approves without, where it is offered', async () => {
    const id = await runToDecide('Visit of 23 November');
    const dialog = await openDecision(id);
    await dialog.getByRole('checkbox', { name: 'Sign it with my passkey' }).uncheck();
    await dialog.getByRole('button', { name: 'Approve and mint', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { receipts } = await owner.listReceipts();
    const answer = await fetch(`${(receipts[0] as unknown as { share_url: string }).share_url}/approval`);
    assert.equal(answer.status, 404);
  });

  test('required: no key approves, and the dialog leaves no choice', async () => {
    await page.goto(`${origin}/settings/organization`);
    await page.getByRole('button', { name: 'Required' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Require passkeys' }).click();
    await page.getByRole('checkbox', { name: 'Evaluation' }).waitFor();
    await assertAccessible(page, 'the organization’s settings with passkeys required');
    const id = await runToDecide('Visit of 24 November');
    await assert.rejects(owner.approve(id, 'approved'), /passkey_required/);
    const dialog = await openDecision(id);
    await dialog.getByText('Your passkey signs exactly what is sealed').waitFor();
    assert.equal(await dialog.getByRole('checkbox', { name: 'Sign it with my passkey' }).count(), 0);
    await dialog.getByRole('button', { name: 'Sign, approve and mint' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await owner.getRun(id)).stage, 'Receipt');
  });

  test('a passkey is renamed and removed; without one nothing is approved, and the dialog says how', async () => {
    await page.goto(`${origin}/settings/organization`);
    await page.getByRole('button', { name: 'Rename Work laptop' }).click();
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Old laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Remove Old laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('You have none here yet').waitFor();
    const dialog = await openDecision(await runToDecide('Visit of 25 November'));
    await dialog.getByRole('link', { name: 'Add one under Settings, Organization, Your passkeys' }).waitFor();
    assert.equal(await dialog.getByRole('button', { name: /Approve/ }).getAttribute('aria-disabled'), 'true');
    person.clean();
  });

  test('at another address the console says where passkeys work', async () => {
    const there = origin.replace('localhost', '127.0.0.1');
    const lost = await visitor(browser, there, {}, [/status of 401/]);
    const link = (await linkFor(ADA)).replace('localhost', '127.0.0.1');
    await lost.page.goto(link);
    await lost.page.getByRole('navigation', { name: 'Main' }).waitFor();
    await lost.page.goto(`${there}/settings/organization`);
    await lost.page.getByText(`LEDGER_BASE_URL=${origin}, and people open that.`).waitFor();
    await lost.context.close();
  });
});
