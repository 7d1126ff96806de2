/**
 * What was approved is what is sealed, and what is stored of it stays what was sealed. Each test changes one record in the
 * database, as somebody could who holds it, and asks the mint and the verification.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import type { Value } from '@rcpt/service/db/db.ts';
import { canonicalText, type Receipt, sha256 } from '../kit/independent.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { approvedRun, mintedReceipt, WORK } from '../kit/story.ts';
import { readChain, resealed, writeChain } from '../kit/tampering.ts';

const SLUG = WORK.cook.inputs.base_model as string;

eachLedger('what was approved', (ledger) => {
  const mint = (tenant: Tenant, id: string) => tenant.ask('approver', 'POST', `/runs/${id}/receipt`);
  const verified = (tenant: Tenant) => tenant.as('auditor')('GET', '/ledger/verify');
  const set = async (table: 'runs' | 'run_documents', id: string, column: string, value: Value) =>
    assert.equal(await ledger.db.run(`update ${table} set ${column} = $2 where id = $1`, [id, value]), 1);
  const stored = async (id: string, column: string) =>
    (await ledger.db.get<Record<string, string>>(
      `select ${column} as found from runs join run_documents using (organization_id, id) where id = $1`,
      [id],
    ))!.found!;

  test('is not sealed once its stored block was changed, and nothing is minted', async () => {
    const tenant = await ledger.tenant();
    const id = await approvedRun(tenant);
    const block = await stored(id, 'approved_block');
    await set('run_documents', id, 'approved_block', block.replace('Summarize', 'Summarise'));
    const { status, json } = await mint(tenant, id);
    assert.deepEqual([status, json.code], [409, 'approval_mismatch']);
    assert.match(json.detail, /Nothing was minted/);
    assert.deepEqual(await verified(tenant), {
      ok: true,
      receipts_checked: 0,
      head: null,
      violation: null,
      violations: [],
    });
    await set('run_documents', id, 'approved_block', block);
    assert.equal((await mint(tenant, id)).status, 201);
  });

  test('is not sealed without its hash, or with another', async () => {
    const tenant = await ledger.tenant();
    const id = await approvedRun(tenant);
    for (const hash of [null, '', 'f'.repeat(64)]) {
      await set('run_documents', id, 'approved_sha256', hash);
      assert.equal((await mint(tenant, id)).json.code, 'approval_mismatch');
    }
    assert.equal((await verified(tenant)).receipts_checked, 0);
  });

  test('changed together with its hash is sealed, and named by the verification, for the Run says otherwise', async () => {
    const tenant = await ledger.doomedTenant();
    const id = await approvedRun(tenant);
    const block = (await stored(id, 'approved_block')).replace('"decision":"approved"', '"decision":"rejected"');
    await set('run_documents', id, 'approved_block', block);
    await set('run_documents', id, 'approved_sha256', sha256(block));
    const { json } = await mint(tenant, id);
    const { ok, violation } = await verified(tenant);
    assert.deepEqual([ok, violation.kind, violation.receipt_id], [false, 'record_mismatch', json.receipt_id]);
    assert.match(violation.detail, /approval\.decision/);
  });

  for (const lane of LANE_NAMES)
    test(`${lane}: what is stored of the Run is held against what was sealed`, async () => {
      const tenant = await ledger.doomedTenant();
      if (lane === 'cook') await mintedReceipt(tenant, 'model-pin');
      const { receipt_id, share_url: _ } = await mintedReceipt(tenant, lane);
      const { id } = (await tenant.as('auditor')('GET', '/runs?stage=Receipt')).runs[0];
      assert.deepEqual((await verified(tenant)).violations, []);
      for (const [table, column, change] of [...ALWAYS, ...CHANGES[lane]]) {
        const before = await stored(id, column);
        const after = change(before);
        assert.notEqual(after, before, `${column} was not changed`);
        await set(table, id, column, after);
        const { ok, violations } = await verified(tenant);
        assert.deepEqual(
          [ok, violations.length, violations[0].kind, violations[0].receipt_id],
          [false, 1, 'record_mismatch', receipt_id],
          `${column}: ${JSON.stringify(violations)}`,
        );
        await set(table, id, column, before);
      }
      assert.equal((await verified(tenant)).ok, true);
    });

  test('a Run that is gone, or that another receipt names, is noticed', async () => {
    const tenant = await ledger.doomedTenant();
    await mintedReceipt(tenant);
    const { id } = (await tenant.as('auditor')('GET', '/runs')).runs[0];
    await set('runs', id, 'receipt_id', 'RCPT-000007-00000000');
    assert.match((await verified(tenant)).violation.detail, /receipt_id/);
    await ledger.db.run('delete from runs where id = $1', [id]);
    const { violation } = await verified(tenant);
    assert.deepEqual([violation.kind, violation.actual], ['record_mismatch', 'none is stored']);
  });
});

eachLedger('whatever somebody made of pins and cooks', (ledger) => {
  const verified = (tenant: Tenant) => tenant.ask('auditor', 'GET', '/ledger/verify');

  test('verification answers: several are no receipts, or a pin was sealed anew without its model', async () => {
    const tenant = await ledger.doomedTenant();
    for (const lane of ['model-pin', 'cook', 'cook'] as const) await mintedReceipt(tenant, lane);
    const honest = await readChain(ledger.db, tenant.organization_id);
    for (const payload of ['', 'null', '[]', '{"schema":"service.model-pin-receipt/v1"']) {
      const rows = honest.rows.map((row) => ({ ...row, payload }));
      await writeChain(ledger.db, tenant.organization_id, { ...honest, rows });
      const { status, json } = await verified(tenant);
      assert.deepEqual([status, json.ok, json.violation.kind], [200, false, 'payload_altered'], payload);
    }
    const [pin] = honest.rows;
    for (const model of [undefined, null, 'text', {}]) {
      const rows = honest.rows.with(
        0,
        resealed(pin!, ({ model: _, ...rest }) => (model === undefined ? rest : { ...rest, model })),
      );
      await writeChain(ledger.db, tenant.organization_id, { ...honest, rows });
      const { status, json } = await verified(tenant);
      assert.deepEqual([status, json.violation.kind, json.violation.org_seq], [200, 'record_mismatch', 0]);
    }
  });
});

eachLedger('a tail that was cut off with its head', (ledger) => {
  test('is known to the Runs that have the receipts', async () => {
    const tenant = await ledger.doomedTenant();
    const receipts = [await mintedReceipt(tenant), await mintedReceipt(tenant), await mintedReceipt(tenant)];
    const { rows } = await readChain(ledger.db, tenant.organization_id);
    const { org_seq, receipt_sha256 } = receipts[0];
    await writeChain(ledger.db, tenant.organization_id, {
      rows: rows.slice(0, 1),
      head: { org_seq, receipt_sha256 },
    });
    const { ok, violations } = await tenant.as('auditor')('GET', '/ledger/verify');
    assert.deepEqual(
      [ok, violations.map(({ kind, org_seq, receipt_id }: Receipt) => [kind, org_seq, receipt_id])],
      [
        false,
        [
          ['record_mismatch', 2, receipts[2].receipt_id],
          ['record_mismatch', 1, receipts[1].receipt_id],
        ],
      ],
    );
  });
});

type Changed = [table: 'runs' | 'run_documents', column: string, change: (value: string) => string];
const edit = (from: string, to: string) => (value: string) => value.replace(from, to);
const ALWAYS: Changed[] = [
  ['run_documents', 'approved_block', (block) => block.replace(/[a-z]/, 'X')],
  ['run_documents', 'approved_sha256', () => 'f'.repeat(64)],
  ['runs', 'updated_at', (at) => at.replace('Z', '0Z')],
  ['runs', 'receipt_id', (id) => id.replace(/.$/, 'x')],
  ['run_documents', 'inputs', () => 'not JSON'],
];
/** Every stored document whose content the lane seals. */
const CHANGES: Record<LaneName, Changed[]> = {
  generic: [
    ['runs', 'title', edit('A generic', 'Another')],
    ['run_documents', 'inputs', edit('Summarize', 'Summarise')],
    ['run_documents', 'execution', edit('two new tiles', 'no new tiles')],
    ['run_documents', 'execution', edit('scribe', 'another')],
    ['run_documents', 'evidence', edit('What was seen', 'What was not seen')],
    ['run_documents', 'checks', edit('"flag"', '"pass"')],
    ['runs', 'verdict', edit('"score_100":', '"score_100":1')],
    ['run_documents', 'approval', edit('"note":""', '"note":"Read twice"')],
    ['run_documents', 'approval', edit('test approver', 'Somebody Else')],
  ],
  eval: [
    ['run_documents', 'execution', edit('"sum":5', '"sum":6')],
    ['run_documents', 'checks', edit('"pass"', '"flag"')],
    ['runs', 'verdict', edit('"score_100":100', '"score_100":99')],
    ['run_documents', 'assignment', edit('Add two numbers', 'Add three')],
    ['run_documents', 'approval', edit('"approved"', '"rejected"')],
  ],
  cook: [
    ['run_documents', 'inputs', edit('0.61', '0.51')],
    ['run_documents', 'execution', edit('0.74', '0.94')],
    ['run_documents', 'execution', edit('5400', '54')],
    ['runs', 'title', edit('A cook', 'Another')],
  ],
  incident: [
    ['run_documents', 'inputs', edit('"high"', '"low"')],
    ['runs', 'created_at', (at) => at.replace(/^\d{4}/, '2020')],
  ],
  'dataset-download': [['run_documents', 'inputs', edit('Acme GmbH', 'Another GmbH')]],
  'model-pin': [['run_documents', 'inputs', edit('the model we mean', 'another model')]],
};

