/** What changes in an organization is heard as it happens, by its own people only, and for as long as they may. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Changed } from '@rcpt/contract/ledger/live.ts';
import { formatVerifierKey, verifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { type EventReader, readEvents } from '../../../../test/kit/events.ts';
import { softPasskey } from '../../../../test/kit/passkey.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { enrol, member, ORIGIN, offer, ok } from '../kit/passkeys.ts';
import { addMember, signIn } from '../kit/people.ts';
import { rcpt } from '../kit/process.ts';
import { boundTo, eachLedger, running, type Tenant } from '../kit/running.ts';
import { approvedRun, mintedReceipt, runAt, SHEET } from '../kit/story.ts';

const readers: EventReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.stop();
});

async function listen(url: string, headers: Record<string, string>): Promise<EventReader> {
  const reader = await readEvents(`${url}/events`, headers);
  if (reader.status === 200) readers.push(reader);
  return reader;
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function until(what: string, holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  for (const deadline = performance.now() + ms; !(await holds()); await sleep(5))
    if (performance.now() > deadline) throw new Error(`${what}: not within ${ms} ms`);
}

/** What was done to found a tenant has been told: the timer that tells it was set before this one, and is shorter. */
const settled = () => sleep(400);

/** Everything heard so far, as one. */
function heardBy({ events }: Pick<EventReader, 'events'>): Changed {
  const all = events.map(({ event, data }) => {
    assert.equal(event, 'changed');
    return Changed.parse(data);
  });
  return {
    runs: all.some(({ runs }) => runs === null) ? null : [...new Set(all.flatMap(({ runs }) => runs!))],
    receipts: all.some(({ receipts }) => receipts),
    settings: all.some(({ settings }) => settings),
  };
}

/** Nothing of an organization that its streams show; the operator's calls, and those of people about themselves. */
const CHANGES_NOTHING = [
  'POST /flight-sheets/try',
  'POST /organizations',
  'PUT /organizations/{id}/router',
  'POST /sign-in',
  'POST /session',
  'PATCH /session',
  'DELETE /session',
  'DELETE /sessions',
  'POST /passkeys/options',
  'PATCH /passkeys/{id}',
  'POST /runs/{id}/approval/options',
];

