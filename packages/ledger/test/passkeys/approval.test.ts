/** An approval that a passkey signed: over exactly what is sealed, once, by the person who approves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { verifyApproval } from '@rcpt/proof/approval/approval.ts';
import { approvedSha256 } from '@rcpt/proof/approval/approved-block.ts';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { opensslHolds } from '../../../../test/kit/openssl.ts';
import { type SignChange, softPasskey } from '../../../../test/kit/passkey.ts';
import {
  approve,
  approveSigned,
  askToSign,
  enrol,
  member,
  ORIGIN,
  offer,
  ok,
  signer,
  tokenOf,
} from '../kit/passkeys.ts';
import { named, signIn } from '../kit/people.ts';
import { type Answer, eachLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const refusedAs = (answer: Answer, status: number, code: string) =>
  assert.deepEqual([answer.status, answer.json?.code], [status, code], answer.text);

const mint = (tenant: Tenant, run: string) => tenant.as('owner')('POST', `/runs/${run}/receipt`);

eachLedger(
  'an approval signed with a passkey',
  (ledger) => {
    const shared = async (receipt: { share_url: string }) => {
      const token = tokenOf(receipt);
      const [bytes, file] = await Promise.all([
        ledger.call('GET', `/share/${token}/download`),
        ledger.call('GET', `/share/${token}/approval`),
      ]);
      return { bytes: bytes.text, file };
    };

    for (const lane of LANE_NAMES)
      test(`is of the bytes that are sealed: ${lane}`, async () => {
        const tenant = await ledger.tenant();
        await offer(tenant);
        const ada = await signer(ledger, tenant);
        if (lane === 'cook') await mint(tenant, await runAt(tenant, 'Approval', 'model-pin'));
        const run = await runAt(tenant, 'Verdict', lane);
        const options = await ok(askToSign(ada.browser, run, { decision: 'approved', note: 'Seen.' }));
        assert.equal(Buffer.from(options.challenge, 'base64url').toString('hex'), options.approved_sha256);
        assert.deepEqual([options.rpId, options.userVerification], ['localhost', 'required']);
        assert.deepEqual(
          options.allowCredentials.map(({ id }: { id: string }) => id),
          [ada.passkey.credential_id],
        );
        const assertion = ada.passkey.assert(options.challenge);
        const approval = await ok(approve(ada.browser, run, { note: 'Seen.', assertion }));
        assert.deepEqual([approval.approved_at, approval.approver_id], [options.approved_at, ada.id]);
        const receipt = await mint(tenant, run);
        if (lane === 'cook') assert.ok('pinned_model' in receipt);
        assert.equal(approvedSha256(receipt), options.approved_sha256);
        const { bytes, file } = await shared(receipt);
        assert.equal(file.status, 200, file.text);
        assert.deepEqual(Object.keys(file.json).sort(), [
          'approved_sha256',
          'approver_id',
          'approver_name',
          'authenticator_data',
          'client_data_json',
          'credential_id',
          'public_key_pem',
          'signature',
        ]);
        const verified = await verifyApproval(bytes, file.text);
        assert.deepEqual([verified.approver_id, verified.approver_name], [ada.id, 'Ada Examiner']);
        assert.equal(verified.is_named_in_receipt, lane === 'generic');
        const openssl = opensslHolds(temporaryFolder('openssl'), file.text);
        assert.equal(openssl.holds, true, openssl.said);
      });

    for (const algorithm of ['EdDSA', 'RS256'] as const)
      test(`holds under openssl: ${algorithm}`, async () => {
        const tenant = await ledger.tenant();
        await offer(tenant);
        const ada = await signer(ledger, tenant, { algorithm });
        const run = await runAt(tenant, 'Verdict');
        await approveSigned(ada, run);
        const { bytes, file } = await shared(await mint(tenant, run));
        assert.equal((await verifyApproval(bytes, file.text)).algorithm, algorithm);
        const openssl = opensslHolds(temporaryFolder('openssl'), file.text, algorithm === 'EdDSA');
        assert.equal(openssl.holds, true, openssl.said);
      });

    test('is not there where no passkey signed, nor behind a link that is switched off', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const unsigned = await mint(tenant, await runAt(tenant, 'Approval'));
      refusedAs((await shared(unsigned)).file, 404, 'not_found');
      refusedAs(await ledger.call('GET', `/share/${'x'.repeat(22)}/approval`), 404, 'not_found');
      const ada = await signer(ledger, tenant);
      const run = await runAt(tenant, 'Verdict');
      await approveSigned(ada, run);
      const receipt = await mint(tenant, run);
      await tenant.as('owner')('PUT', `/receipts/${receipt.receipt_id}/share`, { enabled: false });
      refusedAs((await shared(receipt)).file, 410, 'share_revoked');
    });

    const WRONG: [string, SignChange][] = [
      ['over another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
      ['without a challenge', { challenge: '' }],
      ['made to enrol', { type: 'webauthn.create' }],
      ['asked by another page', { origin: 'http://localhost:1' }],
      ['asked from a frame of another site', { cross_origin: true }],
      ['for another relying party', { rp_id: 'ledger.example' }],
      ['without the person', { flags: 0x04 }],
      ['without verification of the person', { flags: 0x01 }],
    ];
    test('is refused when it is wrong, and nothing is changed: the right one still counts', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant, 'required');
      const ada = await signer(ledger, tenant);
      const run = await runAt(tenant, 'Verdict');
      const { challenge } = await ok(askToSign(ada.browser, run));
      const refused = async (assertion: unknown, story: string) => {
        const answer = await approve(ada.browser, run, { assertion });
        assert.deepEqual([answer.status, answer.json?.code], [422, 'assertion_invalid'], `${story}: ${answer.text}`);
      };
      for (const [story, change] of WRONG) await refused(ada.passkey.assert(challenge, change), story);
      const right = ada.passkey.assert(challenge);
      const altered = (member: 'clientDataJSON' | 'authenticatorData' | 'signature') => {
        const bytes = Buffer.from(right.response[member], 'base64url');
        bytes[bytes.length - 2]! ^= 1;
        return { ...right, response: { ...right.response, [member]: bytes.toString('base64url') } };
      };
      await refused(altered('signature'), 'signature');
      await refused(altered('authenticatorData'), 'authenticator data');
      await refused(altered('clientDataJSON'), 'client data');
      await refused(softPasskey(ORIGIN).assert(challenge), 'a key of nobody');
      const { credential_id } = ada.passkey;
      await refused({ ...softPasskey(ORIGIN).assert(challenge), id: credential_id }, 'another key under this id');
      for (const shape of [
        {},
        [],
        'x',
        7,
        { id: credential_id },
        { ...right, response: { ...right.response, signature: 1 } },
      ])
        await refused(shape, JSON.stringify(shape));
      assert.equal((await tenant.as('agent')('GET', `/runs/${run}`)).stage, 'Verdict');
      await ok(approve(ada.browser, run, { assertion: right }));
    });

    test('is the approver’s own: not another person’s, not for another session, Run, note or decision', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const eve = await signer(ledger, tenant, { public_name: 'Eve' });
      const [run, other] = [await runAt(tenant, 'Verdict'), await runAt(tenant, 'Verdict')];
      const { challenge } = await ok(askToSign(ada.browser, run, { decision: 'approved', note: 'Seen.' }));
      const assertion = ada.passkey.assert(challenge);
      const wrong = (answer: Answer) => refusedAs(answer, 422, 'assertion_invalid');
      wrong(await approve(eve.browser, run, { note: 'Seen.', assertion }));
      wrong(await approve(ada.browser, run, { note: 'Seen.', assertion: eve.passkey.assert(challenge) }));
      wrong(await approve(ada.browser, other, { note: 'Seen.', assertion }));
      wrong(await approve(ada.browser, run, { note: 'Not seen.', assertion }));
      wrong(await approve(ada.browser, run, { assertion }));
      wrong(await approve(ada.browser, run, { decision: 'rejected', note: 'Seen.', assertion }));
      wrong(
        await tenant.ask('approver', 'POST', `/runs/${run}/approval`, {
          body: { decision: 'approved', note: 'Seen.', assertion },
        }),
      );
      await ok(approve(ada.browser, run, { note: 'Seen.', assertion }));
    });

    test('answers the session that was asked', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const { browser, email } = await member(ledger, tenant);
      const passkey = softPasskey(ORIGIN);
      await enrol(browser, passkey);
      const second = await signIn(ledger, email);
      const run = await runAt(tenant, 'Verdict');
      const { challenge } = await ok(askToSign(browser, run));
      refusedAs(await approve(second, run, { assertion: passkey.assert(challenge) }), 422, 'assertion_invalid');
      await ok(approve(browser, run, { assertion: passkey.assert(challenge) }));
    });

    test('does not count after five minutes, after its passkey was removed, or where the counter did not go on', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant, { counts: true });
      const run = await runAt(tenant, 'Verdict');
      await approveSigned(ada, run);
      const next = await runAt(tenant, 'Verdict');
      const { challenge } = await ok(askToSign(ada.browser, next));
      const behind = ada.passkey.assert(challenge, { sign_count: 1 });
      refusedAs(await approve(ada.browser, next, { assertion: behind }), 422, 'assertion_invalid');
      const zero = ada.passkey.assert(challenge, { sign_count: 0 });
      refusedAs(await approve(ada.browser, next, { assertion: zero }), 422, 'assertion_invalid');
      await ledger.db.run('update passkey_challenges set expires_at = $2 where organization_id = $1', [
        tenant.organization_id,
        '2026-01-01T00:00:00.000Z',
      ]);
      const late = ada.passkey.assert(challenge);
      refusedAs(await approve(ada.browser, next, { assertion: late }), 422, 'assertion_invalid');
      const { challenge: fresh } = await ok(askToSign(ada.browser, next));
      await ok(ada.browser.ask('DELETE', `/passkeys/${ada.enrolled.id}`));
      const removed = ada.passkey.assert(fresh);
      refusedAs(await approve(ada.browser, next, { assertion: removed }), 422, 'assertion_invalid');
      refusedAs(await askToSign(ada.browser, next), 409, 'passkey_missing');
    });

    test('of two at once with one challenge, one counts', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      for (const lane of ['generic', 'dataset-download'] as const) {
        const run = await runAt(tenant, 'Verdict', lane);
        const { challenge } = await ok(askToSign(ada.browser, run));
        const answers = await Promise.all(
          Array.from({ length: 6 }, () => approve(ada.browser, run, { assertion: ada.passkey.assert(challenge) })),
        );
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
        const rows = await ledger.db.all('select run_id from approval_signatures where run_id = $1', [run]);
        assert.equal(rows.length, 1);
        await mint(tenant, run);
      }
    });

    test('a signature over a block is not used for a second Run with the same block, nor its mirror', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const [one, two] = [
        await runAt(tenant, 'Verdict', 'dataset-download'),
        await runAt(tenant, 'Verdict', 'dataset-download'),
      ];
      const { challenge } = await ok(askToSign(ada.browser, one));
      const assertion = ada.passkey.assert(challenge);
      await ok(approve(ada.browser, one, { assertion }));
      const again = await ok(askToSign(ada.browser, two));
      assert.equal(again.challenge, challenge, 'the two seal the same block');
      refusedAs(await approve(ada.browser, two, { assertion }), 422, 'assertion_invalid');
      const { response } = assertion;
      const signature = mirrored(Buffer.from(response.signature, 'base64url')).toString('base64url');
      const mirror = { ...assertion, response: { ...response, signature } };
      refusedAs(await approve(ada.browser, two, { assertion: mirror }), 422, 'assertion_invalid');
      await ok(approve(ada.browser, two, { assertion: ada.passkey.assert(challenge) }));
      await mint(tenant, one);
      await mint(tenant, two);
    });

    test('a repeat under the same Idempotency-Key is answered as before', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const run = await runAt(tenant, 'Verdict');
      const { challenge } = await ok(askToSign(ada.browser, run));
      const body = { decision: 'approved', assertion: ada.passkey.assert(challenge) };
      const headers = { 'idempotency-key': 'once' };
      const first = await ok(ada.browser.ask('POST', `/runs/${run}/approval`, { body, headers }));
      assert.deepEqual(await ok(ada.browser.ask('POST', `/runs/${run}/approval`, { body, headers })), first);
    });

    test('that was asked for before the person changed their name is asked for again', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const run = await runAt(tenant, 'Verdict');
      const { challenge } = await ok(askToSign(ada.browser, run));
      await named(ada.browser, 'Ada Reviewer');
      refusedAs(
        await approve(ada.browser, run, { assertion: ada.passkey.assert(challenge) }),
        422,
        'assertion_invalid',
      );
      assert.equal((await approveSigned(ada, run)).approved_by, 'Ada Reviewer');
    });

    test('of a large Run, which is fixed in a thread, and of one with private members, is of what is sealed', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      const large = await runAt(tenant, 'Verdict', 'generic', { inputs: { notes: 'x'.repeat(200_000) } });
      const { id } = await tenant.as('agent')('POST', '/runs', {
        lane: 'generic',
        title: 'A visit',
        inputs: { task: 'Summarize', patient: 'Jo Doe' },
        private: ['/inputs/patient', '/title', '/note'],
      });
      await tenant.as('agent')('POST', `/runs/${id}/execution`, { output: 'Done.' });
      await tenant.as('agent')('POST', `/runs/${id}/checks`);
      await tenant.as('agent')('POST', `/runs/${id}/verdict`);
      for (const run of [large, id]) {
        await approveSigned(ada, run, 'Compared with the file of Jo Doe.');
        const receipt = await mint(tenant, run);
        const { bytes, file } = await shared(receipt);
        assert.equal(bytes.includes('Jo Doe'), run === large);
        assert.equal((await verifyApproval(bytes, file.text)).approver_id, ada.id);
      }
    });

    test('required: nobody approves without one, no key and no person; rejecting takes none', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant, 'required');
      const ada = await signer(ledger, tenant);
      const run = await runAt(tenant, 'Verdict');
      for (const role of ['approver', 'owner'] as const)
        refusedAs(
          await tenant.ask(role, 'POST', `/runs/${run}/approval`, { body: { decision: 'approved' } }),
          409,
          'passkey_required',
        );
      refusedAs(await approve(ada.browser, run, {}), 409, 'passkey_required');
      refusedAs(await approve(ada.browser, run, { assertion: null }), 409, 'passkey_required');
      await approveSigned(ada, run);
      await mint(tenant, run);
      const rejected = await runAt(tenant, 'Verdict');
      assert.equal(
        (await tenant.as('approver')('POST', `/runs/${rejected}/approval`, { decision: 'rejected' })).decision,
        'rejected',
      );
    });

    test('required in some lanes: in the others it is offered', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant, 'required', { passkey_lanes: ['incident'] });
      const ada = await signer(ledger, tenant);
      const incident = await runAt(tenant, 'Verdict', 'incident');
      const body = { decision: 'approved' };
      refusedAs(await tenant.ask('owner', 'POST', `/runs/${incident}/approval`, { body }), 409, 'passkey_required');
      await approveSigned(ada, incident);
      await runAt(tenant, 'Approval', 'generic');
      await approveSigned(ada, await runAt(tenant, 'Verdict', 'generic'));
    });

    test('off: no options, and what was asked for before does not count', async () => {
      const tenant = await ledger.tenant();
      const ada = await signer(ledger, tenant);
      const run = await runAt(tenant, 'Verdict');
      refusedAs(await askToSign(ada.browser, run), 409, 'passkeys_off');
      await offer(tenant);
      const { challenge } = await ok(askToSign(ada.browser, run));
      await offer(tenant, 'off');
      refusedAs(await approve(ada.browser, run, { assertion: ada.passkey.assert(challenge) }), 409, 'passkeys_off');
    });

    test('options are refused as the approval would be', async () => {
      const tenant = await ledger.tenant();
      await offer(tenant);
      const ada = await signer(ledger, tenant);
      refusedAs(await askToSign(ada.browser, await runAt(tenant, 'Checks')), 409, 'run_stage_conflict');
      refusedAs(await askToSign(ada.browser, 'run_nothing'), 404, 'not_found');
      const strange = await ledger.tenant();
      refusedAs(await askToSign(ada.browser, await runAt(strange, 'Verdict')), 404, 'not_found');
      const run = await runAt(tenant, 'Verdict');
      refusedAs(await askToSign(ada.browser, run, { decision: 'rejected' }), 422, 'invalid');
      const body = { decision: 'approved' };
      refusedAs(await tenant.ask('approver', 'POST', `/runs/${run}/approval/options`, { body }), 403, 'forbidden');
      refusedAs(await tenant.ask('agent', 'POST', `/runs/${run}/approval/options`, { body }), 403, 'forbidden');
      const reader = await member(ledger, tenant, 'auditor');
      refusedAs(await askToSign(reader.browser, run), 403, 'forbidden');
      const keyless = await member(ledger, tenant);
      refusedAs(await askToSign(keyless.browser, run), 409, 'passkey_missing');
    });
  },
  { LEDGER_BASE_URL: ORIGIN },
);

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** (r, s) → (r, n − s), which holds as well. */
function mirrored(der: Buffer): Buffer {
  const r = der.subarray(2, 4 + der[3]!);
  const s = der.subarray(4 + der[3]! + 2);
  let hex = (ORDER - BigInt(`0x${s.toString('hex')}`)).toString(16).padStart(64, '0');
  if (Number.parseInt(hex.slice(0, 2), 16) >= 0x80) hex = `00${hex}`;
  const bytes = Buffer.from(hex, 'hex');
  const body = Buffer.concat([r, Buffer.from([2, bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}
