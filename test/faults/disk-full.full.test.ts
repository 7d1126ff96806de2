/** SQLite's disk is full: the ledger says so, keeps what it has, and goes on when there is room again. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { newSecret, now } from '@rcpt/service/ids.ts';
import { createMinter } from '../../packages/ledger/src/chain/mint.ts';
import { type Acknowledged, audit, auditTables } from './audit.ts';
import { approveMany, mintMany, openWorkshop } from './load.ts';
import { BASE_URL, settingsOf, startLedgerProcess, temporaryFolder } from './process.ts';

const RUNS = 200;

describe('a full disk on sqlite', () => {
  test('answers mints with 503 and Retry-After, loses none, and mints them when there is room', async (t) => {
    const folder = temporaryFolder();
    const path = join(folder, 'ledger.db');
    const settings = settingsOf(`sqlite:${path}`, folder);
    const first = await startLedgerProcess(settings);
    const db = openDatabase(`sqlite:${path}`);
    const workshop = await openWorkshop(first, db);
    const { tenant } = workshop;
    const runs = await approveMany(db, workshop, RUNS);
    assert.equal(await first.stop(), 0);

    // No file may grow beyond what the database has now and a little: in blocks of 512 bytes.
    const largest = Math.max(statSync(path).size, statSync(`${path}-wal`).size) + 300_000;
    const cramped = await startLedgerProcess(settings, { before: `ulimit -S -f ${Math.ceil(largest / 512)}` });
    const acknowledged: Acknowledged = new Map();
    const counts: Record<string, number> = {};
    const onAnswer: Parameters<typeof mintMany>[3] = (run_id, answer) => {
      assert.ok(answer, 'the ledger stays up');
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      if (answer.status === 201) acknowledged.set(run_id, answer.text);
      else {
        assert.deepEqual([answer.status, answer.code], [503, 'database_unavailable'], answer.text);
        assert.ok(answer.retry_after);
      }
      return true;
    };
    // One after the other at first: a commit of many at once may be larger than what is left.
    await mintMany(cramped, tenant, runs.slice(0, 3), onAnswer, 1);
    await mintMany(cramped, tenant, runs.slice(3), onAnswer);
    assert.ok(acknowledged.size > 0 && acknowledged.size < RUNS, 'the disk was full at some point');
    await audit(cramped, db, tenant, acknowledged, { signs: false });
    const health = await cramped.call('GET', '/healthz');
    assert.deepEqual([health.status, health.json.db], [200, true], 'reading works');
    await cramped.kill();

    const roomy = await startLedgerProcess(settings);
    await audit(roomy, db, tenant, acknowledged);
    await mintMany(roomy, tenant, runs, (run_id, answer) => {
      assert.equal(answer?.status, acknowledged.has(run_id) ? 200 : 201, answer?.text);
      acknowledged.set(run_id, answer!.text);
      return true;
    });
    assert.equal((await audit(roomy, db, tenant, acknowledged)).size, RUNS);
    await db.close();
    t.diagnostic(JSON.stringify(counts));
  });

  test('in the middle of a shared commit refuses all of it as database_unavailable', async () => {
    const folder = temporaryFolder();
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await startLedgerProcess(settingsOf(url, folder));
    const prepared = openDatabase(url);
    const workshop = await openWorkshop(ledger, prepared);
    const { organization_id } = workshop.tenant;
    const runs = await approveMany(prepared, workshop, RUNS);
    assert.equal(await ledger.stop(), 0);
    await prepared.close();

    const db = openDatabase(url);
    const minter = createMinter({
      db,
      base_url: BASE_URL,
      now,
      newShareToken: () => newSecret(16),
      queue_limit: RUNS,
      onMinted() {},
    });
    const mintAll = () =>
      Promise.allSettled(runs.map((run_id) => minter.mint({ organization_id, run_id, by: 'key_test' })));
    // The same error as a full disk, on the connection that writes; nothing else can make it on every machine.
    const pages = (await db.get<{ page_count: number }>('pragma page_count'))!.page_count;
    await db.script(`pragma max_page_count = ${pages + 4}`);
    const beside = db.run('update runs set title = title');
    for (const answer of await mintAll()) {
      assert.equal(answer.status, 'rejected');
      assert.equal(answer.reason.code, 'database_unavailable', String(answer.reason));
    }
    await beside.catch((error: { code: string }) => assert.equal(error.code, 'database_unavailable'));
    assert.equal((await auditTables(db, organization_id)).size, 0);

    await db.script('pragma max_page_count = 1000000');
    for (const answer of await mintAll()) assert.equal(answer.status, 'fulfilled');
    assert.equal((await auditTables(db, organization_id)).size, RUNS);
    await db.close();
  });
});
