/** What whoever runs the ledger can do to an approval in the database, and how a verifier finds it without the ledger. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type VerifiedApproval, verifyApproval } from '@rcpt/proof/approval/approval.ts';
import { EnrolmentSearch } from '@rcpt/proof/approval/enrolment.ts';
import { main } from '@rcpt/proof/bin.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import type { ProofErrorCode } from '@rcpt/proof/error.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { type SoftPasskey, softPasskey } from '../../../../test/kit/passkey.ts';
import { approveSigned, ORIGIN, offer, ok, type Signer, signer, tokenOf } from '../kit/passkeys.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

eachLedger(
  'an approval that somebody exchanges in the database',
  (ledger) => {
    const signed = async (tenant: Tenant, ada: Signer) => {
      const run = await runAt(tenant, 'Verdict');
      await approveSigned(ada, run, 'Compared with the notes.');
      return run;
    };
    const mint = (tenant: Tenant, run: string) => tenant.as('owner')('POST', `/runs/${run}/receipt`);
    const shared = async (receipt: { share_url: string }) => {
      const share = `/share/${tokenOf(receipt)}`;
      const [bytes, file] = await Promise.all([
        ledger.call('GET', `${share}/download`),
        ledger.call('GET', `${share}/approval`),
      ]);
      return { bytes: bytes.text, file: file.text };
    };
    const activity = async ({ organization_id }: Tenant) => {
      const rows = await ledger.db.all<{ payload: string }>(
        'select payload from activity where organization_id = $1 order by org_seq',
        [organization_id],
      );
      return rows.map(({ payload }) => payload);
    };
    const enrolmentIn = (lines: string[], approval: VerifiedApproval) => {
      const search = new EnrolmentSearch(approval);
      for (const line of lines) search.push(line);
      return search.finish();
    };
    /** What the command line says of these files, in words. */
    const said = async ({ bytes, file }: { bytes: string; file: string }, lines: string[]) => {
      const folder = temporaryFolder('approval');
      const write = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
      };
      let text = '';
      const out = {
        write(more: string) {
          text += more;
          return true;
        },
      };
      const files = [write('receipt.json', bytes), '--approval', write('approval.json', file)];
      const beside = ['--activity', write('activity.jsonl', `${lines.join('\n')}\n`), '--no-state'];
      const code = await main(['verify', ...files, ...beside], out as never, out as never);
      return { code, text };
    };
    const refusedAs = (code: ProofErrorCode) => (error: { code?: string }) => {
      assert.equal(error.code, code, String(error));
      return true;
    };
    /** By somebody who has the database and a passkey of their own. */
    const forge = async (tenant: Tenant, run: string, passkey: SoftPasskey, credential_id = passkey.credential_id) => {
      const row = (await ledger.db.get<{ approved_sha256: string }>(
        'select approved_sha256 from approval_signatures where organization_id = $1 and run_id = $2',
        [tenant.organization_id, run],
      ))!;
      const { response } = passkey.assert(Buffer.from(row.approved_sha256, 'hex').toString('base64url'));
      const padded = (text: string) => Buffer.from(text, 'base64url').toString('base64');
      await ledger.db.run(
        `update approval_signatures set client_data_json = $3, authenticator_data = $4, signature = $5, public_key_pem = $6,
           credential_id = $7 where organization_id = $1 and run_id = $2`,
        [
          tenant.organization_id,
          run,
          padded(response.clientDataJSON),
          padded(response.authenticatorData),
          padded(response.signature),
          passkey.public_key_pem,
          credential_id,
        ],
      );
    };

    test('as it is: signed by the approver’s own passkey, which the activity records', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const files = await shared(await mint(tenant, await signed(tenant, ada)));
      const lines = await activity(tenant);
      const enrolment = enrolmentIn(lines, await verifyApproval(files.bytes, files.file));
      assert.deepEqual(enrolment.member, { id: ada.id, name: 'Ada Examiner' });
      const { code, text } = await said(files, lines);
      assert.equal(code, 0, text);
      assert.match(
        text,
        new RegExp(`It is that of Ada Examiner \\(${ada.id}\\): ${enrolment.receipt_id} of the activity`),
      );
    });

    test('the approved block, after the passkey signed and before the mint', async () => {
      const tenant = await ledger.doomedTenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const run = await signed(tenant, ada);
      const { approved_block } = (await ledger.db.get<{ approved_block: string }>(
        'select approved_block from run_documents where organization_id = $1 and id = $2',
        [tenant.organization_id, run],
      ))!;
      const exchanged = approved_block.replace('Compared with the notes.', 'Not compared with anything.');
      assert.notEqual(exchanged, approved_block);
      await ledger.db.run(
        'update run_documents set approved_block = $3, approved_sha256 = $4 where organization_id = $1 and id = $2',
        [tenant.organization_id, run, exchanged, sha256Hex(exchanged)],
      );
      const files = await shared(await mint(tenant, run));
      await assert.rejects(verifyApproval(files.bytes, files.file), refusedAs('wrong_approved_sha256'));
      const { code, text } = await said(files, await activity(tenant));
      assert.equal(code, 1);
      assert.match(text, /FAILED, wrong_approved_sha256\. .*it belongs to other bytes/);
      await ledger.db.run(
        'update approval_signatures set approved_sha256 = $3 where organization_id = $1 and run_id = $2',
        [tenant.organization_id, run, sha256Hex(exchanged)],
      );
      const renamed = await shared(JSON.parse(files.bytes));
      await assert.rejects(verifyApproval(renamed.bytes, renamed.file), refusedAs('wrong_challenge'));
    });

    test('the passkey, by another key under the same id', async () => {
      const tenant = await ledger.doomedTenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const run = await signed(tenant, ada);
      const receipt = await mint(tenant, run);
      const own = softPasskey(ORIGIN);
      await forge(tenant, run, own, ada.passkey.credential_id);
      await ledger.db.run('update passkeys set public_key_pem = $2 where id = $1', [
        ada.enrolled.id,
        own.public_key_pem,
      ]);
      const files = await shared(receipt);
      const lines = await activity(tenant);
      const approval = await verifyApproval(files.bytes, files.file);
      assert.throws(() => enrolmentIn(lines, approval), refusedAs('key_replaced'));
      const { code, text } = await said(files, lines);
      assert.equal(code, 1);
      assert.match(text, /FAILED, key_replaced\. .*ACT-\d+ records another public key for this passkey/);
      const { violation } = await tenant.as('auditor')('GET', '/activity/verify');
      assert.deepEqual([violation.kind, violation.receipt_id.slice(0, 4)], ['record_mismatch', 'ACT-']);
    });

    test('the passkey, by one that was slipped in', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const run = await signed(tenant, ada);
      const receipt = await mint(tenant, run);
      await forge(tenant, run, softPasskey(ORIGIN));
      const files = await shared(receipt);
      const { code, text } = await said(files, await activity(tenant));
      assert.equal(code, 1);
      assert.match(text, /FAILED, key_not_enrolled\. .*records no enrolment of this passkey before the approval/);
    });

    test('the passkey, by another member’s', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const eve = await signer(ledger, tenant, { public_name: 'Eve' });
      const run = await signed(tenant, ada);
      const receipt = await mint(tenant, run);
      await forge(tenant, run, eve.passkey);
      const { code, text } = await said(await shared(receipt), await activity(tenant));
      assert.equal(code, 1);
      assert.match(text, new RegExp(`FAILED, key_of_another\\. .*as ${eve.id}’s, not ${ada.id}’s`));
    });

    test('the passkey, by one that was removed before, or enrolled after', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      await ok(ada.browser.ask('DELETE', `/passkeys/${ada.enrolled.id}`));
      const lost = ada.passkey;
      const replaced = { ...ada, passkey: softPasskey(ORIGIN) };
      const options = await ok(ada.browser.ask('POST', '/passkeys/options'));
      await ok(ada.browser.ask('POST', '/passkeys', { body: replaced.passkey.enrol(options) }));
      const run = await signed(tenant, replaced);
      const receipt = await mint(tenant, run);
      assert.equal((await said(await shared(receipt), await activity(tenant))).code, 0);
      await forge(tenant, run, lost);
      const removed = await said(await shared(receipt), await activity(tenant));
      assert.match(removed.text, /FAILED, key_removed\. ACT-\d+ records that this passkey was removed/);
      const later = softPasskey(ORIGIN);
      const again = await ok(ada.browser.ask('POST', '/passkeys/options'));
      await ok(ada.browser.ask('POST', '/passkeys', { body: later.enrol(again) }));
      await forge(tenant, run, later);
      assert.match((await said(await shared(receipt), await activity(tenant))).text, /FAILED, key_not_enrolled/);
    });

    test('and the activity with it: the chain of the activity does not hold', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const run = await signed(tenant, ada);
      const receipt = await mint(tenant, run);
      const own = softPasskey(ORIGIN);
      await forge(tenant, run, own, ada.passkey.credential_id);
      const lines = await activity(tenant);
      const altered = lines.map((line) => {
        const read = JSON.parse(line);
        if (read.activity.kind !== 'passkey_enrolled') return line;
        read.activity.details.public_key_sha256 = sha256Hex('another');
        return canonicalize(read);
      });
      const { code, text } = await said(await shared(receipt), altered);
      assert.equal(code, 1);
      assert.match(text, /FAILED, activity_broken/);
      assert.match((await said(await shared(receipt), [])).text, /FAILED, activity_broken/);
      const strange = await activity(await ledger.tenant());
      assert.match((await said(await shared(receipt), strange)).text, /FAILED, activity_broken/);
    });
  },
  { LEDGER_BASE_URL: ORIGIN },
);
