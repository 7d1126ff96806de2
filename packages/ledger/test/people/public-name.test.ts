/** By which name people and keys stand in receipts: chosen, public, and never a mailbox. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mailsIn } from '../../../../test/kit/mail.ts';
import { until } from '../../../../test/kit/until.ts';
import { addMember, named, newMailbox, signIn } from '../kit/people.ts';
import { readPdf } from '../kit/print.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt, runAt } from '../kit/story.ts';

eachLedger(
  'public names',
  (ledger) => {
    const member = async (tenant: Tenant, role: string) => {
      const { id, email } = await addMember(tenant, role);
      return { id, email, browser: await signIn(ledger, email) };
    };
    /** With its attachments decoded. */
    const receiptMail = async (to: string) => {
      const [mail] = await until(`a receipt is mailed to ${to}`, () => {
        const mails = mailsIn(join(ledger.folder, 'outbox'), to, 'RCPT-');
        return mails.length > 0 ? mails : null;
      });
      return mail!.text.replace(/(?:[A-Za-z0-9+/]{76}\r?\n)+[A-Za-z0-9+/=]+/g, (part) =>
        Buffer.from(part, 'base64').toString('latin1'),
      );
    };
    const approve = { body: { decision: 'approved', note: 'Read twice.' } };

    test('a person without a public name is refused before anything is written, and is told how to choose one', async () => {
      const tenant = await ledger.tenant();
      const { id, email, browser } = await member(tenant, 'approver');
      const { json: before } = await browser.ask('GET', '/session');
      assert.deepEqual([before.name, before.email, before.public_name], [email, email, null]);
      const run = await runAt(tenant, 'Verdict');
      const untouched = await tenant.as('auditor')('GET', `/runs/${run}`);
      for (const decision of ['approved', 'rejected']) {
        const refused = await browser.ask('POST', `/runs/${run}/approval`, { body: { decision } });
        assert.deepEqual([refused.status, refused.json.code], [409, 'public_name_needed']);
        assert.match(refused.json.detail, /PATCH \/session/);
      }
      assert.deepEqual(await tenant.as('auditor')('GET', `/runs/${run}`), untouched);

      const chosen = await browser.ask('PATCH', '/session', { body: { public_name: '  Ada Lovelace ' } });
      assert.equal(chosen.status, 200, chosen.text);
      const { json } = chosen;
      assert.deepEqual(
        [json.id, json.name, json.email, json.public_name, json.organization.id],
        [id, 'Ada Lovelace', email, 'Ada Lovelace', tenant.organization_id],
      );
      assert.deepEqual((await browser.ask('GET', '/session')).json, json);
      const approved = await browser.ask('POST', `/runs/${run}/approval`, approve);
      assert.deepEqual([approved.json.approved_by, approved.json.approver_id], ['Ada Lovelace', id]);
    });

    test('a changed name counts from then on; what is approved or sealed keeps the one it was given', async () => {
      const tenant = await ledger.tenant();
      const { id, browser } = await member(tenant, 'approver');
      await named(browser, 'Ada Byron');
      const [sealed, approved, open] = [
        await runAt(tenant, 'Verdict'),
        await runAt(tenant, 'Verdict'),
        await runAt(tenant, 'Verdict'),
      ];
      for (const run of [sealed, approved]) await browser.ask('POST', `/runs/${run}/approval`, approve);
      const first = await browser.ask('POST', `/runs/${sealed}/receipt`);
      await named(browser, 'Ada Lovelace');
      assert.equal((await browser.ask('POST', `/runs/${sealed}/receipt`)).text, first.text);
      await browser.ask('POST', `/runs/${open}/approval`, approve);
      const signers = [];
      for (const run of [sealed, approved, open]) {
        const { approval } = (await browser.ask('POST', `/runs/${run}/receipt`)).json;
        signers.push([approval.approved_by, approval.approver_id]);
      }
      assert.deepEqual(signers, [
        ['Ada Byron', id],
        ['Ada Byron', id],
        ['Ada Lovelace', id],
      ]);
    });

    test('the name is one for all organizations of a person, and members lists show it beside the mailbox', async () => {
      const [here, there] = [await ledger.tenant('Here'), await ledger.tenant('There')];
      const { id, email, browser } = await member(here, 'approver');
      await named(browser, 'Ada Lovelace');
      const invited = await there.as('owner')('POST', '/members', { email, role: 'approver' });
      assert.deepEqual(
        [invited.id, invited.public_name, invited.joined_at],
        [id, null, null],
        'inviting finds nothing out',
      );
      const again = await signIn(ledger, email);
      const listed = async (tenant: Tenant) =>
        (await tenant.as('owner')('GET', '/members')).members.map((one: { public_name: string }) => one.public_name);
      assert.deepEqual([await listed(here), await listed(there)], [['Ada Lovelace'], [null]], 'nor does the sign-in');
      const switched = await again.ask('PATCH', '/session', { body: { organization_id: there.organization_id } });
      assert.deepEqual(
        [switched.json.organization.id, switched.json.public_name],
        [there.organization_id, 'Ada Lovelace'],
      );
      assert.deepEqual(await listed(there), ['Ada Lovelace']);
    });

    test('a name that is none is 422 and says why, and changes nothing; so is a change of nothing', async () => {
      const { browser } = await member(await ledger.tenant(), 'approver');
      await named(browser, 'Ada Lovelace');
      for (const public_name of ['', '   ', 'ada@example.org', 'A\u202eda', 'Ada\nLovelace', 'x'.repeat(101), 7]) {
        const { status, json } = await browser.ask('PATCH', '/session', { body: { public_name } });
        assert.deepEqual(
          [status, json.code, json.errors[0].path],
          [422, 'invalid', 'public_name'],
          String(public_name),
        );
      }
      const mailbox = await browser.ask('PATCH', '/session', { body: { public_name: 'Ada <ada@example.org>' } });
      assert.match(mailbox.json.detail, /e-mail address/);
      assert.equal((await browser.ask('PATCH', '/session', { body: {} })).status, 422);
      assert.equal((await browser.ask('GET', '/session')).json.public_name, 'Ada Lovelace');
    });

    test('a key has no public name to choose: its label is sealed, else its id, and the label is no mailbox', async () => {
      const tenant = await ledger.tenant();
      const refused = await tenant.ask('owner', 'PATCH', '/session', { body: { public_name: 'Ada' } });
      assert.equal(refused.status, 403);
      for (const label of ['cfo@example.org', 'CFO <cfo@example.org>', 'A\u202eda', 'Ada (person)']) {
        const { status, json } = await tenant.ask('owner', 'POST', '/keys', { body: { role: 'approver', label } });
        assert.deepEqual([status, json.errors[0].path], [422, 'label'], label);
      }
      const signed = async (body: { role: string; label?: string }) => {
        const key = await tenant.as('owner')('POST', '/keys', body);
        const call = (method: string, path: string, said?: unknown) =>
          ledger.call(method, path, { token: key.api_key, body: said });
        const { json: session } = await call('GET', '/session');
        const run = await runAt(tenant, 'Verdict');
        const { json } = await call('POST', `/runs/${run}/approval`, { decision: 'approved' });
        assert.deepEqual([session.kind, session.email, session.public_name], ['key', null, json.approved_by]);
        return { key, approval: json };
      };
      const labelled = await signed({ role: 'approver', label: 'Ada Lovelace' });
      assert.deepEqual(
        [labelled.approval.approved_by, labelled.approval.approver_id],
        ['Ada Lovelace', labelled.key.id],
      );
      const unnamed = await signed({ role: 'approver' });
      assert.deepEqual([unnamed.approval.approved_by, unnamed.approval.approver_id], [unnamed.key.id, unnamed.key.id]);
      // As a release before labels had rules left it.
      await ledger.db.run('update api_keys set label = $2 where id = $1', [unnamed.key.id, 'cfo@example.org']);
      await sleep(2_100);
      const run = await runAt(tenant, 'Verdict');
      const { json } = await ledger.call('POST', `/runs/${run}/approval`, {
        token: unnamed.key.api_key,
        body: { decision: 'approved' },
      });
      assert.equal(json.approved_by, unnamed.key.id);
    });

    test('no mailbox stands in what is sealed, shown, printed or mailed, and the page says whether a person or a key approved', async () => {
      const tenant = await ledger.tenant();
      const client = newMailbox();
      const { id, email, browser } = await member(tenant, 'owner');
      await named(browser, 'Ada Lovelace');
      const byPerson = await runAt(tenant, 'Verdict', 'generic', { inputs: { notify: [client] } });
      await browser.ask('POST', `/runs/${byPerson}/approval`, approve);
      const { json: receipt } = await browser.ask('POST', `/runs/${byPerson}/receipt`);
      const key = await tenant.as('owner')('POST', '/keys', { role: 'approver', label: 'Ada Lovelace' });
      const byKey = await runAt(tenant, 'Verdict');
      for (const step of ['approval', 'receipt'])
        await ledger.call('POST', `/runs/${byKey}/${step}`, {
          token: key.api_key,
          body: step === 'approval' ? approve.body : undefined,
        });

      const share = receipt.share_url.slice(ledger.url.length);
      const page = await ledger.call('GET', share, { headers: { accept: 'text/html' } });
      const pdf = readPdf(Buffer.from(await (await fetch(`${receipt.share_url}/pdf`)).arrayBuffer()));
      const shared = await ledger.call('GET', share);
      const said = [
        page.text,
        pdf.pages.join('\n'),
        pdf.source,
        shared.text,
        (await ledger.call('GET', `${share}/download`)).text,
        Buffer.from(await (await fetch(`${receipt.share_url}/card.png`)).arrayBuffer()).toString('latin1'),
        (await tenant.ask('auditor', 'GET', '/ledger', { headers: { accept: 'application/x-ndjson' } })).text,
        (await tenant.ask('auditor', 'GET', '/receipts')).text,
        (await tenant.ask('auditor', 'GET', `/runs/${byPerson}`)).text.replace(client, ''),
        (await receiptMail(client)).replaceAll(client, ''),
      ];
      for (const [place, text] of said.entries()) {
        assert.ok(text.length > 0);
        assert.ok(!text.includes(email), `the mailbox stands in the text ${place}`);
      }
      assert.match(page.text, new RegExp(`Approved by Ada Lovelace \\(person\\)[\\s\\S]*${id}`));
      assert.ok(pdf.pages.join('\n').includes('Approved by Ada Lovelace (person)'));
      assert.ok(pdf.pages.join('\n').includes(id));

      const { json: other } = await ledger.call('POST', `/runs/${byKey}/receipt`, { token: key.api_key });
      const otherPage = await ledger.call('GET', other.share_url.slice(ledger.url.length), {
        headers: { accept: 'text/html' },
      });
      assert.match(otherPage.text, new RegExp(`Approved by Ada Lovelace \\(API key\\)[\\s\\S]*${key.id}`));
      assert.doesNotMatch(otherPage.text, /\(person\)/);
    });

    test('who switched a link is told by public name, else by id: everybody in the organization reads it', async () => {
      const tenant = await ledger.tenant();
      const { receipt_id } = await mintedReceipt(tenant);
      const { id, email, browser } = await member(tenant, 'owner');
      const switched = async (enabled: boolean) => {
        await browser.ask('PUT', `/receipts/${receipt_id}/share`, { body: { enabled } });
        return (await tenant.as('auditor')('GET', `/receipts/${receipt_id}/share`)).changed_by;
      };
      assert.equal(await switched(false), id);
      await named(browser, 'Ada Lovelace');
      assert.equal(await switched(true), 'Ada Lovelace');
      assert.equal((await browser.ask('GET', '/session')).json.email, email);
    });

    test('the objects that are copied hold no mailbox of the approver', async () => {
      const tenant = await ledger.tenant();
      const { email, browser } = await member(tenant, 'owner');
      await named(browser, 'Ada Lovelace');
      const run = await runAt(tenant, 'Verdict');
      await browser.ask('POST', `/runs/${run}/approval`, approve);
      await browser.ask('POST', `/runs/${run}/receipt`);
      const copies = () =>
        readdirSync(join(ledger.folder, 'objects'), { recursive: true, withFileTypes: true })
          .filter((file) => file.isFile() && file.parentPath.includes(tenant.organization_id))
          .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
      await until('JSON and PDF are copied', () => copies().length >= 2);
      assert.ok(copies().every((bytes) => !bytes.includes(email)));
    });
  },
  { LEDGER_SIGN_IN_REQUESTS_PER_MINUTE: '100000' },
  { copies: true },
);
