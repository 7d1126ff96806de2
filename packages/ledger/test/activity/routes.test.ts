/** Every call that changes what an administrator answers for leaves its line (docs/spec.md §27). */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { ActivityReceipt } from '@rcpt/contract/activity.ts';
import type { ActivityKind } from '@rcpt/contract/activity-kinds.ts';
import { formatVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { operationsOf } from '../../../../test/kit/openapi-cases.ts';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { softPasskey } from '../../../../test/kit/passkey.ts';
import { FORWARDED } from '../../src/http/router.ts';
import { linesOf } from '../kit/activity.ts';
import { enrol, member, ORIGIN, signer } from '../kit/passkeys.ts';
import { addMember, browserOf, newMailbox, signIn } from '../kit/people.ts';
import { ADMIN_TOKEN, eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt, SHEET } from '../kit/story.ts';

function publicKey(): Uint8Array {
  return Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!, 'base64url');
}

interface Done {
  kinds: ActivityKind[];
  /** Of the last line. */
  details: object;
  by?: string;
  name?: string;
}

type Story = (tenant: Tenant, ledger: SuiteLedger) => Promise<Done>;

/** A person is invited, signs in and chooses a name. */
const JOINED: ActivityKind[] = ['member_added', 'member_joined', 'public_name_changed'];

/** Of nobody who answers. */
const WITNESS = {
  url: 'http://127.0.0.1:9',
  key: formatVerifierKey(verifierKey('witness.example/w1', 4, publicKey())),
};

const WORK = 'is work on a Run: its stages say who did it';
const SIGNING_IN = 'opens or ends a session, and changes nothing of the organization';
const ASKS = 'changes nothing';

