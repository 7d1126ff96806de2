/** What is approved is fixed before its transaction, of a large Run in a thread: what that may never change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOnce } from '@rcpt/service/http/idempotency.ts';
import { now } from '@rcpt/service/ids.ts';
import type { Principal } from '../../src/people/principal.ts';
import { prepareApproval, recordApproval } from '../../src/runs/approval.ts';
import { openDeciders } from '../../src/runs/deciders.ts';
import { fixBlock } from '../../src/runs/sealed-block.ts';
import { loadRun } from '../../src/store/runs.ts';
import { assertReceipt } from '../kit/independent.ts';
import { eachLedger, type SuiteLedger, type Tenant } from '../kit/running.ts';
import { runAt } from '../kit/story.ts';

const MEMBERS = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`é"\\${i}`, [i]]));
const SIZES = { small: {}, large: { MEMBERS } };
const APPROVED = { decision: 'approved', note: 'Read' } as const;

const nothing: Parameters<typeof prepareApproval>[1] = { run: () => assert.fail('a thread was asked') };

/** As the approver of whom the organization has heard nothing before. */
const approverOf = ({ organization_id }: Tenant): Principal => ({
  organization_id,
  id: `key_${'a'.repeat(32)}`,
  role: 'approver',
  name: 'Somebody',
});

eachLedger('an approval', (ledger) => {
  const stored = async ({ organization_id }: Tenant, id: string) => loadRun(ledger.db, organization_id, id);
  const at = (tenant: Tenant, inputs: object) => runAt(tenant, 'Verdict', 'generic', { inputs });

  for (const [size, inputs] of Object.entries(SIZES))
    test(`of a ${size} Run fixes what the Run as it is stored makes, and that is what is minted`, async () => {
      const tenant = await ledger.tenant();
      const id = await at(tenant, inputs);
      const approve = () =>
        tenant.ask('approver', 'POST', `/runs/${id}/approval`, {
          body: APPROVED,
          headers: { 'idempotency-key': size },
        });
      const { status, json, text } = await approve();
      assert.deepEqual([status, json.decision, json.note], [200, 'approved', 'Read']);
      const run = await stored(tenant, id);
      assert.deepEqual([run.stage, run.approval], ['Approval', json]);
      assert.equal(run.stages.at(-1)!.at, json.approved_at);
      const { approved_block, approved_sha256 } = run;
      assert.deepEqual({ approved_block, approved_sha256 }, fixBlock(run), 'a thread finds what this process finds');
      assert.equal((await approve()).text, text, 'a repeat is answered again');
      const receipt = assertReceipt((await tenant.ask('approver', 'POST', `/runs/${id}/receipt`)).text);
      assert.deepEqual(receipt.approval, json);
      assert.equal((await tenant.as('auditor')('GET', '/ledger/verify')).ok, true);
    });

  test('of a large Run, asked for six times at once, is given once', async () => {
    const tenant = await ledger.tenant();
    const id = await at(tenant, SIZES.large);
    const ask = (i: number) =>
      tenant.ask('approver', 'POST', `/runs/${id}/approval`, {
        body: { decision: i % 3 === 2 ? 'rejected' : 'approved', note: `No ${i}` },
      });
    const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => ask(i)));
    const given = answers.filter(({ status }) => status === 200);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
    assert.deepEqual((await stored(tenant, id)).approval, given[0]!.json);
    for (const { status, json } of answers) if (status === 409) assert.equal(json.code, 'run_stage_conflict');
  });

  test('is asked of no thread where it is small, refused or rejects', async () => {
    const tenant = await ledger.tenant();
    await tenant.as('owner')('PATCH', '/organization', { four_eyes: true });
    const [small, large] = [await at(tenant, SIZES.small), await at(tenant, SIZES.large)];
    const prepare = (by: Principal, id: string, decision: 'approved' | 'rejected') =>
      prepareApproval(ledger.db, nothing, by, id, { decision }, now());
    const by = approverOf(tenant);
    assert.ok((await prepare(by, small, 'approved')).approved_block);
    assert.equal((await prepare(by, large, 'rejected')).approved_block, undefined);
    const { executed_by } = await stored(tenant, large);
    await assert.rejects(prepare({ ...by, id: executed_by! }, large, 'approved'), { code: 'four_eyes' });
    await assert.rejects(prepare(by, await runAt(tenant, 'Checks'), 'approved'), { code: 'run_stage_conflict' });
    await assert.rejects(prepare(by, 'run_unknown', 'approved'), { code: 'not_found' });
    await assert.rejects(prepare(approverOf(await ledger.tenant()), large, 'approved'), { code: 'not_found' });
  });

  test('is not written when the Run is not the one that it was prepared of, or four eyes are wanted since', async () => {
    const tenant = await ledger.tenant();
    const id = await at(tenant, {});
    const record = (by: Principal, prepared: Awaited<ReturnType<typeof prepareApproval>>) =>
      ledger.db.transaction((tx) => recordApproval(tx, by, id, prepared));
    const by = { ...approverOf(tenant), id: (await stored(tenant, id)).executed_by! };
    const prepared = await prepareApproval(ledger.db, nothing, by, id, APPROVED, now());
    await tenant.as('owner')('PATCH', '/organization', { four_eyes: true });
    await assert.rejects(record(by, prepared), { code: 'four_eyes' });
    await tenant.as('owner')('PATCH', '/organization', { four_eyes: false });
    const before = await stored(tenant, id);
    await assert.rejects(record(by, { ...prepared, updated_at: '2026-01-01T00:00:00.000Z' }), {
      code: 'run_stage_conflict',
    });
    assert.deepEqual(await stored(tenant, id), before);
    assert.deepEqual(await record(by, prepared), prepared.approval);
    await assert.rejects(record(by, prepared), { code: 'run_stage_conflict' });
  });

  test('of which the thread was ended by time keeps nothing, and can be given again with the same key', async () => {
    const tenant = await ledger.tenant();
    const id = await at(tenant, SIZES.large);
    const before = await stored(tenant, id);
    const impatient = openDeciders({ error() {} } as never, 1);
    const patient = openDeciders({ error: (it: { err: Error }) => assert.fail(it.err) } as never);
    await assert.rejects(approveOnce(ledger, tenant, id, impatient), { code: 'overloaded' });
    assert.deepEqual(await stored(tenant, id), before);
    const { body } = await approveOnce(ledger, tenant, id, patient);
    assert.deepEqual((await stored(tenant, id)).approval, body);
    await Promise.all([impatient.close(), patient.close()]);
    assert.deepEqual((await approveOnce(ledger, tenant, id, patient)).body, body, 'a repeat asks no thread');
  });
});

function approveOnce({ db }: SuiteLedger, tenant: Tenant, id: string, deciders: ReturnType<typeof openDeciders>) {
  const by = approverOf(tenant);
  return createOnce(
    db,
    { organization_id: by.organization_id, key: 'one', credential: 'c', request: { id } },
    async (tx, prepared) => ({ body: await recordApproval(tx, by, id, prepared), location: '' }),
    () => prepareApproval(db, deciders, by, id, APPROVED, now()),
  );
}
