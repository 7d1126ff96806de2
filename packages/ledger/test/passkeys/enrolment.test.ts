/** Passkeys are a person's own, in one organization; each is recorded in its activity. */
import assert from 'node:assert/strict';
import { createHash, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { softPasskey } from '../../../../test/kit/passkey.ts';
import { activityOf } from '../kit/activity.ts';
import { enrol, member, ORIGIN, offer, ok, signer } from '../kit/passkeys.ts';
import { eachLedger } from '../kit/running.ts';

const refusedAs = (answer: { status: number; json: { code: string }; text: string }, status: number, code: string) =>
  assert.deepEqual([answer.status, answer.json?.code], [status, code], answer.text);

eachLedger(
  'passkeys',
  (ledger) => {
    for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const)
      test(`one is asked for, enrolled, listed, renamed and removed: ${algorithm}`, async () => {
        const tenant = await ledger.tenant();
        const { id, browser } = await member(ledger, tenant);
        const options = await ok(browser.ask('POST', '/passkeys/options'));
        assert.equal(options.rp.id, 'localhost');
        assert.equal(options.authenticatorSelection.userVerification, 'required');
        assert.equal(options.authenticatorSelection.residentKey, 'required');
        assert.deepEqual(
          options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
          [-7, -8, -257],
        );
        assert.equal(Buffer.from(options.challenge, 'base64url').length, 32);
        const passkey = softPasskey(ORIGIN, algorithm);
        const answer = await browser.ask('POST', '/passkeys', { body: { ...passkey.enrol(options), name: 'Laptop' } });
        assert.equal(answer.status, 201, answer.text);
        assert.equal(answer.headers.get('location'), `/passkeys/${answer.json.id}`);
        assert.deepEqual([answer.json.algorithm, answer.json.credential_id], [algorithm, passkey.credential_id]);
        const renamed = await ok(browser.ask('PATCH', `/passkeys/${answer.json.id}`, { body: { name: 'Old laptop' } }));
        assert.deepEqual(await ok(browser.ask('GET', '/passkeys')), { passkeys: [renamed] });
        const again = await ok(browser.ask('POST', '/passkeys/options'));
        assert.deepEqual(again.excludeCredentials, [
          { id: passkey.credential_id, type: 'public-key', transports: ['internal'] },
        ]);
        await ok(browser.ask('DELETE', `/passkeys/${answer.json.id}`));
        assert.deepEqual(await ok(browser.ask('GET', '/passkeys')), { passkeys: [] });
        refusedAs(await browser.ask('DELETE', `/passkeys/${answer.json.id}`), 404, 'not_found');

        const acts = (await activityOf(ledger.db, tenant.organization_id)).map(({ activity }) => activity);
        const der = createPublicKey(passkey.public_key_pem).export({ type: 'spki', format: 'der' });
        const who = { id, name: 'Ada Examiner' };
        const key = { member: who, public_key_sha256: createHash('sha256').update(der).digest('hex') };
        assert.deepEqual(acts.slice(-2), [
          {
            kind: 'passkey_enrolled',
            by: who,
            details: { ...key, passkey: { id: passkey.credential_id, name: 'Laptop' } },
          },
          {
            kind: 'passkey_removed',
            by: who,
            details: { ...key, passkey: { id: passkey.credential_id, name: 'Old laptop' } },
          },
        ]);
      });

    test('no API key has one, no session without an organization, no request from another site', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(ledger, tenant);
      for (const [method, path] of [
        ['POST', '/passkeys/options'],
        ['POST', '/passkeys'],
        ['GET', '/passkeys'],
      ] as const) {
        refusedAs(await tenant.ask('owner', method, path), 403, 'forbidden');
        refusedAs(await ledger.call(method, path), 401, 'unauthenticated');
      }
      refusedAs(
        await browser.ask('POST', '/passkeys/options', { headers: { 'sec-fetch-site': 'cross-site' } }),
        403,
        'cross_site',
      );
    });

    test('another person’s does not exist, in the same organization and in another', async () => {
      const tenant = await ledger.tenant();
      const ada = await signer(ledger, tenant);
      const eve = await signer(ledger, tenant, { public_name: 'Eve' });
      const other = await signer(ledger, await ledger.tenant());
      for (const { browser } of [eve, other]) {
        refusedAs(await browser.ask('DELETE', `/passkeys/${ada.enrolled.id}`), 404, 'not_found');
        refusedAs(
          await browser.ask('PATCH', `/passkeys/${ada.enrolled.id}`, { body: { name: 'Mine' } }),
          404,
          'not_found',
        );
      }
      assert.equal((await ok(ada.browser.ask('GET', '/passkeys'))).passkeys.length, 1);
    });

    test('a challenge counts once, and for the session that was asked', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(ledger, tenant);
      const { browser: another } = await member(ledger, tenant);
      const options = await ok(browser.ask('POST', '/passkeys/options'));
      const body = softPasskey(ORIGIN).enrol(options);
      refusedAs(await another.ask('POST', '/passkeys', { body }), 422, 'passkey_invalid');
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => browser.ask('POST', '/passkeys', { body: softPasskey(ORIGIN).enrol(options) })),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422]);
      refusedAs(await browser.ask('POST', '/passkeys', { body }), 422, 'passkey_invalid');
    });

    test('a challenge that has run out is none', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(ledger, tenant);
      const options = await ok(browser.ask('POST', '/passkeys/options'));
      await ledger.db.run('update passkey_challenges set expires_at = $2 where organization_id = $1', [
        tenant.organization_id,
        '2026-01-01T00:00:00.000Z',
      ]);
      refusedAs(
        await browser.ask('POST', '/passkeys', { body: softPasskey(ORIGIN).enrol(options) }),
        422,
        'passkey_invalid',
      );
    });

    test('what an authenticator answers wrongly is refused', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(ledger, tenant);
      const passkey = softPasskey(ORIGIN);
      const options = await ok(browser.ask('POST', '/passkeys/options'));
      const wrong = [
        passkey.enrol(options, { type: 'webauthn.get' }),
        passkey.enrol(options, { origin: 'http://localhost:9' }),
        passkey.enrol(options, { rp_id: 'evil.example' }),
        passkey.enrol(options, { flags: 0x01 }),
        passkey.enrol(options, { flags: 0x04 }),
        passkey.enrol({ challenge: 'AAAA' }),
        { ...passkey.enrol(options), id: softPasskey(ORIGIN).credential_id },
        { ...passkey.enrol(options), response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
        withObject(passkey.enrol(options), Buffer.from('a0', 'hex')),
        withObject(passkey.enrol(options), Buffer.from('ff'.repeat(60), 'hex')),
        withObject(passkey.enrol(options), Buffer.alloc(0)),
      ];
      for (const body of wrong) refusedAs(await browser.ask('POST', '/passkeys', { body }), 422, 'passkey_invalid');
      for (const body of [{}, { id: 'x' }, { ...passkey.enrol(options), id: 'not base64url!' }])
        refusedAs(await browser.ask('POST', '/passkeys', { body }), 422, 'invalid');
      assert.equal((await browser.ask('POST', '/passkeys', { body: passkey.enrol(options) })).status, 201);
    });

    test('one that was enrolled there before is not enrolled again, in another organization it is', async () => {
      const tenant = await ledger.tenant();
      const { browser, passkey, enrolled } = await signer(ledger, tenant);
      const twice = await ok(browser.ask('POST', '/passkeys/options'));
      refusedAs(await browser.ask('POST', '/passkeys', { body: passkey.enrol(twice) }), 409, 'passkey_exists');
      await ok(browser.ask('DELETE', `/passkeys/${enrolled.id}`));
      const removed = await ok(browser.ask('POST', '/passkeys/options'));
      refusedAs(await browser.ask('POST', '/passkeys', { body: passkey.enrol(removed) }), 409, 'passkey_exists');
      const elsewhere = await member(ledger, await ledger.tenant());
      assert.equal((await enrol(elsewhere.browser, passkey)).credential_id, passkey.credential_id);
    });

    test('a person has twenty at most', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(ledger, tenant);
      for (let i = 0; i < 20; i++) await enrol(browser, softPasskey(ORIGIN));
      const options = await ok(browser.ask('POST', '/passkeys/options'));
      refusedAs(
        await browser.ask('POST', '/passkeys', { body: softPasskey(ORIGIN).enrol(options) }),
        409,
        'passkey_limit',
      );
    });

    test('a session asks for so many challenges and no more', async () => {
      const tenant = await ledger.tenant();
      const { browser } = await member(ledger, tenant);
      const answers = [];
      for (let i = 0; i < 51; i++) answers.push(await browser.ask('POST', '/passkeys/options'));
      assert.equal(answers.filter(({ status }) => status === 200).length, 50);
      refusedAs(answers.at(-1)!, 429, 'rate_limited');
    });

    test('those of a member who is removed go with the membership, and the activity says so', async () => {
      const tenant = await ledger.tenant();
      const { id, passkey } = await signer(ledger, tenant);
      await tenant.as('owner')('DELETE', `/members/${id}`);
      const acts = (await activityOf(ledger.db, tenant.organization_id)).slice(-2).map(({ activity }) => activity);
      assert.deepEqual(
        acts.map(({ kind }) => kind),
        ['member_removed', 'passkey_removed'],
      );
      assert.equal((acts[1]!.details as { passkey: { id: string } }).passkey.id, passkey.credential_id);
      assert.equal(acts[1]!.by.name, 'first owner');
    });

    test('an owner switches them, and the activity says from what to what', async () => {
      const tenant = await ledger.tenant();
      const lanes = ['generic', 'eval', 'cook', 'incident', 'dataset-download', 'model-pin'];
      const before = await tenant.as('owner')('GET', '/organization');
      assert.deepEqual([before.passkey_approvals, before.passkey_lanes], ['off', lanes]);
      assert.equal((await offer(tenant)).passkey_approvals, 'offered');
      const some = await offer(tenant, 'required', { passkey_lanes: ['incident', 'eval'] });
      assert.deepEqual(some.passkey_lanes, ['eval', 'incident']);
      assert.deepEqual((await offer(tenant, 'required')).passkey_lanes, ['eval', 'incident'], 'not named: kept');
      assert.deepEqual((await offer(tenant, 'required', { passkey_lanes: lanes })).passkey_lanes, lanes);
      for (const body of [{ passkey_approvals: 'always' }, { passkey_lanes: [] }, { passkey_lanes: ['x'] }])
        refusedAs(await tenant.ask('owner', 'PATCH', '/organization', { body }), 422, 'invalid');
      refusedAs(
        await tenant.ask('approver', 'PATCH', '/organization', { body: { passkey_approvals: 'off' } }),
        403,
        'forbidden',
      );
      const acts = (await activityOf(ledger.db, tenant.organization_id)).map(({ activity }) => activity);
      assert.deepEqual(
        acts.filter(({ kind }) => kind === 'passkey_approvals_changed').map(({ details }) => details),
        [
          { before: 'off', after: 'offered' },
          { before: 'offered', after: 'required: eval, incident' },
          { before: 'required: eval, incident', after: 'required' },
        ],
      );
    });
  },
  { LEDGER_BASE_URL: ORIGIN },
);

for (const [base_url, open_at] of [
  ['http://127.0.0.1:8080', 'http://localhost:8080'],
  ['https://192.0.2.7', 'https://a-name-of-this-machine'],
  ['http://ledger.example', 'https://ledger.example'],
] as const)
  eachLedger(
    `a ledger at ${base_url}`,
    (ledger) => {
      test('has no passkeys, and says how it would', async () => {
        const tenant = await ledger.tenant();
        await offer(tenant);
        const { browser } = await member(ledger, tenant);
        const answer = await browser.ask('POST', '/passkeys/options');
        refusedAs(answer, 409, 'passkey_address');
        assert.equal(answer.json.open_at, open_at);
        assert.match(answer.json.detail, /LEDGER_BASE_URL/);
      });
    },
    { LEDGER_BASE_URL: base_url },
    { engines: ['sqlite'] },
  );

function withObject(answer: Record<string, unknown>, object: Buffer) {
  const response = { ...(answer.response as object), attestationObject: object.toString('base64url') };
  return { ...answer, response };
}
