/** Organizations, keys and roles (docs/spec.md §11, §12). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { ADMIN_TOKEN, type Answer, eachLedger, ROLES, type Role, type Tenant } from '../kit/running.ts';
import { mintedReceipt, runAt, SHEET, WORK } from '../kit/story.ts';

interface Call {
  method: string;
  path: string;
  body?: unknown;
  /** Who may; everybody else is 403. */
  may: readonly Role[];
}

const EVERYBODY = ROLES;
const WORKERS = ['agent', 'approver', 'owner'] as const;
const DECIDERS = ['approver', 'owner'] as const;
const AUDITORS = ['auditor', 'owner'] as const;
const OWNER = ['owner'] as const;

/** Every call that takes a key, with ids that name nothing: a key that may call gets past the door, to 404 or 422. */
const CALLS: Call[] = [
  { method: 'POST', path: '/runs', body: {}, may: WORKERS },
  { method: 'GET', path: '/runs', may: EVERYBODY },
  { method: 'GET', path: '/runs/run_x', may: EVERYBODY },
  { method: 'POST', path: '/runs/run_x/evidence', body: { kind: 'note', label: 'x', content: 'x' }, may: WORKERS },
  { method: 'GET', path: '/runs/run_x/evidence/ev_x', may: EVERYBODY },
  { method: 'POST', path: '/runs/run_x/execution', body: {}, may: WORKERS },
  { method: 'POST', path: '/runs/run_x/checks', may: WORKERS },
  { method: 'PATCH', path: '/runs/run_x/checks/key', body: { status: 'pass' }, may: DECIDERS },
  { method: 'POST', path: '/runs/run_x/verdict', may: WORKERS },
  { method: 'POST', path: '/runs/run_x/approval', body: { decision: 'approved' }, may: DECIDERS },
  { method: 'POST', path: '/runs/run_x/receipt', may: DECIDERS },
  { method: 'GET', path: '/receipts/recent', may: EVERYBODY },
  { method: 'GET', path: '/receipts/RCPT-000000-00000000', may: EVERYBODY },
  { method: 'GET', path: '/ledger', may: EVERYBODY },
  { method: 'GET', path: '/ledger/verify', may: EVERYBODY },
  { method: 'GET', path: '/activity', may: AUDITORS },
  { method: 'GET', path: '/activity/export', may: AUDITORS },
  { method: 'GET', path: '/activity/verify', may: AUDITORS },
  { method: 'POST', path: '/flight-sheets', body: {}, may: OWNER },
  { method: 'GET', path: '/flight-sheets', may: EVERYBODY },
  { method: 'POST', path: '/flight-sheets/try', body: {}, may: WORKERS },
  { method: 'GET', path: '/flight-sheets/x/1', may: EVERYBODY },
  { method: 'POST', path: '/agent-profiles', body: {}, may: OWNER },
  { method: 'GET', path: '/agent-profiles', may: EVERYBODY },
  { method: 'POST', path: '/keys', body: {}, may: OWNER },
  { method: 'GET', path: '/keys', may: OWNER },
  { method: 'DELETE', path: '/keys/key_x', may: OWNER },
  { method: 'GET', path: '/session', may: EVERYBODY },
  { method: 'GET', path: '/members', may: OWNER },
  { method: 'POST', path: '/members', body: {}, may: OWNER },
  { method: 'PATCH', path: '/members/user_x', body: { role: 'agent' }, may: OWNER },
  { method: 'DELETE', path: '/members/user_x', may: OWNER },
  { method: 'POST', path: '/members/user_x/invitation', may: OWNER },
  { method: 'GET', path: '/organization', may: EVERYBODY },
  { method: 'PATCH', path: '/organization', body: {}, may: OWNER },
];

const newRun = { lane: 'generic', title: 'x', inputs: WORK.generic.inputs };

async function keyOf(tenant: Tenant, role: Role): Promise<{ id: string; api_key: string }> {
  return tenant.as('owner')('POST', '/keys', { role });
}

