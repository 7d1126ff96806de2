/** A database of an earlier release goes on: its Runs and receipts are as they were, and what was approved there is minted. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_PRICES, priceTable } from '@rcpt/contract/prices.ts';
import type { Db, Value } from '@rcpt/service/db.ts';
import { newId, newSecret, now } from '@rcpt/service/identity.ts';
import { migrate } from '@rcpt/service/migrate.ts';
import { eachEngine } from '../../service/test/engines.ts';
import type { Run } from '../src/domain/run.ts';
import { MIGRATIONS } from '../src/migrations.ts';
import { createMinter } from '../src/mint.ts';
import { approve, giveVerdict, openRun, postExecution, runChecks } from '../src/stages.ts';
import { listRuns, loadRun } from '../src/store/runs.ts';
import { foundOrganization } from '../src/tenancy.ts';
import { createVerifier } from '../src/verify.ts';

const PRICES = priceTable(DEFAULT_PRICES);
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

  test('keeps its Runs and its chain, and mints what was approved in it', async () => {
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

    for (const run of runs) assert.deepEqual(await loadRun(earlier, organization_id, run.id), run);
    assert.deepEqual((await listRuns(earlier, organization_id, { limit: 10 })).runs, runs.toReversed());
    const minter = minterOf(earlier);
    assert.equal((await minter.mint({ organization_id, run_id: minted, by: 'key_1' })).fresh, false);
    assert.equal((await minter.mint({ organization_id, run_id: approved, by: 'key_1' })).fresh, true);
    const { stage, stages } = await loadRun(earlier, organization_id, approved);
    assert.deepEqual([stage, stages.length, stages.at(-1)!.by], ['Receipt', 7, 'key_1']);
    const report = await createVerifier(earlier).verify(organization_id, AbortSignal.timeout(60_000));
    assert.deepEqual([report.ok, report.receipts_checked, report.violations], [true, 2, []]);
  });
});

/** One to be minted, one approved, one executed, one only opened. */
async function runsAtEveryKind(db: Db, organization_id: string): Promise<string[]> {
  const by = { organization_id, id: newId('key'), role: 'owner', name: 'Somebody' } as const;
  const ids: string[] = [];
  for (const reached of [3, 3, 1, 0])
    await db.transaction(async (tx) => {
      const inputs = { task: 'Count', notify: ['client@example.org'] };
      const { id } = await openRun(tx, by, { lane: 'generic', title: `Run ${ids.length}`, inputs } as never, now());
      if (reached > 0) await postExecution(tx, by, id, { output: { total: 1 } } as never, now());
      if (reached > 1) await runChecks(tx, by, id, PRICES, now());
      if (reached > 1) await giveVerdict(tx, by, id, now());
      if (reached > 2) await approve(tx, by, id, { decision: 'approved' }, now());
      ids.push(id);
    });
  return ids;
}

/** Runs in the one row they had; the other tables were as they are. */
async function copyBack(from: Db, to: Db, runs: Run[]): Promise<void> {
  for (const table of ['organizations', 'chains', 'receipts'])
    for (const row of await from.all<Record<string, Value>>(`select * from ${table}`)) await insertRow(to, table, row);
  for (const { price: _, ...run } of runs) {
    const stored = Object.entries(run).map(([name, value]) => [
      name,
      typeof value === 'string' || value === null ? value : JSON.stringify(value),
    ]);
    await insertRow(to, 'runs', Object.fromEntries(stored));
  }
}

function insertRow(db: Db, table: string, row: Record<string, Value>): Promise<number> {
  const places = Object.keys(row).map((_, i) => `$${i + 1}`);
  return db.run(
    `insert into ${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
}
