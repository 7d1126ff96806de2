/** Threads that verify: what one leaves behind that is ended in the middle, and what its caller hears of a database that is away. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Refusal } from '@rcpt/service/error.ts';
import { chainOf } from '../../../../test/bench/src/prepare.ts';
import { openVerifier, type Verifier } from '../../src/chain/verifier.ts';
import { eachLedger, type Tenant } from '../kit/running.ts';

const LONG = 20_000;
const TIMES = 5;
const NAME = 'a thread that verifies';
const LATER = AbortSignal.timeout(300_000);

eachLedger('a thread that verifies', (ledger, engine) => {
  const faults: unknown[] = [];
  const logger = { error: (...said: unknown[]) => void faults.push(said) };
  let tenant: Tenant;
  let verifier: Verifier;

  before(async () => {
    tenant = await ledger.doomedTenant();
    const founded = { organization_id: tenant.organization_id, name: 'Test Workshop', api_key: '', key_id: 'key_0' };
    await chainOf(ledger.db, founded, LONG, () => undefined);
    const named = engine === 'sqlite' ? '' : `?application_name=${encodeURIComponent(NAME)}`;
    verifier = openVerifier(ledger.database_url + named, logger as never);
  });
  after(() => verifier.close());

  test('leaves no transaction, connection or lock behind when its caller goes', async () => {
    for (let time = 0; time < TIMES; time++) {
      const gone = new AbortController();
      const walking = Promise.withResolvers<void>();
      const walk = verifier.verify(tenant.organization_id, gone.signal, ({ receipts_checked }) => {
        if (receipts_checked > 0) walking.resolve();
      });
      await Promise.race([walking.promise, walk]);
      // Whatever is written now, the snapshot does not see.
      await ledger.db.run(`update organizations set name = 'At ${time}' where organization_id = $1`, [
        tenant.organization_id,
      ]);
      assert.equal(await isHeld(), true);
      gone.abort();
      await assert.rejects(walk, { code: 'request_timeout' });
      const deadline = performance.now() + 10_000;
      while (await isHeld()) {
        assert.ok(performance.now() < deadline, 'a thread that was ended still holds its snapshot');
        await sleep(20);
      }
    }
    const { ok, receipts_checked } = await verifier.verify(tenant.organization_id, LATER);
    assert.deepEqual([ok, receipts_checked, await isHeld(), faults], [true, LONG, false, []]);
  });

  test('says what a database says that is away', { skip: engine === 'sqlite' && 'a file is there' }, async () => {
    const nowhere = openVerifier('postgres://127.0.0.1:1/nowhere', logger as never);
    const { organization_id } = tenant;
    await assert.rejects(nowhere.verify(organization_id, LATER), ({ code, cause }: Refusal) => {
      assert.equal(code, 'database_unavailable');
      // The operator reads it in the log.
      return /ECONNREFUSED/.test((cause as Error).stack!);
    });
    await nowhere.close();
    assert.deepEqual(faults, []);
  });

  /** PostgreSQL lists its connections; on SQLite the log cannot be emptied while a snapshot needs it. */
  async function isHeld(): Promise<boolean> {
    if (engine === 'postgres') {
      const of_threads = 'select count(*) as count from pg_stat_activity where application_name = $1';
      return (await ledger.db.get<{ count: number }>(of_threads, [NAME]))!.count > 0;
    }
    const database = new DatabaseSync(ledger.database_url.slice('sqlite:'.length));
    try {
      return database.prepare('pragma wal_checkpoint(truncate)').get()!.busy === 1;
    } finally {
      database.close();
    }
  }
});
