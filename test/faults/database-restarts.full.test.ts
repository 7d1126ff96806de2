/** PostgreSQL goes away under load and comes back, while the ledger stays up. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { type Acknowledged, audit } from './audit.ts';
import { approveMany, mint, openWorkshop } from './load.ts';
import { type OwnPostgres, startOwnPostgres } from './own-postgres.ts';
import { type LedgerProcess, MIGRATIONS, settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';

const RESTARTS = 3;
const RUNS = 360;
const CLIENTS = 24;

describe('a database that crashes and recovers under load on postgres', () => {
  let postgres: OwnPostgres;
  before(async () => {
    postgres = await startOwnPostgres();
  });
  after(() => postgres.remove());

  test('costs its clients a 503 and a second try, and no receipt', async (t) => {
    const db = openDatabase(postgres.url, () => undefined);
    await migrate(db, MIGRATIONS);
    const ledger = await startLedgerProcess(settingsOf(postgres.url, temporaryFolder()));
    const workshop = await openWorkshop(ledger, db);
    const { tenant } = workshop;
    const left = await approveMany(db, workshop, RUNS);
    const acknowledged: Acknowledged = new Map();
    const statuses = new Map<string, number>();
    let minting = true;
    let crashing = true;

    /** A Run to mint; when there are no more of them and crashes still to come, one that is minted. */
    function next(): string | undefined {
      const run_id = left.shift();
      return run_id ?? (crashing ? [...acknowledged.keys()][Math.floor(Math.random() * acknowledged.size)] : undefined);
    }

    async function client(): Promise<void> {
      for (let run_id = next(); run_id !== undefined; run_id = next()) {
        for (;;) {
          const answer = await mint(ledger, tenant, run_id);
          assert.ok(answer, 'the ledger itself stays up');
          count(statuses, `mint ${answer.status}`);
          if (answer.status < 300) {
            acknowledged.set(run_id, answer.text);
            break;
          }
          assert.deepEqual([answer.status, answer.code], [503, 'database_unavailable'], answer.text);
          assert.ok(Number(answer.retry_after) > 0);
          await sleep(50);
        }
      }
    }

    async function reader(): Promise<void> {
      const paths = ['/ledger/verify', '/receipts/recent', '/runs', '/ledger', '/organization'];
      for (let i = 0; minting; i++) {
        const answer = await ledger.call('GET', paths[i % paths.length]!, { token: tenant.keys.auditor });
        count(statuses, `read ${answer.status}`);
        assert.ok(answer.status === 200 || (answer.status === 503 && answer.headers.has('retry-after')), answer.text);
        if (answer.status === 200 && answer.json.ok !== undefined) assert.equal(answer.json.ok, true, answer.text);
        await sleep(20);
      }
    }

    async function crashes(): Promise<void> {
      for (let i = 1; i <= RESTARTS; i++) {
        await until('some are minted', () => acknowledged.size > (RUNS * i) / (RESTARTS + 1));
        await postgres.crash();
        await until('health says so', async () => !(await health(ledger, 503)).db);
        await postgres.start();
        await until('health says so', async () => (await health(ledger, 200)).ok);
      }
    }

    const clients = Promise.all(Array.from({ length: CLIENTS }, client)).finally(() => {
      minting = false;
    });
    await Promise.all([
      clients,
      reader(),
      crashes().finally(() => {
        crashing = false;
      }),
    ]);
    const minted = await audit(ledger, db, tenant, acknowledged);
    assert.equal(minted.size, RUNS);
    assert.ok((statuses.get('mint 503') ?? 0) > 0, 'the load met the database away');
    assert.equal(await ledger.stop(), 0);
    await db.close();
    t.diagnostic(`${RESTARTS} crashes, ${minted.size} receipts, ${JSON.stringify([...statuses])}`);
  });

  test('that is away keeps a ledger from starting, with one line that says so', async () => {
    await postgres.crash();
    const settings = settingsOf(postgres.url, temporaryFolder());
    await assert.rejects(startLedgerProcess(settings), (error: Error) => {
      const [said, ...more] = error.message.replace('the ledger ended before it listened: ', '').split('\n');
      assert.match(said!, /: rcpt ledger: .*database.*ECONNREFUSED/);
      assert.deepEqual(more, []);
      return true;
    });
    await postgres.start();
    const ledger = await startLedgerProcess(settings);
    assert.equal(await ledger.stop(), 0);
  });
});

/** While it changes, either answer is right; each agrees with itself. */
async function health({ call }: LedgerProcess, wanted: number): Promise<{ ok: boolean; db: boolean }> {
  const { status, json } = await call('GET', '/healthz');
  assert.equal(status, json.db ? 200 : 503);
  return status === wanted ? json : { ok: false, db: true };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