/** Each call that is not a GET: what it leaves, or why it leaves nothing. */
const CALLS: Record<string, Story | string> = {
  'POST /organizations': async (_, { call }) => {
    const body = { name: 'Founded', four_eyes: true };
    const { json } = await call('POST', '/organizations', { token: ADMIN_TOKEN, body });
    const { receipts } = (await call('GET', '/activity', { token: json.api_key })).json;
    const [founded, key] = receipts as ActivityReceipt[];
    assert.deepEqual(founded!.activity.details, { four_eyes: true });
    assert.deepEqual([founded!.activity.by.id, key!.activity.by.id], ['operator', 'operator']);
    assert.equal(founded!.organization.name, 'Founded');
    return { kinds: [], details: {} };
  },
  'PATCH /organization': async (tenant) => {
    await tenant.as('owner')('PATCH', '/organization', { name: 'Renamed', four_eyes: true });
    await tenant.as('owner')('PATCH', '/organization', { name: 'Renamed' });
    await tenant.as('owner')('PATCH', '/organization', { passkey_approvals: 'offered' });
    return {
      kinds: ['organization_renamed', 'four_eyes_switched', 'passkey_approvals_changed'],
      details: { before: 'off', after: 'offered' },
    };
  },
  'PUT /organizations/{id}/router': async (tenant, { call }) => {
    const path = `/organizations/${tenant.organization_id}/router`;
    for (const url of ['http://127.0.0.1:9', 'http://127.0.0.1:9'])
      await call('PUT', path, { token: ADMIN_TOKEN, body: { url } });
    return { kinds: ['router_connected'], details: { before: null, after: 'http://127.0.0.1:9' }, by: 'operator' };
  },
  'POST /keys': async (tenant) => {
    const { id } = await tenant.as('owner')('POST', '/keys', { role: 'agent', label: 'press' });
    return { kinds: ['key_issued'], details: { key: { id, name: 'press' }, role: 'agent' } };
  },
  'DELETE /keys/{id}': async (tenant) => {
    const { id } = await tenant.as('owner')('POST', '/keys', { role: 'agent' });
    for (let i = 0; i < 2; i++) await tenant.as('owner')('DELETE', `/keys/${id}`);
    return { kinds: ['key_issued', 'key_revoked'], details: { key: { id, name: id }, role: 'agent' } };
  },
  'POST /members': async (tenant) => {
    const { id } = await addMember(tenant, 'approver');
    return { kinds: ['member_added'], details: { member: { id, name: id }, role: 'approver' } };
  },
  'POST /members/{id}/invitation': async (tenant) => {
    const { id } = await addMember(tenant, 'agent');
    await tenant.as('owner')('POST', `/members/${id}/invitation`);
    return { kinds: ['member_added', 'invitation_sent'], details: { member: { id, name: id }, role: 'agent' } };
  },
  'PATCH /members/{id}': async (tenant) => {
    const { id } = await addMember(tenant, 'agent');
    for (let i = 0; i < 2; i++) await tenant.as('owner')('PATCH', `/members/${id}`, { role: 'auditor' });
    const details = { member: { id, name: id }, before: 'agent', after: 'auditor' };
    return { kinds: ['member_added', 'member_role_changed'], details };
  },
  'DELETE /members/{id}': async (tenant) => {
    const { id } = await addMember(tenant, 'agent');
    await tenant.as('owner')('DELETE', `/members/${id}`);
    return { kinds: ['member_added', 'member_removed'], details: { member: { id, name: id }, role: 'agent' } };
  },
  'POST /session': async (tenant, ledger) => {
    const { id, email } = await addMember(tenant, 'approver');
    for (let i = 0; i < 2; i++) await signIn(ledger, email);
    const details = { member: { id, name: id }, role: 'approver' };
    return { kinds: ['member_added', 'member_joined'], details, by: id };
  },
  'PATCH /session': async (tenant, ledger) => {
    const email = newMailbox();
    const { id } = await addMember(tenant, 'approver', email);
    const person = await signIn(ledger, email);
    for (const public_name of ['Ada', 'Ada', 'Ada B.'])
      await person.ask('PATCH', '/session', { body: { public_name } });
    const elsewhere = await ledger.tenant();
    await addMember(elsewhere, 'agent', email);
    const { cookie } = await signIn(ledger, email);
    await browserOf(ledger, cookie).ask('PATCH', '/session', { body: { organization_id: elsewhere.organization_id } });
    const joined = (await linesOf(elsewhere)).at(-1)!;
    assert.deepEqual([joined.activity.kind, joined.activity.by], ['member_joined', { id, name: 'Ada B.' }]);
    return {
      kinds: ['member_added', 'member_joined', 'public_name_changed', 'public_name_changed'],
      details: { before: 'Ada', after: 'Ada B.' },
      by: id,
    };
  },
  'POST /passkeys': async (tenant, ledger) => {
    const { id, browser, public_name } = await member(ledger, tenant);
    const before = (await linesOf(tenant)).length;
    const passkey = softPasskey(ORIGIN);
    await enrol(browser, passkey);
    const [enrolled] = await linesOf(tenant, before);
    return { kinds: [...JOINED, 'passkey_enrolled'], details: enrolled!.activity.details, by: id, name: public_name };
  },
  'DELETE /passkeys/{id}': async (tenant, ledger) => {
    const { id, browser, enrolled } = await signer(ledger, tenant);
    const [{ activity }] = (await linesOf(tenant)).slice(-1) as [ActivityReceipt];
    await browser.ask('DELETE', `/passkeys/${enrolled.id}`);
    return { kinds: [...JOINED, 'passkey_enrolled', 'passkey_removed'], details: activity.details, by: id };
  },
  'POST /agent-profiles': async (tenant) => {
    const { id } = await tenant.as('owner')('POST', '/agent-profiles', { name: 'Scribe' });
    return { kinds: ['agent_profile_described'], details: { agent_profile: { id, name: 'Scribe' } } };
  },
  'POST /flight-sheets': async (tenant, { db }) => {
    for (let i = 0; i < 2; i++) await tenant.as('owner')('POST', '/flight-sheets', SHEET);
    const stored = await db.get<{ sheet_sha256: string }>(
      'select sheet_sha256 from flight_sheets where organization_id = $1',
      [tenant.organization_id],
    );
    const { name, version } = SHEET;
    return {
      kinds: ['flight_sheet_published'],
      details: { flight_sheet: { name, version, sha256: stored!.sheet_sha256 } },
    };
  },
  'PUT /receipts/{receipt_id}/share': async (tenant) => {
    const { receipt_id } = await mintedReceipt(tenant);
    for (const enabled of [true, false, false])
      await tenant.as('owner')('PUT', `/receipts/${receipt_id}/share`, { enabled });
    return { kinds: ['share_switched'], details: { receipt_id, before: true, after: false } };
  },
  'PUT /receipts/{receipt_id}/disclosures': async (tenant) => {
    const { receipt_id } = await mintedReceipt(tenant);
    const path = `/receipts/${receipt_id}/disclosures`;
    for (let i = 0; i < 2; i++) await tenant.as('owner')('PUT', path, { disclosed: ['/output'] });
    return { kinds: ['disclosures_changed'], details: { receipt_id, before: [], after: ['/output'] } };
  },
  'POST /receipts/{receipt_id}/erasures': async (tenant) => {
    const { receipt_id } = await mintedReceipt(tenant);
    const body = { path: '/output', reason: 'asked for by the patient' };
    for (let i = 0; i < 2; i++) await tenant.as('owner')('POST', `/receipts/${receipt_id}/erasures`, body);
    return { kinds: ['erased'], details: { receipt_id, ...body } };
  },
  'POST /witnesses': async (tenant) => {
    await tenant.as('owner')('POST', '/witnesses', WITNESS);
    return { kinds: ['witness_added'], details: { name: 'witness.example/w1', ...WITNESS } };
  },
  'DELETE /witnesses/{id}': async (tenant) => {
    const { id } = await tenant.as('owner')('POST', '/witnesses', WITNESS);
    await tenant.as('owner')('DELETE', `/witnesses/${id}`);
    const details = { name: 'witness.example/w1', ...WITNESS };
    return { kinds: ['witness_added', 'witness_removed'], details };
  },
  'POST /runs': WORK,
  'POST /runs/{id}/evidence': WORK,
  'POST /runs/{id}/execution': WORK,
  'POST /runs/{id}/checks': WORK,
  'PATCH /runs/{id}/checks/{key}': WORK,
  'POST /runs/{id}/verdict': WORK,
  'POST /runs/{id}/approval': WORK,
  'POST /runs/{id}/receipt': WORK,
  'POST /flight-sheets/try': ASKS,
  'POST /passkeys/options': ASKS,
  'POST /runs/{id}/approval/options': ASKS,
  'PATCH /passkeys/{id}': 'names a passkey for its owner, who alone is shown the name',
  'POST /sign-in': SIGNING_IN,
  'DELETE /session': SIGNING_IN,
  'DELETE /sessions': SIGNING_IN,
};

