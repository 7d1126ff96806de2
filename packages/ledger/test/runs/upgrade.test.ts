/** A database of an earlier release goes on: its Runs and receipts are as they were, and what was approved there is minted. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_PRICES, priceTable } from '@rcpt/contract/prices.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { Db, Queries, Value } from '@rcpt/service/db/db.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { newId, newSecret, now } from '@rcpt/service/ids.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { createMinter } from '../../src/chain/mint.ts';
import { verifyChain } from '../../src/chain/verify.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { foundOrganization } from '../../src/people/organizations.ts';
import { prepareApproval, recordApproval } from '../../src/runs/approval.ts';
import { loadUndecided, recordChecks } from '../../src/runs/checks.ts';
import { decideChecks } from '../../src/runs/decide.ts';
import { openDeciders } from '../../src/runs/deciders.ts';
import { executionOf, inputsOf } from '../../src/runs/parse-body.ts';
import { type Run, showRun } from '../../src/runs/run.ts';
import { runJson } from '../../src/runs/run-json.ts';
import { giveVerdict, openRun, postExecution } from '../../src/runs/stages.ts';
import { listRuns } from '../../src/store/run-list.ts';
import { loadRun } from '../../src/store/runs.ts';
import { readStorage } from '../../src/store/storage.ts';

const PRICES = priceTable(DEFAULT_PRICES);
const deciders = openDeciders({ error: (it: object) => assert.fail(JSON.stringify(it)) } as never);
const minterOf = (db: Db) =>
  createMinter({
    db,
    base_url: 'https://receipts.example.org',
    now,
    newShareToken: () => newSecret(16),
    queue_limit: 10,
    onMinted() {},
  });

/** The migrations up to `last`, as an earlier release had them. */
function migrationsUpTo(last: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  after(() => rmSync(folder, { recursive: true }));
  cpSync(MIGRATIONS, folder, { recursive: true });
  for (const engine of ['sqlite', 'postgres'])
    for (const file of readdirSync(join(folder, engine))) if (file > `${last}~`) rmSync(join(folder, engine, file));
  return folder;
}

eachEngine('a database of before Runs had their documents beside them', null, (fresh) => {
  const EARLIER = migrationsUpTo('0004');

  test('keeps its Runs and its chain, and has what was approved and not sealed approved anew', async () => {
    const [{ db: today }, { db: earlier }] = [await fresh(), await fresh()];
    await migrate(today, MIGRATIONS);
    const { organization_id } = await today.transaction((tx) => foundOrganization(tx, { name: 'Any' }, now()));
    const ids = await runsAtEveryKind(today, organization_id);
    const [minted, approved] = ids as [string, string];
    await minterOf(today).mint({ organization_id, run_id: minted, by: 'key_0' });
    const runs = await Promise.all(ids.map((id) => loadRun(today, organization_id, id)));
    assert.deepEqual(runs[0]!.stages.at(-1), { stage: 'Receipt', at: runs[0]!.updated_at, by: 'key_0' });

    await migrate(earlier, EARLIER);
    await copyBack(today, earlier, runs);
    const applied = await migrate(earlier, MIGRATIONS);
    assert.deepEqual(applied.slice(0, 2), ['0005-receipts-by-position', '0006-run-documents']);

    const kept = runs
      .map((run) => (run.id === approved ? backAtExecution(run) : run))
      .map((run) => ({ ...run, approved_sha256: null }));
    for (const run of kept) assert.deepEqual(await loadRun(earlier, organization_id, run.id), run);
    const { runs: listed } = await listRuns(earlier, organization_id, { limit: 10 });
    assert.deepEqual(
      listed.map((row) => JSON.parse(runJson(row))),
      kept.toReversed().map(showRun),
    );
    const minter = minterOf(earlier);
    await assert.rejects(minter.mint({ organization_id, run_id: approved, by: 'key_1' }), { code: 'run_not_approved' });
    await earlier.transaction((tx) => checkedAndApproved(tx, organization_id, approved));
    assert.equal((await minter.mint({ organization_id, run_id: minted, by: 'key_1' })).fresh, false);
    assert.equal((await minter.mint({ organization_id, run_id: approved, by: 'key_1' })).fresh, true);
    const { stage, stages } = await loadRun(earlier, organization_id, approved);
    assert.deepEqual([stage, stages.length, stages.at(-1)!.by], ['Receipt', 7, 'key_1']);
    const report = await verifyChain(earlier, organization_id);
    assert.deepEqual([report.ok, report.receipts_checked, report.violations], [true, 2, []]);
  });
});