eachLedger(
  'live events',
  (ledger) => {
    const open = (tenant: Tenant) => listen(ledger.url, bearer(tenant.keys.auditor));

    test('name the Run that took a step, and say that a receipt was minted', async () => {
      const [tenant, stranger] = [await ledger.tenant(), await ledger.tenant()];
      await settled();
      const [reader, other] = [await open(tenant), await open(stranger)];
      assert.equal(reader.headers.get('cache-control'), 'no-store');
      const id = await approvedRun(tenant);
      await until('the Run was named', () => heardBy(reader).runs?.includes(id) === true);
      assert.deepEqual(heardBy(reader), { runs: [id], receipts: false, settings: false });
      await tenant.as('approver')('POST', `/runs/${id}/receipt`);
      await until('the receipt was told', () => heardBy(reader).receipts);
      assert.deepEqual(other.events, [], 'another organization hears nothing');
    });

    test('say of every call that changes something what it changed', async () => {
      const tenant = await ledger.tenant();
      const [agent, approver, owner] = [tenant.as('agent'), tenant.as('approver'), tenant.as('owner')];
      const person = await addMember(tenant, 'agent');
      const key = await owner('POST', '/keys', { role: 'agent' });
      const { receipt_id, run } = await mintedReceipt(tenant);
      await offer(tenant);
      const { browser } = await member(ledger, tenant);
      const passkey = softPasskey(ORIGIN);
      let passkey_id = '';
      let witness_id = '';
      const sheet = {
        ...SHEET,
        rules: [{ id: 'read', label: 'Was read', category: 'policy', severity: 'low', checklist: true }],
      };
      const newRun = {
        lane: 'eval',
        title: 'A Run',
        inputs: { flight_sheet: { name: SHEET.name, version: SHEET.version } },
      };
      let id = '';
      const ofRun = () => ({ runs: [id], receipts: false, settings: false });
      const settings = () => ({ runs: [], receipts: false, settings: true });
      const receipts = () => ({ runs: [], receipts: true, settings: false });
      const acts: [call: string, changed: () => Changed, act: (path: string) => Promise<unknown>][] = [
        ['POST /keys', settings, (path) => owner('POST', path, { role: 'agent' })],
        ['DELETE /keys/{id}', settings, () => owner('DELETE', `/keys/${key.id}`)],
        ['POST /flight-sheets', settings, (path) => owner('POST', path, sheet)],
        ['POST /agent-profiles', settings, (path) => owner('POST', path, { name: 'scribe' })],
        ['PATCH /organization', settings, (path) => owner('PATCH', path, { name: 'Renamed' })],
        ['POST /members', settings, () => addMember(tenant, 'agent')],
        ['POST /members/{id}/invitation', settings, () => owner('POST', `/members/${person.id}/invitation`)],
        ['PATCH /members/{id}', settings, () => owner('PATCH', `/members/${person.id}`, { role: 'auditor' })],
        ['DELETE /members/{id}', settings, () => owner('DELETE', `/members/${person.id}`)],
        [
          'PUT /receipts/{receipt_id}/share',
          receipts,
          () => owner('PUT', `/receipts/${receipt_id}/share`, { enabled: false }),
        ],
        [
          'PUT /receipts/{receipt_id}/disclosures',
          receipts,
          () => owner('PUT', `/receipts/${receipt_id}/disclosures`, { disclosed: ['/evidence/0'] }),
        ],
        [
          'POST /receipts/{receipt_id}/erasures',
          () => ({ runs: [run.id], receipts: true, settings: false }),
          () => owner('POST', `/receipts/${receipt_id}/erasures`, { path: '/evidence/0', reason: 'Asked for' }),
        ],
        [
          'POST /witnesses',
          settings,
          async (path) => {
            const key = formatVerifierKey(verifierKey('w.example', 4, new Uint8Array(32).fill(9)));
            ({ id: witness_id } = await owner('POST', path, { url: 'http://127.0.0.1:9', key }));
          },
        ],
        ['DELETE /witnesses/{id}', settings, () => owner('DELETE', `/witnesses/${witness_id}`)],
        [
          'POST /passkeys',
          settings,
          async () => {
            ({ id: passkey_id } = await enrol(browser, passkey));
          },
        ],
        ['DELETE /passkeys/{id}', settings, () => ok(browser.ask('DELETE', `/passkeys/${passkey_id}`))],
        [
          'POST /runs',
          ofRun,
          async (path) => {
            ({ id } = await agent('POST', path, newRun));
          },
        ],
        [
          'POST /runs/{id}/evidence',
          ofRun,
          () => agent('POST', `/runs/${id}/evidence`, { kind: 'note', label: 'A note', content: 'seen' }),
        ],
        [
          'POST /runs/{id}/execution',
          ofRun,
          () => agent('POST', `/runs/${id}/execution`, { agent_name: 'adder', output: { a: 1, b: 2, sum: 3 } }),
        ],
        ['POST /runs/{id}/checks', ofRun, () => agent('POST', `/runs/${id}/checks`)],
        [
          'PATCH /runs/{id}/checks/{key}',
          ofRun,
          () => approver('PATCH', `/runs/${id}/checks/read`, { status: 'pass' }),
        ],
        ['POST /runs/{id}/verdict', ofRun, () => agent('POST', `/runs/${id}/verdict`)],
        ['POST /runs/{id}/approval', ofRun, () => approver('POST', `/runs/${id}/approval`, { decision: 'approved' })],
        [
          'POST /runs/{id}/receipt',
          () => ({ runs: [id], receipts: true, settings: false }),
          () => approver('POST', `/runs/${id}/receipt`),
        ],
      ];
      await settled();
      const reader = await open(tenant);
      for (const [call, changed, act] of acts) {
        const before = reader.events.length;
        await act(call.split(' ')[1]!);
        await until(`${call} was told`, () => reader.events.length > before);
        assert.deepEqual(heardBy({ events: reader.events.slice(before) }), changed(), call);
      }
      const { paths } = (await ledger.call('GET', '/openapi.json')).json as { paths: Record<string, object> };
      const calls = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      assert.deepEqual(
        calls.filter((call) => !/^(GET|HEAD) /.test(call) && !CHANGES_NOTHING.includes(call)).sort(),
        acts.map(([call]) => call).sort(),
      );
    });

    test('say nothing of what changed nothing', async () => {
      const tenant = await ledger.tenant();
      const { receipt_id } = await mintedReceipt(tenant);
      const owner = tenant.as('owner');
      await settled();
      const reader = await open(tenant);
      await owner('POST', '/flight-sheets/try', { flight_sheet: SHEET, output: { a: 1, b: 2, sum: 3 } });
      await owner('GET', '/runs');
      await tenant.ask('auditor', 'POST', '/runs', { body: { lane: 'generic', title: 'x', inputs: {} } });
      await tenant.ask('owner', 'POST', '/runs', { body: { lane: 'generic' } });
      await settled();
      await owner('PUT', `/receipts/${receipt_id}/share`, { enabled: true });
      await until('the end was told', () => reader.events.length > 0);
      assert.deepEqual(
        heardBy(reader),
        { runs: [], receipts: true, settings: false },
        'only the last of them was news',
      );
    });

    test('are gathered: very many Runs are a few events and no list', async () => {
      const tenant = await ledger.tenant();
      const reader = await open(tenant);
      const began = performance.now();
      await Promise.all(Array.from({ length: 150 }, () => runAt(tenant, 'Inputs')));
      await until('they were told', () => reader.events.length > 0);
      await sleep(400);
      const most = 2 + (performance.now() - began) / 150;
      assert.ok(reader.events.length <= most, `${reader.events.length} events for 150 Runs`);
      for (const { data } of reader.events) assert.ok(data.runs === null || data.runs.length <= 100);
    });

    test('end when the key is revoked or the person signs out or is removed', async () => {
      const tenant = await ledger.tenant();
      const owner = tenant.as('owner');
      const key = await owner('POST', '/keys', { role: 'agent' });
      const [leaving, removed] = [await addMember(tenant, 'agent'), await addMember(tenant, 'agent')];
      const [out, gone] = [await signIn(ledger, leaving.email), await signIn(ledger, removed.email)];
      const ending = [
        await listen(ledger.url, bearer(key.api_key)),
        await listen(ledger.url, { cookie: out.cookie }),
        await listen(ledger.url, { cookie: gone.cookie }),
      ];
      const staying = await open(tenant);
      for (const reader of [...ending, staying]) assert.equal(reader.status, 200);
      await owner('DELETE', `/keys/${key.id}`);
      assert.equal((await out.ask('DELETE', '/session')).status, 200);
      await owner('DELETE', `/members/${removed.id}`);
      assert.deepEqual(await Promise.all(ending.map(({ ended }) => ended)), [true, true, true]);
      const id = await runAt(tenant, 'Inputs');
      await until('the one who may still hears', () => heardBy(staying).runs?.includes(id) === true);
    });

    test('are twenty streams per credential; one that hangs up makes room', async () => {
      const tenant = await ledger.tenant();
      const streams = await Promise.all(Array.from({ length: 20 }, () => open(tenant)));
      assert.ok(streams.every(({ status }) => status === 200));
      assert.equal((await open(tenant)).status, 429);
      assert.equal((await listen(ledger.url, bearer(tenant.keys.agent))).status, 200, 'another credential has its own');
      streams[0]!.stop();
      await until('there was room again', async () => (await open(tenant)).status === 200);
    });

    test('are two hundred streams per organization, whatever keys it makes itself; another has its own', async () => {
      const [greedy, other] = [await ledger.tenant(), await ledger.tenant()];
      // On a very busy machine streams break off, when the database cannot say in time that they may stay; others take their place.
      const statuses: number[] = [];
      for (let keys = 0; keys < 20 && !statuses.includes(429); keys++) {
        const { api_key } = await greedy.as('owner')('POST', '/keys', { role: 'agent' });
        const opened = await Promise.all(Array.from({ length: 20 }, () => listen(ledger.url, bearer(api_key))));
        statuses.push(...opened.map(({ status }) => status));
      }
      const [refused, taken] = [
        statuses.filter((status) => status === 429),
        statuses.filter((status) => status === 200),
      ];
      assert.ok(taken.length >= 200 && refused.length > 0, `${taken.length} taken, ${refused.length} refused`);
      assert.equal(taken.length + refused.length, statuses.length);
      assert.equal((await open(other)).status, 200);
    });

    test('are for those who may read', async () => {
      assert.equal((await ledger.call('GET', '/events')).status, 401);
    });
  },
  { LEDGER_BASE_URL: ORIGIN },
);

