/** An erasure that a crash cut off: before its commit nothing happened; after it, the next start does the rest. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@rcpt/service/db/open.ts';
import { lockPostgres, lockSqlite } from '../../../../test/faults/locks.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { temporaryFolder } from '../../../../test/kit/folders.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { erasing, mintedWith } from '../kit/beside.ts';
import { ledgerProcess } from '../kit/process.ts';
import { boundTo, tenantOf } from '../kit/running.ts';

const VALUE = 'Lovelace-4711-secret';
const TOLD = {
  inputs: { patient: VALUE },
  private: ['/inputs/patient'],
  evidence: [{ label: 'scan', content: VALUE }],
};

eachEngine('an erasure', MIGRATIONS, (fresh, engine) => {
  async function stage() {
    const { db, url } = await fresh();
    const objects = join(temporaryFolder('erasure'), 'objects');
    const start = () =>
      ledgerProcess(url, { LEDGER_STORAGE_URL: `file:${objects}`, LEDGER_BASE_URL: 'http://ledger.test' });
    const ledger = await start();
    const tenant = await tenantOf(ledger.call);
    const minted = await mintedWith(tenant, TOLD);
    const again = async () => {
      const started = await start();
      return { started, tenant: boundTo(started.call, tenant) };
    };
    const unfinished = async () => (await db.all('select path from disclosures where unfinished = 1')).length;
    const evidence = () => files(objects).filter((path) => path.includes('/evidence/'));
    return { db, url, objects, ledger, tenant, minted, again, unfinished, evidence };
  }

  const finished = async (unfinished: () => Promise<number>) => {
    for (let tries = 0; tries < 200 && (await unfinished()) > 0; tries++) await sleep(50);
    assert.equal(await unfinished(), 0);
  };

  test('that was killed before its commit has not happened; a repeat does it', async () => {
    const { db, url, ledger, tenant, minted, again, evidence } = await stage();
    const lock = engine === 'sqlite' ? await lockSqlite(url) : await lockPostgres(url, 'select 1 from runs for update');
    const asked = erasing(tenant, minted, '/evidence/0').catch(() => null);
    await sleep(300);
    await ledger.kill();
    await lock.release();
    assert.equal(await asked, null);
    assert.deepEqual(await db.all('select path from disclosures'), []);
    assert.deepEqual(await db.all("select kind from activity where kind = 'erased'"), []);
    assert.equal(evidence().length, 1);
    const { started, tenant: owner } = await again();
    assert.equal((await erasing(owner, minted, '/evidence/0')).status, 201);
    assert.deepEqual(evidence(), []);
    assert.equal((await owner.as('auditor')('GET', '/ledger/verify')).ok, true);
    await started.stop();
  });

  test('that storage did not follow is acknowledged, shown by no link, and finished by the next start', async () => {
    const { ledger, tenant, minted, again, unfinished, evidence } = await stage();
    const [object] = evidence() as [string];
    // A folder in the place of the file: it cannot be deleted as one.
    rmSync(object);
    mkdirSync(join(object, 'in the way'), { recursive: true });
    assert.equal((await erasing(tenant, minted, '/evidence/0')).status, 201);
    assert.equal(await unfinished(), 1);
    assert.equal((await ledger.call('GET', `${minted.link}/disclosures/evidence/0`)).status, 410);
    await ledger.kill();
    rmSync(object, { recursive: true });
    writeFileSync(object, VALUE);
    const { started, tenant: owner } = await again();
    await finished(unfinished);
    assert.deepEqual(evidence(), []);
    assert.equal((await owner.as('auditor')('GET', '/ledger/verify')).ok, true);
    await started.stop();
  });

  if (engine === 'sqlite')
    test('that a reader kept from emptying the log is finished by the next start: no byte is left in either file', async () => {
      const { url, ledger, tenant, minted, again, unfinished } = await stage();
      for (let i = 0; i < 20; i++)
        await mintedWith(tenant, { title: `Beside ${i}`, execution: { output: 'x'.repeat(i * 700) } });
      const path = url.slice('sqlite:'.length);
      const holding = () => [path, `${path}-wal`].filter((file) => readFileSync(file).includes(VALUE));
      const reader = openDatabase(url);
      await reader.snapshot(async (read) => {
        await read.all('select id from runs');
        assert.equal((await erasing(tenant, minted, '/inputs/patient')).status, 201);
        assert.equal((await erasing(tenant, minted, '/evidence/0')).status, 201);
      });
      assert.ok((await unfinished()) > 0);
      assert.notDeepEqual(holding(), []);
      await ledger.kill();
      const { started } = await again();
      await finished(unfinished);
      assert.deepEqual(holding(), []);
      await started.stop();
      await reader.close();
    });
});

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