/** One to be minted, one approved, one executed, one only opened. */
async function runsAtEveryKind(db: Db, organization_id: string): Promise<string[]> {
  const by = { organization_id, id: newId('key'), role: 'owner', name: 'Somebody' } as const;
  const ids: string[] = [];
  const lacks = await lacksColumn(db);
  if (lacks) await db.script('alter table run_documents add column commitments text');
  for (const reached of [3, 3, 1, 0])
    await db.transaction(async (tx) => {
      const inputs = { task: 'Count', notify: ['client@example.org'] };
      const { id } = await openRun(tx, by, inputsOf({ lane: 'generic', title: `Run ${ids.length}`, inputs }), now());
      if (reached > 0) await postExecution(tx, by, id, (lane) => executionOf(lane, { output: { total: 1 } }), now());
      if (reached > 2) await checkedAndApproved(tx, organization_id, id);
      ids.push(id);
    });
  if (lacks) await db.script('alter table run_documents drop column commitments');
  return ids;
}

/** Today's stages write it; no Run of an earlier release has anything in it. */
function lacksColumn(db: Db): Promise<boolean> {
  return db.all('select commitments from run_documents limit 1').then(
    () => false,
    () => true,
  );
}

async function checkedAndApproved(tx: Queries, organization_id: string, id: string): Promise<void> {
  const by = { organization_id, id: newId('key'), role: 'owner', name: 'Somebody' } as const;
  await recordChecks(tx, by, id, decideChecks(await loadUndecided(tx, by, id, PRICES.rows)), now());
  await giveVerdict(tx, by, id, now());
  await recordApproval(tx, by, id, await prepareApproval(tx, deciders, by, id, { decision: 'approved' }, now()));
}

/** What was checked before checks said who decided, and is not sealed, is checked again. */
function backAtExecution(run: Run): Run {
  const stages = run.stages.filter(({ stage }) => ['Inputs', 'Evidence', 'Execution'].includes(stage));
  return { ...run, stage: 'Execution', stages, checks: [], verdict: null, approval: null, approved_block: null };
}

/** Runs are made by the code of today, which asks how the organization approves. */
async function withSettingsOfToday<T>(db: Db, make: () => Promise<T>): Promise<T> {
  for (const column of ["passkey_approvals text default 'off'", 'passkey_lanes text'])
    await db.script(`alter table organizations add column ${column}`);
  const made = await make();
  for (const column of ['passkey_approvals', 'passkey_lanes'])
    await db.script(`alter table organizations drop column ${column}`);
  return made;
}

/** Runs in the one row they had; the other tables were as they are. */
async function copyBack(from: Db, to: Db, runs: Run[]): Promise<void> {
  for (const table of ['organizations', 'chains', 'receipts'])
    for (const row of await from.all<Record<string, Value>>(`select * from ${table}`))
      await insertRow(to, table, asBefore(row));
  for (const { price: _, approved_sha256: __, commitments: ___, ...run } of runs) {
    const stored = Object.entries(run).map(([name, value]) => [
      name,
      typeof value === 'string' || value === null ? value : JSON.stringify(value),
    ]);
    await insertRow(to, 'runs', Object.fromEntries(stored));
  }
}

/** Without what later releases have added. */
function asBefore(row: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !/^(peaks$|storage_|passkey_)/.test(name)));
}

