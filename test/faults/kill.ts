/** SIGKILL at random moments under mint load, on both engines. docs/crash.md says what each moment leaves behind. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@rcpt/service/db/db.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { type Engine, eachEngine, type Fresh } from '../kit/engines.ts';
import { type Acknowledged, audit, auditCopies, noOpenTransactions } from './audit.ts';
import { approveMany, type mint, mintMany, openWorkshop, random } from './load.ts';
import {
  type LedgerProcess,
  MIGRATIONS,
  settingsOf,
  spawnLedger,
  startLedgerProcess,
  temporaryFolder,
  until,
} from './process.ts';

/** Up to so many the other stories are left to the full run. */
const SHORT = 2;
const RUNS_PER_LIFE = 60;
const CLIENTS = 24;

export function killedUnderLoad(kills: number): void {
  eachEngine('a ledger killed again and again under load', MIGRATIONS, (fresh, engine) => suite(fresh, engine, kills));
}

function suite(fresh: () => Promise<Fresh>, engine: Engine, kills: number): void {
  test('keeps every acknowledged receipt, byte by byte, in one chain', async (t) => {
    const { db: first, url } = await fresh();
    // While the ledger is killed nobody else has the database open: it alone recovers.
    await first.close();
    const folder = temporaryFolder();
    const settings = settingsOf(url, folder);
    let ledger = await startLedgerProcess(settings);
    const workshop = await withDb(url, (db) => openWorkshop(ledger, db));
    const { tenant } = workshop;
    const acknowledged: Acknowledged = new Map();
    const found = { in_flight: 0, minted_unheard: 0, not_minted: 0, killed_starting: 0 };

    for (let kill = 0; kill < kills; kill++) {
      const runs = await withDb(url, (db) => approveMany(db, workshop, RUNS_PER_LIFE));
      const heard = await mintUntilKilled(ledger, tenant, runs, acknowledged);
      if (kill % 4 === 3) found.killed_starting += await killWhileStarting(settings);
      ledger = await startLedgerProcess(settings);
      const minted = await withDb(url, async (db) => {
        await until('the server has done what it was told', () => noOpenTransactions(db));
        return audit(ledger, db, tenant, acknowledged);
      });

      const unheard = runs.filter((run_id) => !acknowledged.has(run_id));
      found.in_flight += heard.in_flight;
      await mintMany(ledger, tenant, unheard, (run_id, answer) => {
        const before = minted.get(run_id);
        found[before === undefined ? 'not_minted' : 'minted_unheard']++;
        assert.equal(answer?.status, before === undefined ? 201 : 200, answer?.text);
        if (before !== undefined) assert.equal(answer!.text, before);
        acknowledged.set(run_id, answer!.text);
        return true;
      });
    }

    const minted = await withDb(url, (db) => audit(ledger, db, tenant, acknowledged));
    assert.equal(minted.size, acknowledged.size, 'nothing is minted that nobody asked for');
    assert.equal(acknowledged.size, kills * RUNS_PER_LIFE);
    await ledger.kill();
    await withDb(url, (db) => auditCopies(db, tenant.organization_id, minted, join(folder, 'objects')));
    assert.ok(found.in_flight >= kills, 'every kill met calls in flight');
    t.diagnostic(`${kills} kills under load, ${acknowledged.size} receipts, ${JSON.stringify(found)}`);
  });

  if (engine === 'postgres' && kills > SHORT)
    test('beside another on the same database leaves one chain, and the other goes on', async () => {
      const { db, url } = await fresh();
      const settings = settingsOf(url, temporaryFolder());
      const [survivor, victim] = await Promise.all([startLedgerProcess(settings), startLedgerProcess(settings)]);
      const workshop = await openWorkshop(survivor, db);
      const { tenant } = workshop;
      const runs = await approveMany(db, workshop, 4 * RUNS_PER_LIFE);
      const theirs = runs.splice(0, RUNS_PER_LIFE);
      const acknowledged: Acknowledged = new Map();
      const mine = mintMany(survivor, tenant, runs, (run_id, answer) => {
        assert.equal(answer?.status, 201, answer?.text);
        acknowledged.set(run_id, answer!.text);
        return true;
      });
      const { in_flight } = await mintUntilKilled(victim, tenant, theirs, acknowledged);
      await mine;
      assert.ok(in_flight > 0);
      await until('the server has done what it was told', () => noOpenTransactions(db));
      const minted = await audit(survivor, db, tenant, acknowledged);
      await mintMany(survivor, tenant, theirs, (run_id, answer) => {
        assert.equal(answer?.status, minted.has(run_id) ? 200 : 201, answer?.text);
        acknowledged.set(run_id, answer!.text);
        return true;
      });
      assert.equal((await audit(survivor, db, tenant, acknowledged)).size, 4 * RUNS_PER_LIFE);
    });
}

/**
 * Kills after a random number of answers and a random moment more, so that it meets a mint at every step. When all Runs are
 * minted they are asked for again: a kill that comes late meets calls too.
 */
async function mintUntilKilled(
  ledger: LedgerProcess,
  tenant: Parameters<typeof mint>[1],
  runs: string[],
  acknowledged: Acknowledged,
): Promise<{ in_flight: number }> {
  let answers_left = random(0, RUNS_PER_LIFE - CLIENTS);
  let killed: Promise<void> | null = null;
  let in_flight = 0;
  const killSoon = async () => {
    await sleep(random(0, 12));
    await ledger.kill();
  };
  if (answers_left === 0) killed = killSoon();
  const minted = new Set<string>();
  await mintMany(
    ledger,
    tenant,
    Array.from({ length: 1_000 }, () => runs).flat(),
    (run_id, answer) => {
      if (answer === null) in_flight++;
      else {
        assert.equal(answer.text, acknowledged.get(run_id) ?? answer.text);
        acknowledged.set(run_id, answer.text);
        // Of two that ask at once either may have minted it, and only one.
        if (answer.status !== 200) assert.equal(answer.status, 201, answer.text);
        if (answer.status === 201) assert.ok(!minted.has(run_id), 'minted once');
        if (answer.status === 201) minted.add(run_id);
      }
      if (--answers_left <= 0) killed ??= killSoon();
      return answer !== null;
    },
    CLIENTS,
  );
  await (killed ?? ledger.kill());
  return { in_flight };
}

/** Also a start is a moment to die in: the schema is looked at, the log of the database replayed. */
async function killWhileStarting(settings: Record<string, string>): Promise<number> {
  const starting = spawnLedger(settings);
  await sleep(random(0, 600));
  await starting.kill();
  return 1;
}

async function withDb<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(url);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