eachLedger(
  'every act of an administrator',
  (ledger) => {
    test('has its place in the table: a new call says what it leaves', async () => {
      const document = (await ledger.call('GET', '/openapi.json')).json;
      const changing = operationsOf(document).filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method));
      assert.deepEqual(changing.map(({ name }) => name).sort(), Object.keys(CALLS).sort());
    });

    for (const [call, story] of Object.entries(CALLS)) {
      if (typeof story === 'string') continue;
      test(`${call} leaves its line, once`, async () => {
        const tenant = await ledger.tenant();
        const before = (await linesOf(tenant)).length;
        const done = await story(tenant, ledger);
        const lines = await linesOf(tenant, before);
        assert.deepEqual(
          lines.map(({ activity }) => activity.kind),
          done.kinds,
        );
        for (const line of lines) ActivityReceipt.parse(line);
        if (done.kinds.length === 0) return;
        const { by, details } = lines.at(-1)!.activity;
        assert.deepEqual(details, done.details);
        if (done.name !== undefined) assert.equal(by.name, done.name);
        if (done.by !== undefined) assert.equal(by.id, done.by);
        else assert.match(`${by.id} ${by.name}`, /^key_[0-9a-f]{32} first owner$/);
      });
    }

    test('what is asked of the router is recorded before it is asked', async () => {
      const tenant = await ledger.tenant();
      const url = `http://127.0.0.1:${await ownPort()}`;
      await ledger.call('PUT', `/organizations/${tenant.organization_id}/router`, {
        token: ADMIN_TOKEN,
        body: { url },
      });
      const before = (await linesOf(tenant)).length;
      for (const call of FORWARDED.administer) {
        const [method, path] = call.split(' ') as [string, string];
        const { json } = await tenant.ask('owner', method, `/router${path.replace(':id', 'wrk_1')}`, { body: {} });
        assert.equal(json.code, 'router_unavailable', call);
      }
      for (const call of FORWARDED.work)
        await tenant.ask('owner', 'POST', `/router${call.slice(5).replace(':id', 'job_1')}`, { body: {} });
      const lines = await linesOf(tenant, before);
      assert.deepEqual(
        lines.map(({ activity }) => [activity.kind, activity.details]),
        FORWARDED.administer.map((call) => [
          'router_called',
          { call: call.replace(':id', '{id}'), id: call.includes(':id') ? 'wrk_1' : null },
        ]),
      );
    });

    test('an export is recorded before it leaves, with where it ends; a look at a page is not', async () => {
      const tenant = await ledger.tenant();
      const { org_seq, receipt_sha256 } = await mintedReceipt(tenant);
      const before = (await linesOf(tenant)).length;
      const ndjson = { headers: { accept: 'application/x-ndjson' } };
      await tenant.ask('agent', 'GET', '/ledger', ndjson);
      await tenant.ask('auditor', 'GET', '/ledger/export');
      await tenant.ask('auditor', 'HEAD', '/ledger/export');
      await tenant.ask('auditor', 'GET', '/ledger?limit=1');
      const { headers, text } = await tenant.ask('auditor', 'GET', '/activity', ndjson);
      const lines = await linesOf(tenant, before);
      const head = { org_seq, receipt_sha256 };
      const activity_head = {
        org_seq: before + 1,
        receipt_sha256: lines[1]!.receipt_sha256,
      };
      assert.deepEqual(
        lines.map(({ activity }) => [activity.kind, activity.details, activity.by.name]),
        [
          ['export_taken', { chain: 'receipts', head }, 'test agent'],
          ['export_taken', { chain: 'receipts', head }, 'test auditor'],
          ['export_taken', { chain: 'activity', head: activity_head }, 'test auditor'],
        ],
      );
      const own = lines.at(-1)!;
      assert.equal(headers.get('ledger-head'), `${own.org_seq}:${own.receipt_sha256}`, 'it ends with its own line');
      assert.equal(text.split('\n').length, before + 4);
    });

    test('a pack is recorded before it leaves, with its period; a look at its headers is not', async () => {
      const tenant = await ledger.tenant();
      await mintedReceipt(tenant);
      const before = (await linesOf(tenant)).length;
      await tenant.ask('auditor', 'HEAD', '/ledger/pack');
      await tenant.ask('auditor', 'GET', '/ledger/pack?from=2026-01-01&to=2026-01-31');
      const [line, ...others] = await linesOf(tenant, before);
      assert.deepEqual(others, []);
      assert.deepEqual(
        [line!.activity.kind, line!.activity.by.name, line!.activity.details],
        ['pack_taken', 'test auditor', { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }],
      );
    });

    test('no line holds a mailbox or a secret', async () => {
      for (const story of Object.values(CALLS)) {
        if (typeof story === 'string') continue;
        const tenant = await ledger.tenant();
        await story(tenant, ledger);
        const { text } = await tenant.ask('auditor', 'GET', '/activity?limit=500');
        assert.doesNotMatch(text, /@|rk_|secret|token/);
        for (const key of Object.values(tenant.keys)) assert.ok(!text.includes(key.slice(-43)));
      }
    });
  },
  { LEDGER_BASE_URL: ORIGIN },
);
