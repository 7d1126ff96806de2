/** What was erased is gone for good, wherever it was; receipt, chain and hashes stay. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { disclosing, erasing, listed, type Minted, mintedWith, statesOf } from '../kit/beside.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';

let VALUE = '';
/** Of each test its own: they share a database. */
const anotherValue = () => `Lovelace-${Math.random().toString(36).slice(2)}-secret`;
const REASON = 'The person withdrew their consent.';

/** Every file below a folder, and what of the text stands in it. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

/** Every table and column that holds the text. */
async function columnsWith({ db }: SuiteLedger, text: string): Promise<string[]> {
  const tables =
    db.engine === 'sqlite'
      ? "select name from sqlite_master where type = 'table'"
      : 'select table_name as name from information_schema.tables where table_schema = current_schema()';
  const found: string[] = [];
  for (const { name } of await db.all<{ name: string }>(tables))
    for (const row of await db.all(`select * from ${name}`))
      for (const [column, value] of Object.entries(row))
        if (String(value).includes(text)) found.push(`${name}.${column}`);
  return [...new Set(found)];
}

eachLedger('an erasure', (ledger, engine) => {
  beforeEach(() => {
    VALUE = anotherValue();
  });
  const storedAt = (tenant: Tenant) =>
    ledger.db.all('select * from receipts where organization_id = $1', [tenant.organization_id]);
  const told = (more: object = {}) => ({
    title: `Visit of ${VALUE}`,
    note: `Read for ${VALUE}`,
    inputs: { patient: { name: VALUE, born: [VALUE] } },
    execution: { output: `Dear ${VALUE}, all is well.` },
    private: ['/inputs/patient', '/title', '/note'],
    evidence: [
      { label: 'scan', content: `scan of ${VALUE}` },
      { label: 'the same scan', content: `scan of ${VALUE}` },
      { label: 'another', content: 'nothing of a person' },
    ],
    ...more,
  });

  test('takes the value from every table, answer, object and file; digests, chain and proofs stay', async () => {
    const tenant = await ledger.tenant();
    const agent = tenant.as('agent');
    // The answer is kept for its Idempotency-Key, too.
    const opened = await ledger.call('POST', '/runs', {
      token: tenant.keys.agent,
      body: {
        lane: 'generic',
        title: `Visit of ${VALUE}`,
        inputs: { task: 'Write', patient: VALUE },
        private: ['/inputs/patient', '/title'],
      },
      headers: { 'idempotency-key': 'once' },
    });
    const minted = await mintedWith(tenant, told());
    const other = await mintedWith(tenant, { title: 'Of somebody else', execution: { output: 'stays' } });
    await disclosing(tenant, minted, ['/inputs/patient', '/title', '/note', '/output', '/evidence/0', '/evidence/1']);
    assert.ok((await ledger.call('GET', minted.link, { headers: { accept: 'text/html' } })).status === 200);
    const before = JSON.stringify(await storedAt(tenant));

    for (const path of ['/inputs/patient', '/title', '/note', '/output', '/evidence/0']) {
      const { status, json, headers } = await erasing(tenant, minted, path, REASON);
      assert.equal(status, 201, JSON.stringify(json));
      assert.equal(headers.get('location'), `/receipts/${minted.receipt_id}/disclosures`);
      const { erased_at, ...rest } = json;
      assert.match(erased_at, /^\d{4}-.*Z$/);
      assert.deepEqual(rest, { path, state: 'erased', reason: REASON });
    }
    assert.deepEqual(await statesOf(ledger, minted), {
      '/inputs/patient': 'erased',
      '/title': 'erased',
      '/note': 'erased',
      '/output': 'erased',
      '/evidence/0': 'erased',
      '/evidence/1': 'erased',
      '/evidence/2': 'withheld',
    });
    for (const { path, reason, erased_at, disclosure } of (await listed(ledger, minted)).slice(0, 6)) {
      assert.deepEqual([reason, disclosure], [REASON, undefined]);
      const gone = await ledger.call('GET', `${minted.link}/disclosures${path}`);
      assert.deepEqual([gone.status, gone.json.code, gone.json.erased_at], [410, 'disclosure_erased', erased_at]);
    }
    const run = await agent('GET', `/runs/${minted.id}`);
    assert.deepEqual(
      [run.title, run.inputs.patient, run.execution.output, run.approval.note],
      ['', undefined, undefined, ''],
    );
    assert.deepEqual(
      run.evidence.map(({ stored }: { stored: boolean }) => stored),
      [false, false, true],
    );
    assert.equal((await tenant.ask('agent', 'GET', `/runs/${minted.id}/evidence/${run.evidence[0].id}`)).status, 404);
    assert.deepEqual((await agent('GET', `/receipts?search=${VALUE}`)).receipts, []);

    // Only the Run that was opened beside it, and has no receipt yet, holds the value still.
    assert.deepEqual((await columnsWith(ledger, VALUE)).sort(), ['run_documents.inputs', 'runs.title']);
    await ledger.db.run('delete from runs where id = $1', [opened.json.id]);
    await ledger.db.run('delete from run_documents where id = $1', [opened.json.id]);
    await ledger.db.run('delete from idempotency_keys where organization_id = $1', [tenant.organization_id]);
    assert.deepEqual(await columnsWith(ledger, VALUE), []);
    assert.deepEqual(filesWith(ledger.folder, VALUE), []);
    assert.equal(filesWith(join(ledger.folder, 'objects'), 'nothing of a person').length, 1, 'other bytes stay');

    assert.equal(JSON.stringify(await storedAt(tenant)), before, 'no receipt was touched');
    assert.deepEqual((await tenant.as('auditor')('GET', '/ledger/verify')).violations, []);
    assert.deepEqual(await statesOf(ledger, other), { '/output': 'withheld' });
    for (const suffix of ['', '/pdf', '/disclosures']) {
      const { status, text } = await ledger.call('GET', `${minted.link}${suffix}`, {
        headers: { accept: 'text/html,*/*' },
      });
      assert.ok(status === 200 && !text.includes(VALUE), suffix);
    }
    const unfinished = await ledger.db.all('select path from disclosures where unfinished = 1');
    assert.deepEqual(unfinished, []);
    // Of the Run that was deleted by hand.
    assert.equal(await ledger.db.emptyLog(), true);
    if (engine === 'sqlite')
      assert.deepEqual(bytesWith(ledger.database_url, VALUE), [], 'neither file holds a byte of it');
  });

  /** The value and its salt, in the database's own files. */
  function bytesWith(url: string, text: string): string[] {
    const path = url.slice('sqlite:'.length);
    return [path, `${path}-wal`].filter((file) => readFileSync(file).includes(text));
  }

  test('leaves no salt: what is left cannot be tried against the digest', async () => {
    const tenant = await ledger.tenant();
    const minted = await mintedWith(tenant, told());
    const stored = async () =>
      (await ledger.db.get<{ commitments: string }>('select commitments from run_documents where id = $1', [
        minted.id,
      ]))!.commitments;
    const [{ salt }] = JSON.parse(await stored()).members;
    await erasing(tenant, minted, '/inputs/patient');
    const { members } = JSON.parse(await stored());
    assert.deepEqual(Object.keys(members[0]).sort(), ['digest', 'path']);
    assert.deepEqual([members[0].digest], minted.receipt.run.inputs._sd);
    assert.deepEqual(await columnsWith(ledger, salt), []);
    if (engine === 'sqlite') assert.deepEqual(bytesWith(ledger.database_url, salt), []);
  });

  test('is answered again from what was erased, and an answer that told the value is told no more', async () => {
    const tenant = await ledger.tenant();
    const body = {
      lane: 'generic',
      title: 'T',
      inputs: { task: 'Write', patient: VALUE },
      private: ['/inputs/patient'],
    };
    const once = (path: string, body: unknown) =>
      ledger.call('POST', path, { token: tenant.keys.agent, body, headers: { 'idempotency-key': path } });
    const { json: run } = await once('/runs', body);
    await once(`/runs/${run.id}/execution`, { output: VALUE });
    for (const path of ['checks', 'verdict']) await tenant.as('agent')('POST', `/runs/${run.id}/${path}`);
    await tenant.as('approver')('POST', `/runs/${run.id}/approval`, { decision: 'approved' });
    const { receipt_id } = await tenant.as('approver')('POST', `/runs/${run.id}/receipt`);
    assert.equal((await once('/runs', body)).json.id, run.id);
    const minted = { receipt_id } as Minted;
    const first = await erasing(tenant, minted, '/inputs/patient', REASON);
    const again = await erasing(tenant, minted, '/inputs/patient', 'Another reason.');
    assert.deepEqual(again.json, first.json, 'final');
    for (const [path, sent] of [
      ['/runs', body],
      [`/runs/${run.id}/execution`, { output: VALUE }],
      ['/runs', { ...body, title: 'U' }],
    ] as const) {
      const { status, json, text } = await once(path, sent);
      assert.deepEqual([status, json.code, text.includes(VALUE)], [410, 'answer_erased', false]);
    }
    assert.equal((await tenant.as('agent')('GET', '/runs')).runs.length, 1);
    const acts = await ledger.db.all<{ payload: string }>(
      "select payload from activity where organization_id = $1 and kind = 'erased'",
      [tenant.organization_id],
    );
    assert.deepEqual(
      acts.map(({ payload }) => JSON.parse(payload).activity.details),
      [{ receipt_id, path: '/inputs/patient', reason: REASON }],
    );
  });

  test('is refused with nothing to erase, or a reason that tells the value', async () => {
    const tenant = await ledger.tenant();
    const minted = await mintedWith(tenant, told({ evidence: [{ label: 'elsewhere', sha256: 'ab'.repeat(32) }] }));
    for (const [path, reason, status, code] of [
      ['/evidence/0', REASON, 409, 'disclosure_not_stored'],
      ['/evidence/1', REASON, 422, 'disclosure_unknown'],
      ['/inputs/task', REASON, 422, 'disclosure_unknown'],
      ['', REASON, 422, 'disclosure_unknown'],
      ['/output', '', 422, 'invalid'],
      ['/output', 'two\nlines', 422, 'invalid'],
      ['/title', `Because of VISIT OF ${VALUE}!`, 422, 'invalid'],
    ] as const) {
      const { json, ...answer } = await erasing(tenant, minted, path, reason as string);
      assert.deepEqual([answer.status, json.code], [status, code], `${path} ${reason}`);
    }
    assert.ok(Object.values(await statesOf(ledger, minted)).every((state) => state === 'withheld'));
    assert.equal((await disclosing(tenant, minted, ['/title'])).status, 200);
  });

  test('of every lane leaves its chain verified: package, pin and card, submission', async () => {
    const tenant = await ledger.tenant();
    await tenant.as('owner')('POST', '/flight-sheets', (await import('../kit/story.ts')).SHEET);
    const card = { text: VALUE };
    const all = [
      [
        await mintedWith(tenant, {
          lane: 'dataset-download',
          inputs: { granted_to: VALUE, expires_at: '2031-01-01T00:00:00Z' },
          private: ['/inputs/granted_to', '/inputs/expires_at', '/inputs/size_bytes'],
        }),
        ['/inputs/granted_to', '/inputs/expires_at', '/inputs/size_bytes'],
      ],
      [
        await mintedWith(tenant, {
          lane: 'model-pin',
          inputs: { card, declaration: VALUE, name: VALUE },
          private: ['/inputs/declaration', '/inputs/name'],
        }),
        ['/inputs/declaration', '/inputs/name', '/output'],
      ],
      [
        await mintedWith(tenant, { lane: 'eval', execution: { output: { a: 1, b: 2, sum: 3, who: VALUE } } }),
        ['/output'],
      ],
      [await mintedWith(tenant, { lane: 'cook' }), []],
    ] as const;
    for (const [minted, paths] of all)
      for (const path of paths) assert.equal((await erasing(tenant, minted, path)).status, 201, path);
    assert.deepEqual(await columnsWith(ledger, VALUE), []);
    assert.deepEqual((await tenant.as('auditor')('GET', '/ledger/verify')).violations, []);
    for (const [minted] of all.slice(0, 3))
      assert.equal((await tenant.ask('auditor', 'GET', `/runs/${minted.id}`)).status, 200);
  });

  test('gives the room back that the value took', async () => {
    const tenant = await ledger.tenant();
    const used = async () =>
      (await ledger.db.get<{ used: number }>(
        'select storage_used_bytes as used from organizations where organization_id = $1',
        [tenant.organization_id],
      ))!.used;
    const minted = await mintedWith(
      tenant,
      told({ execution: { output: 'x'.repeat(5_000) }, evidence: [{ label: 'scan', content: 'y'.repeat(3_000) }] }),
    );
    const before = await used();
    await erasing(tenant, minted, '/output');
    await erasing(tenant, minted, '/evidence/0');
    assert.ok(before - (await used()) >= 8_000, `${before} → ${await used()}`);
  });
});