eachEngine('live events of several ledgers', MIGRATIONS, (fresh, engine) => {
  test('are heard across processes where there can be several', { skip: engine === 'sqlite' }, async () => {
    const database = await fresh();
    const [one, two] = [await running(database), await running(database)];
    try {
      const tenant = await one.tenant();
      const there = boundTo(two.call, tenant);
      const reader = await listen(one.url, bearer(tenant.keys.auditor));
      const id = await runAt(there, 'Inputs');
      await until('it was heard', () => heardBy(reader).runs?.includes(id) === true);
      await there.as('owner')('PATCH', '/organization', { name: 'Elsewhere' });
      await until('it was heard', () => heardBy(reader).settings);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
  });

  test('are of what is done from a shell, too, where processes hear each other', {
    skip: engine === 'sqlite',
  }, async () => {
    const database = await fresh();
    const ledger = await running(database);
    try {
      const tenant = await ledger.tenant();
      await settled();
      const reader = await listen(ledger.url, bearer(tenant.keys.auditor));
      const words = ['key', 'create', '--org', tenant.organization_id, '--role', 'agent'];
      const { code, stderr } = await rcpt(words, { LEDGER_DATABASE_URL: database.url });
      assert.equal(code, 0, stderr.join('\n'));
      await until('it was heard', () => heardBy(reader).settings);
    } finally {
      await ledger.close();
    }
  });

  test('end at once when the service stops', async () => {
    const ledger = await running(await fresh());
    const tenant = await ledger.tenant();
    const open = await Promise.all(Array.from({ length: 5 }, () => listen(ledger.url, bearer(tenant.keys.auditor))));
    // A drain waits for no stream: with one that stays open it would not end.
    await ledger.close();
    assert.deepEqual(await Promise.all(open.map(({ ended }) => ended)), Array(5).fill(true));
  });
});