eachLedger('tenancy', (ledger) => {
  const withToken = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    ledger.call(method, path, { token, body });

  test('every role may make the calls of its row and no other', async () => {
    const tenant = await ledger.tenant();
    for (const { method, path, body, may } of CALLS)
      for (const role of ROLES) {
        const { status, json } = await tenant.ask(role, method, path, { body });
        const allowed = (may as readonly Role[]).includes(role);
        if (allowed) assert.ok([200, 404, 422].includes(status), `${role} ${method} ${path}: ${status}`);
        else assert.deepEqual([status, json.code], [403, 'forbidden'], `${role} ${method} ${path}`);
      }
  });

  test('without a key, or with one that was never issued, every call is 401', async () => {
    const tenant = await ledger.tenant();
    const real = tenant.keys.owner;
    const forged = [
      undefined,
      'x',
      'rk_',
      `${real}x`,
      real.slice(0, -1),
      real.replace(/.$/, real.endsWith('A') ? 'B' : 'A'),
      real.toUpperCase(),
      ADMIN_TOKEN,
    ];
    for (const { method, path, body } of CALLS)
      assert.equal((await ledger.call(method, path, { body })).status, 401, `${method} ${path}`);
    for (const token of forged)
      assert.equal((await ledger.call('GET', '/ledger', { token })).status, 401, String(token));
    assert.equal(
      (await ledger.call('GET', '/ledger', { headers: { authorization: `bearer ${real}` } })).status,
      200,
      'the scheme has no case',
    );
  });

  test('what belongs to another organization is 404 on every path, and unchanged', async () => {
    const [mine, other] = [await ledger.tenant(), await ledger.tenant()];
    const receipt = await mintedReceipt(mine, 'eval');
    const id = await runAt(mine, 'Verdict');
    const before = await mine.as('auditor')('GET', `/runs/${id}`);
    const evidence = before.evidence[0].id;
    const keys = (await mine.as('owner')('GET', '/keys')).keys;
    const paths: [string, string, unknown?][] = [
      ['GET', `/runs/${id}`],
      ['POST', `/runs/${id}/evidence`, { kind: 'note', label: 'x', content: 'x' }],
      ['GET', `/runs/${id}/evidence/${evidence}`],
      ['POST', `/runs/${id}/execution`, {}],
      ['POST', `/runs/${id}/checks`],
      ['PATCH', `/runs/${id}/checks/${before.checks[0].key}`, { status: 'pass' }],
      ['POST', `/runs/${id}/verdict`],
      ['POST', `/runs/${id}/approval`, { decision: 'approved' }],
      ['POST', `/runs/${id}/receipt`],
      ['GET', `/receipts/${receipt.receipt_id}`],
      ['GET', `/flight-sheets/${SHEET.name}/${SHEET.version}`],
      ['DELETE', `/keys/${keys[1].id}`],
    ];
    for (const [method, path, body] of paths) {
      const { status, json } = await other.ask('owner', method, path, { body });
      assert.deepEqual([status, json.code], [404, 'not_found'], `${method} ${path}`);
    }
    assert.deepEqual(await mine.as('auditor')('GET', `/runs/${id}`), before);
    for (const list of ['/runs', '/ledger', '/receipts/recent', '/flight-sheets', '/agent-profiles'])
      assert.ok(
        Object.values(await other.as('owner')('GET', list)).every(
          (value) => !Array.isArray(value) || value.length === 0,
        ),
        list,
      );
    assert.ok(
      (await mine.as('owner')('GET', '/keys')).keys.every((key: { revoked_at: unknown }) => key.revoked_at === null),
    );
  });

  test('another organization’s agent profile cannot be named', async () => {
    const [mine, other] = [await ledger.tenant(), await ledger.tenant()];
    const { id } = await mine.as('owner')('POST', '/agent-profiles', { name: 'Scribe' });
    const { status } = await other.ask('agent', 'POST', '/runs', { body: { ...newRun, agent_profile_id: id } });
    assert.equal(status, 422);
  });

  test('an organization starts with one owner key, shown once', async () => {
    const { status, json } = await withToken(ADMIN_TOKEN, 'POST', '/organizations', { name: 'Acme' });
    assert.equal(status, 201);
    assert.match(json.organization_id, /^org_[0-9a-f]{32}$/);
    assert.match(json.api_key, /^rk_[\w-]{40,}$/);
    assert.deepEqual([json.name, json.four_eyes], ['Acme', false]);
    const { keys } = (await withToken(json.api_key, 'GET', '/keys')).json;
    assert.deepEqual(
      keys.map((key: { id: string; role: string }) => [key.id, key.role]),
      [[json.key_id, 'owner']],
    );
    assert.doesNotMatch(JSON.stringify(keys), /rk_/);
    const shown = (await withToken(json.api_key, 'GET', '/organization')).json;
    const storage = { used_bytes: 0, limit_bytes: 10 * 2 ** 30 };
    const { organization_id: id, created_at } = json;
    const passkeys = { passkey_approvals: 'off', passkey_lanes: [...LANE_NAMES] };
    assert.deepEqual(shown, { id, name: 'Acme', four_eyes: false, ...passkeys, created_at, storage });
  });

  test('only the admin token founds organizations', async () => {
    const tenant = await ledger.tenant();
    for (const token of [undefined, 'x', tenant.keys.owner])
      assert.equal((await ledger.call('POST', '/organizations', { token, body: { name: 'x' } })).status, 401);
  });

  test('keys are shown with role and label, and never again with their secret', async () => {
    const tenant = await ledger.tenant();
    const { status, headers, json } = await tenant.ask('owner', 'POST', '/keys', {
      body: { role: 'auditor', label: 'For the auditor' },
    });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/keys/${json.id}`);
    assert.match(json.id, /^key_[0-9a-f]{32}$/);
    const { api_key, ...shown } = json;
    const { keys } = await tenant.as('owner')('GET', '/keys');
    assert.deepEqual(
      keys.find((key: { id: string }) => key.id === json.id),
      shown,
    );
    assert.ok(!JSON.stringify(keys).includes(api_key));
    for (const body of [{}, { role: 'king' }, { role: 'agent', label: '' }])
      assert.equal((await tenant.ask('owner', 'POST', '/keys', { body })).status, 422);
  });

  test('a revoked key is refused, and revoking again changes nothing', async () => {
    const tenant = await ledger.tenant();
    const { id, api_key } = await keyOf(tenant, 'agent');
    assert.equal((await withToken(api_key, 'GET', '/ledger')).status, 200);
    const revoked = await tenant.as('owner')('DELETE', `/keys/${id}`);
    const deadline = performance.now() + 60_000;
    while ((await withToken(api_key, 'GET', '/ledger')).status !== 401)
      assert.ok(performance.now() < deadline, 'it is still let in');
    assert.equal((await tenant.as('owner')('DELETE', `/keys/${id}`)).revoked_at, revoked.revoked_at);
  });

  test('the last owner key cannot be revoked, not even by two owners at once', async () => {
    const tenant = await ledger.tenant();
    const owner = tenant.as('owner');
    const [first] = (await owner('GET', '/keys')).keys;
    const last = await tenant.ask('owner', 'DELETE', `/keys/${first.id}`);
    assert.deepEqual([last.status, last.json.code], [409, 'last_owner']);
    const second = await keyOf(tenant, 'owner');
    assert.equal((await withToken(second.api_key, 'GET', '/keys')).status, 200);
    const answers = await Promise.all([
      tenant.ask('owner', 'DELETE', `/keys/${second.id}`),
      withToken(second.api_key, 'DELETE', `/keys/${first.id}`),
    ]);
    const [done, refused] = answers.map(({ status }) => status).sort();
    // The one that comes second may find its own key revoked.
    assert.ok(done === 200 && (refused === 409 || refused === 401), `${done} ${refused}`);
    const live = await ledger.db.all(
      `select id from api_keys where organization_id = $1 and role = 'owner' and revoked_at is null`,
      [tenant.organization_id],
    );
    assert.equal(live.length, 1);
    if (answers[0]!.status !== 200) tenant.keys.owner = second.api_key;
  });

  describe('four eyes', () => {
    test('the key that posted the execution cannot decide on it, another can', async () => {
      const tenant = await ledger.tenant();
      const owner = tenant.as('owner');
      assert.equal((await owner('PATCH', '/organization', { four_eyes: true })).four_eyes, true);
      const { id } = await owner('POST', '/runs', newRun);
      await owner('POST', `/runs/${id}/execution`, WORK.generic.execution);
      await owner('POST', `/runs/${id}/checks`);
      await owner('POST', `/runs/${id}/verdict`);
      for (const decision of ['approved', 'rejected']) {
        const { status, json } = await tenant.ask('owner', 'POST', `/runs/${id}/approval`, { body: { decision } });
        assert.deepEqual([status, json.code], [403, 'four_eyes']);
      }
      assert.equal(
        (await tenant.ask('approver', 'POST', `/runs/${id}/approval`, { body: { decision: 'approved' } })).status,
        200,
      );
      assert.equal((await tenant.ask('owner', 'POST', `/runs/${id}/receipt`)).status, 201);
    });

    test('without them one key may do it all', async () => {
      const tenant = await ledger.tenant();
      tenant.keys.agent = tenant.keys.approver;
      await runAt(tenant, 'Receipt');
    });
  });

  describe('Idempotency-Key', () => {
    /** Every call that creates, twice with one key and once more with another body. */
    const creates: [string, (tenant: Tenant) => Promise<string>, object, object][] = [
      ['a Run', async () => '/runs', newRun, { ...newRun, title: 'y' }],
      [
        'evidence',
        async (tenant) => `/runs/${await runAt(tenant, 'Inputs')}/evidence`,
        { kind: 'note', label: 'x', content: 'x' },
        { kind: 'note', label: 'x', content: 'y' },
      ],
      [
        'an execution',
        async (tenant) => `/runs/${await runAt(tenant, 'Inputs')}/execution`,
        { output: 'x' },
        { output: 'y' },
      ],
      [
        'an approval',
        async (tenant) => `/runs/${await runAt(tenant, 'Verdict')}/approval`,
        { decision: 'approved' },
        { decision: 'rejected' },
      ],
      ['a key', async () => '/keys', { role: 'agent' }, { role: 'owner' }],
      ['an agent profile', async () => '/agent-profiles', { name: 'x' }, { name: 'y' }],
      ['a flight sheet', async () => '/flight-sheets', SHEET, { ...SHEET, version: '9' }],
    ];
    for (const [what, at, body, other] of creates)
      test(`${what} is created once; the repeat has the same answer, another body is 422`, async () => {
        const tenant = await ledger.tenant();
        const path = await at(tenant);
        const send = (sent: object) =>
          tenant.ask('owner', 'POST', path, { body: sent, headers: { 'idempotency-key': 'once' } });
        const [first, again] = [await send(body), await send(body)];
        assert.ok(first.status < 300, first.text);
        assert.deepEqual(
          [again.status, again.text, again.headers.get('location')],
          [first.status, first.text, first.headers.get('location')],
        );
        const reused = await send(other);
        assert.deepEqual([reused.status, reused.json.code], [422, 'idempotency_key_reused']);
      });

    test('an organization is founded once, and its founder is told its key again', async () => {
      const key = `found-${process.hrtime.bigint()}`;
      const send = (name: string) =>
        ledger.call('POST', '/organizations', {
          token: ADMIN_TOKEN,
          body: { name },
          headers: { 'idempotency-key': key },
        });
      const [first, again, other] = [await send('Acme'), await send('Acme'), await send('Other')];
      assert.deepEqual([first.status, again.status, other.status], [201, 201, 422]);
      assert.equal(again.json.api_key, first.json.api_key);
    });

    test('many at once with one key create one thing and have one answer', async () => {
      const tenant = await ledger.tenant();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          tenant.ask('agent', 'POST', '/runs', { body: newRun, headers: { 'idempotency-key': 'same' } }),
        ),
      );
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal((await tenant.as('auditor')('GET', '/runs')).runs.length, 1);
    });

    test('belongs to who sent it: another key of the organization, and another organization, create their own', async () => {
      const [one, other] = [await ledger.tenant(), await ledger.tenant()];
      const send = (tenant: Tenant, role: Role) =>
        tenant.ask(role, 'POST', '/runs', { body: newRun, headers: { 'idempotency-key': 'shared' } });
      const ids = [await send(one, 'agent'), await send(one, 'owner'), await send(other, 'agent')].map(
        ({ json }) => json.id,
      );
      assert.equal(new Set(ids).size, 3);
    });

    test('a refused request is not remembered: the corrected one may use its key', async () => {
      const tenant = await ledger.tenant();
      const send = (sent: object) =>
        tenant.ask('agent', 'POST', '/runs', { body: sent, headers: { 'idempotency-key': 'try' } });
      assert.equal((await send({ ...newRun, inputs: {} })).status, 422);
      assert.equal((await send({ ...newRun, agent_profile_id: 'ap_none' })).status, 422);
      assert.equal((await send(newRun)).status, 201);
    });

    test('an answer is remembered for 24 hours', async () => {
      const tenant = await ledger.tenant();
      const send = () =>
        tenant.ask('agent', 'POST', '/runs', { body: newRun, headers: { 'idempotency-key': 'daily' } });
      const first = await send();
      const age = (hours: number) =>
        ledger.db.run('update idempotency_keys set created_at = $2 where organization_id = $1', [
          tenant.organization_id,
          new Date(Date.now() - hours * 3_600_000).toISOString(),
        ]);
      await age(23.9);
      assert.equal((await send()).json.id, first.json.id);
      await age(24.1);
      assert.notEqual((await send()).json.id, first.json.id);
    });
  });

  test('no secret stands in the database in clear', async () => {
    const tenant = await ledger.tenant();
    const headers = { 'idempotency-key': 'secretly' };
    const { json: founded } = await ledger.call('POST', '/organizations', {
      token: ADMIN_TOKEN,
      body: { name: 'Secret' },
      headers: { 'idempotency-key': `x-${process.hrtime.bigint()}` },
    });
    const { json: key } = await tenant.ask('owner', 'POST', '/keys', { body: { role: 'agent' }, headers });
    assert.equal(
      (await tenant.ask('owner', 'POST', '/keys', { body: { role: 'agent' }, headers })).json.api_key,
      key.api_key,
      'the same caller is told again',
    );
    const secrets = [founded.api_key, key.api_key, ...Object.values(tenant.keys), ADMIN_TOKEN].map((secret) =>
      secret.slice(-30),
    );
    for (const table of ['organizations', 'api_keys', 'idempotency_keys', 'runs', 'run_documents', 'outbox']) {
      const stored = JSON.stringify(await ledger.db.all(`select * from ${table}`));
      for (const secret of secrets) assert.ok(!stored.includes(secret), table);
    }
  });

  test('keys and agent profiles end at a number: their lists are whole, and all wait while one is written', async () => {
    const { organization_id, ...tenant } = await ledger.doomedTenant();
    const AT = '2026-05-29T20:14:33.123Z';
    const numbers = (most: number) =>
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${most}) `;
    const add = (table: string, columns: string, values: string, most: number) => {
      const rows = `select '${organization_id}', '0' || i, ${values} from n`;
      return ledger.db.run(`insert into ${table} (organization_id, id, ${columns}) ${numbers(most)} ${rows}`);
    };
    await add('api_keys', 'role, label, secret_sha256, created_at', `'agent', '', 'x' || i, '${AT}'`, 9_995);
    await add(
      'agent_profiles',
      'name, capability_tier, harness, model, created_at',
      `'a', 'b', 'c', 'd', '${AT}'`,
      999,
    );
    const key = () => tenant.ask('owner', 'POST', '/keys', { body: { role: 'agent' } });
    const profile = () => tenant.ask('owner', 'POST', '/agent-profiles', { body: { name: 'scribe' } });
    let keys = (await tenant.as('owner')('GET', '/keys')).keys.length;
    for (; keys < 10_000; keys++) assert.equal((await key()).status, 201);
    assert.deepEqual([(await key()).json.code, (await key()).status], ['key_limit', 409]);
    assert.equal((await profile()).status, 201);
    assert.deepEqual([(await profile()).json.code, (await profile()).status], ['agent_profile_limit', 409]);
  });
});

eachLedger(
  'a ledger without an admin token',
  (ledger) => {
    test('has no POST /organizations: it is 404', async () => {
      for (const token of [undefined, 'x', ADMIN_TOKEN]) {
        const { status, json } = await ledger.call('POST', '/organizations', { token, body: { name: 'x' } });
        assert.deepEqual([status, json.code], [404, 'not_found']);
      }
    });
  },
  { LEDGER_ADMIN_TOKEN: '' },
);