function insertRow(db: Db, table: string, row: Record<string, Value>): Promise<number> {
  const places = Object.keys(row).map((_, i) => `$${i + 1}`);
  return db.run(
    `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
}

eachEngine('a database of before people chose public names', null, (fresh) => {
  const EARLIER = migrationsUpTo('0008');
  const MAILBOX = 'ada@example.org';

  test('seals no mailbox that was kept in it: what is not final is checked anew, what is final is shown', async () => {
    const { db } = await fresh();
    await migrate(db, EARLIER);
    const organization_id = await foundThen(db);
    const ids = await withSettingsOfToday(db, () => runsAtEveryKind(db, organization_id));
    const [rejected, approved] = ids as [string, string];
    const checks = JSON.stringify([check('pass', `Fine (decided by ${MAILBOX})`), check('open', '')]);
    const approval = { approved_by: MAILBOX, note: '', approved_at: now() };
    const write = (id: string, decision: string, approved_block: string | null) =>
      db.run('update run_documents set checks = $2, approval = $3, approved_block = $4 where id = $1', [
        id,
        checks,
        JSON.stringify({ decision, ...approval }),
        approved_block,
      ]);
    await write(rejected, 'rejected', null);
    await write(approved, 'approved', JSON.stringify({ approval: { decision: 'approved', ...approval } }));
    await db.run('insert into people (id, email, created_at, updated_at) values ($1, $2, $3, $3)', [
      'user_1',
      MAILBOX,
      now(),
    ]);
    for (const [org_seq, by] of [MAILBOX, 'first owner'].entries())
      await db.run(
        'insert into shares (organization_id, org_seq, enabled, changed_at, changed_by) values ($1, $2, 0, $3, $4)',
        [organization_id, org_seq, now(), by],
      );
    await migrate(db, MIGRATIONS);
    const switched = await db.all<{ changed_by: string }>('select changed_by from shares order by org_seq');
    assert.deepEqual(
      switched.map(({ changed_by }) => changed_by),
      ['user_1', 'first owner'],
    );

    const final = await loadRun(db, organization_id, rejected);
    assert.deepEqual([final.stage, final.approval!.approver_id], ['Approval', '']);
    assert.deepEqual(
      final.checks.map((one) => one.decided_by),
      ['', ''],
    );
    const back = await loadRun(db, organization_id, approved);
    assert.deepEqual(
      [back.stage, back.checks, back.verdict, back.approval, back.approved_block],
      ['Execution', [], null, null, null],
    );
    assert.deepEqual(
      back.stages.map(({ stage }) => stage),
      ['Inputs', 'Evidence', 'Execution'],
    );
    await db.transaction((tx) => checkedAndApproved(tx, organization_id, approved));
    await minterOf(db).mint({ organization_id, run_id: approved, by: 'key_1' });
    const { payload } = (await db.get<{ payload: string }>('select payload from receipts'))!;
    assert.ok(!payload.includes(MAILBOX) && payload.includes('"approver_id":"key_'));
    for (const id of ids.slice(2)) assert.ok((await loadRun(db, organization_id, id)).stages.length > 0);
  });
});

/** An organization as an earlier release founded it. */
async function foundThen(db: Queries): Promise<string> {
  const id = newId('org');
  await db.run('insert into organizations (organization_id, name, created_at) values ($1, $2, $3)', [id, 'Any', now()]);
  await db.run('insert into chains (organization_id, org_seq, receipt_sha256) values ($1, -1, $2)', [id, GENESIS_HASH]);
  return id;
}

/** As it was stored then. */
function check(status: string, detail: string): object {
  return { key: status, label: 'A rule', category: 'policy', status, severity: 'low', detail };
}

eachEngine('a database of before stored bytes were counted', null, (fresh) => {
  const EARLIER = migrationsUpTo('0012');

  test('counts what every organization has stored, the same bytes of one Run once', async () => {
    const { db } = await fresh();
    await migrate(db, EARLIER);
    const [organization_id, other] = [await foundThen(db), await foundThen(db)];
    const [first, second] = await withSettingsOfToday(db, () => runsAtEveryKind(db, organization_id));
    const item = (sha256: string, byte_size: number, stored = true) => ({ id: 'ev_1', sha256, byte_size, stored });
    const evidence = [item('aa', 700), item('aa', 700), item('bb', 30), item('cc', 5, false)];
    for (const id of [first!, second!])
      await db.run('update run_documents set evidence = $2 where id = $1', [id, JSON.stringify(evidence)]);
    await migrate(db, MIGRATIONS);

    const documents = await db.all<Record<string, string | null>>('select inputs, execution from run_documents');
    const sent = documents.map(({ inputs, execution }) => Buffer.byteLength(`${inputs}${execution ?? ''}`));
    const used_bytes = 2 * (700 + 30) + sent.reduce((sum, bytes) => sum + bytes, 0);
    assert.deepEqual(await readStorage(db, organization_id, 0), { used_bytes, limit_bytes: null });
    assert.deepEqual(await readStorage(db, other, 9), { used_bytes: 0, limit_bytes: 9 });
    const objects = await db.all(
      'select run_id, sha256, byte_size, state from evidence_objects order by run_id, sha256',
    );
    assert.deepEqual(
      objects.map((row) => ({ ...row })),
      [first, second].flatMap((run_id) => [
        { run_id, sha256: 'aa', byte_size: 700, state: 'named' },
        { run_id, sha256: 'bb', byte_size: 30, state: 'named' },
      ]),
    );
  });
});
