/** GET /ledger/verify (docs/spec.md §7): what it answers, also to what no honest ledger could have stored. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Receipt, wholeChain } from '../kit/independent.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';
import { mintedReceipt } from '../kit/story.ts';
import { readChain, resealed, type StoredChain, writeChain } from '../kit/tampering.ts';

const LENGTH = 4;
const KINDS = ['payload_altered', 'sequence_gap', 'broken_parent_link', 'record_mismatch', 'head_mismatch'];

eachLedger('verification', (ledger, engine) => {
  async function chainOf(tenant: Tenant): Promise<{ receipts: Receipt[]; stored: StoredChain }> {
    const receipts = [];
    for (let i = 0; i < LENGTH; i++) receipts.push(await mintedReceipt(tenant));
    return { receipts, stored: await readChain(ledger.db, tenant.organization_id) };
  }

  async function verified(tenant: Tenant) {
    const { status, json, text } = await tenant.ask('auditor', 'GET', '/ledger/verify');
    assert.equal(status, 200, text);
    for (const { kind } of json.violations) assert.ok(KINDS.includes(kind), kind);
    return json;
  }

  let doomed: Tenant;
  let honest: Awaited<ReturnType<typeof chainOf>>;
  before(async () => {
    doomed = await ledger.doomedTenant();
    honest = await chainOf(doomed);
  });

  /** The answer once `sql` has changed the second receipt of a chain. */
  async function verifiedAfter(sql: string) {
    await writeChain(ledger.db, doomed.organization_id, honest.stored);
    await ledger.db.run(`${sql} where organization_id = $1 and org_seq = 1`, [doomed.organization_id]);
    return { receipts: honest.receipts, report: await verified(doomed) };
  }

  /** The answer to a chain of these rows and this head. */
  async function verifiedAs(stored: StoredChain) {
    await writeChain(ledger.db, doomed.organization_id, stored);
    return verified(doomed);
  }

  test('of an honest chain says where it ends', async () => {
    const tenant = await ledger.tenant();
    const { receipts } = await chainOf(tenant);
    const { org_seq, receipt_sha256 } = receipts.at(-1);
    assert.deepEqual(await verified(tenant), {
      ok: true,
      receipts_checked: LENGTH,
      head: { org_seq, receipt_sha256 },
      violation: null,
      violations: [],
    });
  });

  test('of an altered payload names the receipt, the stored hash and the recomputed one', async () => {
    const { receipts, report } = await verifiedAfter(
      `update receipts set payload = replace(payload, 'Summarize', 'Summarise')`,
    );
    assert.deepEqual(Object.keys(report.violation).sort(), [
      'actual',
      'detail',
      'expected',
      'kind',
      'org_seq',
      'receipt_id',
    ]);
    const { kind, org_seq, receipt_id, expected, actual } = report.violation;
    assert.deepEqual(
      [kind, org_seq, receipt_id, expected],
      ['payload_altered', 1, receipts[1].receipt_id, receipts[1].receipt_sha256],
    );
    assert.match(actual, /^[0-9a-f]{64}$/);
    assert.notEqual(actual, expected);
    assert.deepEqual([report.ok, report.receipts_checked, report.violations.length], [false, LENGTH, 1]);
  });

  test('of a sequence with a gap says which receipt is missing before which', async () => {
    const { receipts, report } = await verifiedAfter('delete from receipts');
    const { kind, org_seq, receipt_id, expected, actual } = report.violation;
    assert.deepEqual([kind, org_seq, receipt_id, expected, actual], ['sequence_gap', 2, receipts[2].receipt_id, 1, 2]);
  });

  test('of a receipt sealed anew names its successor, whose parent it is no longer', async () => {
    const { receipts, stored } = honest;
    const forged = resealed(stored.rows[1]!, (payload) => ({
      ...payload,
      organization: { ...payload.organization, name: 'Forged' },
    }));
    const { violation } = await verifiedAs({ ...stored, rows: stored.rows.with(1, forged) });
    const { kind, org_seq, receipt_id, expected, actual } = violation;
    assert.deepEqual(
      [kind, org_seq, receipt_id, expected, actual],
      ['broken_parent_link', 2, receipts[2].receipt_id, forged.receipt_sha256, receipts[1].receipt_sha256],
    );
  });

  test('of a tail cut off names the last receipt that the head knows', async () => {
    const { receipts, stored } = honest;
    const { head, violation } = await verifiedAs({ ...stored, rows: stored.rows.slice(0, 2) });
    assert.deepEqual(head, { org_seq: 1, receipt_sha256: receipts[1].receipt_sha256 });
    assert.deepEqual(
      [violation.kind, violation.org_seq, violation.receipt_id],
      ['head_mismatch', 3, receipts[3].receipt_id],
    );
    assert.match(violation.detail, /receipts 2 to 3 are missing/);
    assert.ok(
      violation.expected.includes(receipts[3].receipt_sha256) && violation.actual.includes(receipts[1].receipt_sha256),
    );
  });

  test('of a chain that was emptied knows that there was one', async () => {
    const report = await verifiedAs({ ...honest.stored, rows: [] });
    assert.deepEqual(
      [report.ok, report.receipts_checked, report.head, report.violation.kind, report.violation.org_seq],
      [false, 0, null, 'head_mismatch', 3],
    );
  });

  test('notices receipts of another organization, one among its own or a whole chain in place of its own', async () => {
    const [one, other] = [await ledger.doomedTenant(), await ledger.doomedTenant()];
    const [mine, theirs] = [await chainOf(one), await chainOf(other)];
    await writeChain(ledger.db, one.organization_id, {
      ...mine.stored,
      rows: mine.stored.rows.with(2, theirs.stored.rows[2]!),
    });
    const among = await verified(one);
    assert.deepEqual([among.ok, among.violation.kind, among.violation.org_seq], [false, 'broken_parent_link', 2]);

    await writeChain(ledger.db, one.organization_id, theirs.stored);
    const inPlace = await verified(one);
    assert.deepEqual([inPlace.ok, inPlace.violation.kind, inPlace.violation.org_seq], [false, 'broken_parent_link', 0]);
    assert.match(inPlace.violation.detail, /organization/);
  });

  test('notices a receipt that was handed to another organization, in both chains', async () => {
    const [from, to] = [await ledger.doomedTenant(), await ledger.doomedTenant()];
    await chainOf(from);
    await ledger.db.run('update receipts set organization_id = $2 where organization_id = $1 and org_seq = 1', [
      from.organization_id,
      to.organization_id,
    ]);
    assert.deepEqual([(await verified(from)).violation.kind, (await verified(to)).ok], ['sequence_gap', false]);
  });

  test('of numbers beyond all sequences is an answer, not an error', async () => {
    for (const org_seq of ['9007199254740993', '9223372036854775807', '-9223372036854775808']) {
      const { report } = await verifiedAfter(`update receipts set org_seq = ${org_seq}`);
      assert.equal(report.ok, false);
      await writeChain(ledger.db, doomed.organization_id, honest.stored);
      await ledger.db.run(`update chains set org_seq = ${org_seq} where organization_id = $1`, [
        doomed.organization_id,
      ]);
      const { ok, violation } = await verified(doomed);
      assert.deepEqual([ok, violation.kind], [false, 'head_mismatch']);
    }
  });

  test('of what SQLite stores in any column is an answer, not an error', {
    skip: engine !== 'sqlite' && 'types hold here',
  }, async () => {
    for (const name of ['payload', 'parent_hash', 'run_id', 'schema', 'receipt_sha256', 'share_token', 'org_seq'])
      for (const value of ["x'ff00'", "cast(x'ff' as text)", "''", '1.5', "x''"]) {
        const { report } = await verifiedAfter(`update receipts set ${name} = ${value}`);
        assert.equal(report.ok, false, `${name} = ${value}`);
      }
  });

  test('reads only: it changes nothing and repairs nothing', async () => {
    const tenant = await ledger.doomedTenant();
    await chainOf(tenant);
    await ledger.db.run(`update receipts set schema = 'x' where organization_id = $1 and org_seq = 1`, [
      tenant.organization_id,
    ]);
    const before = await readChain(ledger.db, tenant.organization_id);
    const reports = [await verified(tenant), await verified(tenant)];
    assert.deepEqual(reports[0], reports[1]);
    assert.deepEqual(await readChain(ledger.db, tenant.organization_id), before);
  });

  test('goes on minting after a violation: the chain grows and the violation stays', async () => {
    const tenant = await ledger.doomedTenant();
    const { receipts } = await chainOf(tenant);
    await ledger.db.run(`update receipts set schema = 'x' where organization_id = $1 and org_seq = 1`, [
      tenant.organization_id,
    ]);
    assert.equal((await mintedReceipt(tenant)).parent_hash, receipts.at(-1).receipt_sha256);
    const { receipts_checked, violations } = await verified(tenant);
    assert.deepEqual([receipts_checked, violations.length, violations[0].org_seq], [LENGTH + 1, 1, 1]);
  });

  test('lists the first hundred violations and says how many more there are', async () => {
    const { stored } = honest;
    const [row] = stored.rows;
    const rows = Array.from({ length: 130 }, (_, i) => ({
      ...row!,
      org_seq: i,
      parent_hash: `${i}`,
      run_id: `run_${i}`,
      payload: '{}',
    }));
    const { violations } = await verifiedAs({ ...stored, rows });
    assert.equal(violations.length, 100);
    assert.match(violations.at(-1).detail, /3\d more/);
  });

  test('asked for by many at once is answered, or told when to come back', async () => {
    const tenant = await ledger.tenant();
    await chainOf(tenant);
    const answers = await Promise.all(Array.from({ length: 60 }, () => tenant.ask('auditor', 'GET', '/ledger/verify')));
    for (const { status, headers, json } of answers)
      if (status === 200) assert.equal(json.ok, true);
      else assert.deepEqual([status, json.code, Number(headers.get('retry-after')) >= 1], [429, 'rate_limited', true]);
    assert.equal((await wholeChain(tenant)).length, LENGTH);
  });
});