eachLedger('an erased value that was brought back', (ledger) => {
  beforeEach(() => {
    VALUE = anotherValue();
  });
  test('is named by the verification, shown by no link, and can be erased again', async () => {
    const tenant = await ledger.tenant();
    const minted = await mintedWith(tenant, {
      inputs: { patient: VALUE },
      private: ['/inputs/patient'],
      evidence: [{ label: 'scan', content: VALUE }],
    });
    await disclosing(tenant, minted, ['/inputs/patient', '/output', '/evidence/0']);
    const backup = async (table: string, where: string) =>
      await ledger.db.all<Record<string, string | number | null>>(`select * from ${table} where ${where} = $1`, [
        where === 'id' ? minted.id : tenant.organization_id,
      ]);
    const [documents] = await backup('run_documents', 'id');
    const disclosures = await backup('disclosures', 'organization_id');
    const paths = ['/inputs/patient', '/output', '/evidence/0'];
    for (const path of paths) await erasing(tenant, minted, path, REASON);
    const verify = () => tenant.as('auditor')('GET', '/ledger/verify');
    assert.equal((await verify()).ok, true);

    const restore = async () => {
      for (const [column, value] of Object.entries(documents!))
        if (!['id', 'organization_id'].includes(column))
          await ledger.db.run(`update run_documents set ${column} = $2 where id = $1`, [minted.id, value]);
    };
    await restore();
    const caught = async () => {
      const { ok, violations } = await verify();
      assert.equal(ok, false);
      assert.deepEqual(
        [
          ...new Set(
            violations.map(({ receipt_id, kind }: { receipt_id: string; kind: string }) => `${kind} ${receipt_id}`),
          ),
        ],
        [`record_mismatch ${minted.receipt_id}`],
      );
      assert.deepEqual(violations.map(({ actual }: { actual: string }) => actual).sort(), [...paths].sort());
      assert.match(violations[0].detail, /is stored again.*Erase it again/);
      for (const path of paths)
        assert.equal((await ledger.call('GET', `${minted.link}/disclosures${path}`)).status, 410);
      assert.deepEqual(new Set(Object.values(await statesOf(ledger, minted))), new Set(['erased']));
      assert.equal((await disclosing(tenant, minted, ['/output'])).json.code, 'disclosure_erased');
    };
    await caught();
    // The table of disclosures from the same backup, too: the activity chain has the erasures.
    await ledger.db.run('delete from disclosures where organization_id = $1', [tenant.organization_id]);
    for (const row of disclosures) {
      const names = Object.keys(row);
      await ledger.db.run(
        `insert into disclosures (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
        Object.values(row),
      );
    }
    await caught();
    for (const path of paths) assert.equal((await erasing(tenant, minted, path, 'Again.')).status, 201);
    assert.deepEqual(
      (await listed(ledger, minted)).map(({ reason }) => reason),
      [REASON, REASON, REASON],
      'the first reason stands',
    );
    assert.deepEqual((await verify()).violations, []);
  });

  test('is missed by no one: an erasure without a line in the activity chain is named', async () => {
    const tenant = await ledger.doomedTenant();
    const minted = await mintedWith(tenant, {});
    await erasing(tenant, minted, '/output');
    await ledger.db.run("delete from activity where organization_id = $1 and kind = 'erased'", [
      tenant.organization_id,
    ]);
    assert.match(
      (await tenant.as('auditor')('GET', '/ledger/verify')).violation.detail,
      /no line of the activity chain/,
    );
  });
});