eachLedger('the pin of a base model', (ledger) => {
  const mint = (tenant: Tenant, id: string) => tenant.ask('approver', 'POST', `/runs/${id}/receipt`);
  const verified = (tenant: Tenant) => tenant.as('auditor')('GET', '/ledger/verify');

  /** A pin, whatever else was minted, and a cook that waits to be minted. */
  async function pinned(): Promise<{ tenant: Tenant; pin: Receipt; cook: string }> {
    const tenant = await ledger.doomedTenant();
    const pin = await mintedReceipt(tenant, 'model-pin');
    await mintedReceipt(tenant);
    return { tenant, pin, cook: await approvedRun(tenant, 'cook') };
  }

  async function refused({ tenant, cook }: { tenant: Tenant; cook: string }, how: RegExp): Promise<void> {
    const before = await readChain(ledger.db, tenant.organization_id);
    const { status, json } = await mint(tenant, cook);
    assert.deepEqual([status, json.code], [409, 'pin_damaged'], json.detail);
    assert.match(json.detail, how);
    assert.deepEqual(await readChain(ledger.db, tenant.organization_id), before, 'nothing was minted');
  }

  const forge = (payload: Receipt): Receipt => ({ ...payload, model: { ...payload.model, declaration: 'Forged.' } });

  test('that was altered in the database is not copied into a cook', async () => {
    const at = await pinned();
    const honest = await readChain(ledger.db, at.tenant.organization_id);
    const altered = { ...honest.rows[0]!, payload: canonicalText(forge(at.pin)) };
    await writeChain(ledger.db, at.tenant.organization_id, { ...honest, rows: honest.rows.with(0, altered) });
    await refused(at, /do not have their hash/);
    const { violations } = await verified(at.tenant);
    assert.deepEqual(
      violations.map(({ kind, org_seq }: Receipt) => [kind, org_seq]),
      [['payload_altered', 0]],
    );
    await writeChain(ledger.db, at.tenant.organization_id, honest);
    const { status, json } = await mint(at.tenant, at.cook);
    assert.deepEqual([status, json.pinned_model.declaration], [201, at.pin.model.declaration]);
    assert.equal((await verified(at.tenant)).ok, true);
  });

  test('that was sealed anew with its columns is known to its successor by another hash', async () => {
    const at = await pinned();
    const { rows, head } = await readChain(ledger.db, at.tenant.organization_id);
    const changed = rows.with(0, resealed(rows[0]!, forge));
    await writeChain(ledger.db, at.tenant.organization_id, { rows: changed, head });
    await refused(at, /by another hash/);
  });

  test('that is gone, or that another receipt stands for, refuses the cook; a new pin lets it through', async () => {
    const at = await pinned();
    const { organization_id } = at.tenant;
    await ledger.db.run('update model_pins set org_seq = 1 where organization_id = $1', [organization_id]);
    await refused(at, /does not pin this model/);
    await ledger.db.run('update model_pins set org_seq = 7 where organization_id = $1', [organization_id]);
    await refused(at, /not stored any more/);
    const { violation } = await verified(at.tenant);
    assert.deepEqual(
      [violation.kind, violation.org_seq, violation.receipt_id, violation.expected, violation.actual],
      ['record_mismatch', 0, at.pin.receipt_id, 0, 7],
    );
    const next = await mintedReceipt(at.tenant, 'model-pin');
    const { status, json } = await mint(at.tenant, at.cook);
    assert.deepEqual([status, json.pinned_model.pin_receipt_sha256], [201, next.receipt_sha256]);
    assert.equal((await verified(at.tenant)).ok, true);
  });

  test('that was hidden or exchanged for an earlier one is noticed in the cook that was minted then', async () => {
    const tenant = await ledger.doomedTenant();
    const { organization_id } = tenant;
    const pins = [await mintedReceipt(tenant, 'model-pin'), await mintedReceipt(tenant, 'model-pin')];
    for (const place of [0, null]) {
      if (place === null) await ledger.db.run('delete from model_pins where organization_id = $1', [organization_id]);
      else
        await ledger.db.run('update model_pins set org_seq = $2 where organization_id = $1', [organization_id, place]);
      const cook = await mintedReceipt(tenant, 'cook');
      const { violations } = await verified(tenant);
      const [blamed] = violations.filter(({ receipt_id }: Receipt) => receipt_id === cook.receipt_id);
      assert.equal(blamed.kind, 'record_mismatch');
      assert.match(blamed.detail, /pinned_model/);
      assert.ok(
        violations.some(({ detail }: Receipt) => detail.includes(SLUG)),
        'the table of pins is blamed too',
      );
    }
    assert.equal(pins.length, 2);
  });
});
