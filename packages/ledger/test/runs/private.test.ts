/** What a Run marks as private is sealed by a salted digest: as approved, as verified, in every lane that takes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedSha256 } from '@rcpt/proof/approval/approved-block.ts';
import { disclosureText } from '@rcpt/proof/committing.ts';
import { digestOf } from '@rcpt/proof/disclosures.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { WORK } from '../kit/story.ts';

const SECRET = 'Ada Lovelace, born 1815';

eachLedger('private members', (ledger) => {
  async function minted(
    tenant: Tenant,
    body: { lane: keyof typeof WORK; title: string; inputs: object; private: string[] },
    note = '',
  ) {
    const { id } = await tenant.as('agent')('POST', '/runs', body);
    await tenant.as('agent')('POST', `/runs/${id}/execution`, WORK[body.lane].execution);
    await tenant.as('agent')('POST', `/runs/${id}/checks`);
    await tenant.as('agent')('POST', `/runs/${id}/verdict`);
    await tenant.as('approver')('POST', `/runs/${id}/approval`, { decision: 'approved', note });
    return { id, receipt: await tenant.as('approver')('POST', `/runs/${id}/receipt`) };
  }
  const saltOf = async (id: string, path: string) => {
    const row = await ledger.db.get<{ commitments: string }>('select commitments from run_documents where id = $1', [
      id,
    ]);
    return JSON.parse(row!.commitments).members.find((member: { path: string }) => member.path === path).salt as string;
  };
  const digest = async (id: string, path: string, name: string, value: never) =>
    digestOf(disclosureText({ salt: await saltOf(id, path), name, value }));

  test('of a generic Run make room for their digests: title, note, inputs at any depth', async () => {
    const tenant = await ledger.tenant();
    const inputs = { ...WORK.generic.inputs, patient: { name: SECRET, ward: 7 }, beds: [{ of: SECRET }], 'a/b': 1 };
    const paths = ['/title', '/note', '/inputs/patient/name', '/inputs/beds/0/of', '/inputs/a~1b'];
    const { id, receipt } = await minted(tenant, { lane: 'generic', title: SECRET, inputs, private: paths }, SECRET);
    assert.ok(!JSON.stringify(receipt).includes('Lovelace'));
    const { _sd, ...run } = receipt.run;
    assert.deepEqual(_sd, [await digest(id, '/title', 'title', SECRET as never)]);
    assert.deepEqual(run, {
      id,
      lane: 'generic',
      inputs: {
        ...WORK.generic.inputs,
        patient: { ward: 7, _sd: [await digest(id, '/inputs/patient/name', 'name', SECRET as never)] },
        beds: [{ _sd: [await digest(id, '/inputs/beds/0/of', 'of', SECRET as never)] }],
        _sd: [await digest(id, '/inputs/a~1b', 'a/b', 1 as never)],
      },
    });
    assert.deepEqual(receipt.approval._sd, [await digest(id, '/note', 'note', SECRET as never)]);
    assert.equal('note' in receipt.approval, false);
    const shown = await tenant.as('auditor')('GET', `/runs/${id}`);
    assert.deepEqual([shown.private, shown.title, shown.inputs.patient.name], [paths, SECRET, SECRET]);
    assert.ok(!JSON.stringify(shown).includes(await saltOf(id, '/title')));
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
  });

  test('in one object stand in ascending order; two Runs of one value have no digest in common', async () => {
    const tenant = await ledger.tenant();
    const inputs = { ...WORK.generic.inputs, a: 1, b: 1, c: 1, d: 1 };
    const body = {
      lane: 'generic' as const,
      title: 'Ordered',
      inputs,
      private: ['/inputs/a', '/inputs/b', '/inputs/c', '/inputs/d'],
    };
    const all = [];
    for (const { receipt } of [await minted(tenant, body), await minted(tenant, body)]) {
      const { _sd } = receipt.run.inputs;
      assert.deepEqual(_sd, [..._sd].sort());
      all.push(..._sd);
    }
    assert.equal(new Set(all).size, 8);
  });

  test('of a task are quoted by no check that is sealed', async () => {
    const tenant = await ledger.tenant();
    for (const task of ['PATIENT-4711', 'Lovelace']) {
      const { receipt } = await minted(tenant, {
        lane: 'generic',
        title: 'T',
        inputs: { task },
        private: ['/inputs/task'],
      });
      assert.ok(!JSON.stringify(receipt).includes(task), task);
    }
  });

  test('of a kind of work are named by no check that is sealed', async () => {
    const tenant = await ledger.tenant();
    for (const kind of ['compute', 'dataset', 'agent']) {
      const inputs = { task: 'Count the tiles of the roof', kind };
      const { receipt } = await minted(tenant, { lane: 'generic', title: 'T', inputs, private: ['/inputs/kind'] });
      assert.equal(receipt.run.inputs.kind, undefined);
      assert.ok(!JSON.stringify(receipt).includes(`kind ${kind}`), kind);
    }
  });

  test('of a package and of a pin are committed; a cook states nothing in place of what its pin keeps private', async () => {
    const tenant = await ledger.tenant();
    const { inputs } = WORK['dataset-download'];
    const granted = await minted(tenant, {
      lane: 'dataset-download',
      title: 'A grant',
      inputs,
      private: ['/inputs/granted_to', '/inputs/size_bytes'],
    });
    const { granted_to: _, size_bytes: __, ...others } = inputs;
    const { _sd, ...rest } = granted.receipt.package;
    assert.deepEqual(rest, { ...others, expires_at: '' });
    const expected = [
      await digest(granted.id, '/inputs/granted_to', 'granted_to', 'Acme GmbH' as never),
      await digest(granted.id, '/inputs/size_bytes', 'size_bytes', 1_048_576 as never),
    ];
    assert.deepEqual(_sd, expected.sort());

    const pin = await minted(tenant, {
      lane: 'model-pin',
      title: 'A pin',
      inputs: WORK['model-pin'].inputs,
      private: ['/inputs/declaration'],
    });
    assert.deepEqual(Object.keys(pin.receipt.model).sort(), [
      '_sd',
      'base',
      'card_sha256',
      'client_ref',
      'name',
      'params_b',
      'pinned_at',
      'slug',
    ]);
    const cook = await minted(tenant, { lane: 'cook', title: 'A cook', inputs: WORK.cook.inputs, private: [] });
    assert.equal(cook.receipt.pinned_model.declaration, '');
    assert.equal(cook.receipt.pinned_model.pin_receipt_sha256, pin.receipt.receipt_sha256);
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
  });

  test('are refused where they cannot be, and nothing is opened', async () => {
    const tenant = await ledger.tenant();
    const { inputs } = WORK.generic;
    const ask = (lane: keyof typeof WORK, paths: unknown, more: object = {}) =>
      tenant.ask('agent', 'POST', '/runs', {
        body: { lane, title: 'T', inputs: { ...WORK[lane].inputs, ...more }, private: paths },
      });
    const refusals: [Parameters<typeof ask>, RegExp][] = [
      [['cook', ['/inputs/dataset']], /seals all of its members in clear/],
      [['incident', ['/title']], /seals all of its members in clear/],
      [['generic', ['inputs/task']], /no JSON Pointer/],
      [['generic', ['/inputs/~2']], /no JSON Pointer/],
      [['generic', ['']], /no JSON Pointer/],
      [['generic', ['/inputs']], /only \/title, \/note and members/],
      [['generic', ['/lane']], /only \/title, \/note and members/],
      [['generic', ['/title/0']], /only \/title, \/note and members/],
      [['generic', ['/inputs/missing']], /no such member/],
      [['generic', ['/inputs/constructor']], /no such member/],
      [['generic', ['/inputs/list/0'], { list: [1] }], /an item of a list/],
      [['generic', ['/inputs/notify'], { notify: ['a@example.org'] }], /never sealed/],
      [['generic', ['/title', '/title']], /named twice/],
      [['generic', ['/inputs/p', '/inputs/p/q'], { p: { q: 1 } }], /named twice, or a member within it/],
      [['generic', ['/title'], { deep: [{ _sd: [] }] }], /may be called _sd/],
      [['dataset-download', ['/inputs/sha256']], /of the inputs of this lane these can be/],
      [['dataset-download', ['/title']], /not sealed in this lane/],
      [['model-pin', ['/inputs/slug']], /of the inputs of this lane these can be/],
      [['model-pin', ['/note']], /not sealed in this lane/],
    ];
    for (const [asked, why] of refusals) {
      const { status, json } = await ask(...asked);
      assert.deepEqual([status, json.code], [422, 'private_refused'], JSON.stringify(asked));
      assert.match(json.detail, why);
    }
    for (const paths of ['/title', [1], Array.from({ length: 65 }, (_, i) => `/inputs/${i}`)])
      assert.deepEqual(
        [(await ask('generic', paths)).status, (await ask('generic', paths)).json.code],
        [422, 'invalid'],
      );
    assert.deepEqual((await tenant.as('auditor')('GET', '/runs')).runs, []);
    for (const paths of [null, []]) assert.equal((await ask('cook', paths)).status, 201);
    assert.equal((await ask('generic', undefined, inputs)).json.private, undefined);
  });

  test('are approved as their digests: what a passkey would sign is found again in the receipt, also after an erasure', async () => {
    const tenant = await ledger.tenant();
    const inputs = { ...WORK.generic.inputs, patient: SECRET };
    const body = { lane: 'generic' as const, title: SECRET, inputs, private: ['/title', '/note', '/inputs/patient'] };
    const { id, receipt } = await minted(tenant, body, SECRET);
    const stored = async () =>
      (await ledger.db.get<{ it: string }>('select approved_sha256 as it from run_documents where id = $1', [id]))!.it;
    assert.equal(approvedSha256(receipt), await stored());
    for (const path of body.private)
      await tenant.as('owner')('POST', `/receipts/${receipt.receipt_id}/erasures`, { path, reason: 'Asked for.' });
    assert.equal(approvedSha256(await tenant.as('auditor')('GET', `/receipts/${receipt.receipt_id}`)), await stored());
    assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
  });

  test('of a large Run are read and fixed in a thread, by the same rules', async () => {
    const tenant = await ledger.tenant();
    const inputs = { ...WORK.generic.inputs, dossier: `${SECRET} `.repeat(8_000) };
    const { id, receipt } = await minted(tenant, {
      lane: 'generic',
      title: 'Large',
      inputs,
      private: ['/inputs/dossier'],
    });
    assert.deepEqual(receipt.run.inputs._sd, [await digest(id, '/inputs/dossier', 'dossier', inputs.dossier as never)]);
    const refused = await tenant.ask('agent', 'POST', '/runs', {
      body: { lane: 'generic', title: 'Large', inputs, private: ['/inputs/none'] },
    });
    assert.equal(refused.json.code, 'private_refused');
  });

  test('are held against their digests by the verification: value, salt and path', async () => {
    const tenant = await ledger.doomedTenant();
    const inputs = { ...WORK.generic.inputs, patient: SECRET };
    const { id } = await minted(tenant, {
      lane: 'generic',
      title: 'A title',
      inputs,
      private: ['/inputs/patient', '/title'],
    });
    const verify = async () => (await tenant.as('auditor')('GET', '/ledger/verify')).violations;
    const change = async (table: string, column: string, from: string, to: string) => {
      const before = (await ledger.db.get<Record<string, string>>(
        `select ${column} as it from ${table} where id = $1`,
        [id],
      ))!.it!;
      assert.notEqual(before.replace(from, to), before);
      await ledger.db.run(`update ${table} set ${column} = $2 where id = $1`, [id, before.replace(from, to)]);
      const found = await verify();
      await ledger.db.run(`update ${table} set ${column} = $2 where id = $1`, [id, before]);
      assert.deepEqual([found.length, found[0]?.kind], [1, 'record_mismatch'], `${column}: ${JSON.stringify(found)}`);
      assert.ok(!JSON.stringify(found).includes(SECRET), 'a violation shows no value');
    };
    await change('run_documents', 'inputs', 'Ada', 'Eda');
    await change('runs', 'title', 'A title', 'B title');
    await change('run_documents', 'commitments', '"salt":"', '"salt":"A');
    await change('run_documents', 'commitments', '"/inputs/patient"', '"/inputs/task"');
    await change('run_documents', 'inputs', '"patient"', '"patience"');
    assert.deepEqual(await verify(), []);
  });
});
