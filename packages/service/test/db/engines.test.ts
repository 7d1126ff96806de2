import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eachEngine, type Fresh } from '../../../../test/kit/engines.ts';
import { openDatabase } from '../../src/db/open.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../ledger/migrations', import.meta.url));

eachEngine('a fresh database', MIGRATIONS, (fresh, engine) => {
  let shared: Fresh;
  before(async () => {
    shared = await fresh();
  });

  test('has the schema and shares nothing with the next', async () => {
    const [one, other] = await Promise.all([fresh(), fresh()]);
    assert.equal(one.db.engine, engine);
    await one.db.run("insert into chains (organization_id, org_seq, receipt_sha256) values ('org_1', 0, 'x')");
    assert.equal((await one.db.all('select * from chains')).length, 1);
    assert.equal((await other.db.all('select * from chains')).length, 0);
  });

  test('outlives a test when it was opened before all of them', async () => {
    assert.deepEqual(await shared.db.all('select * from chains'), []);
  });

  describe('in a nested suite', () => {
    test('is opened a second time by its url', async () => {
      const { db, url } = await fresh();
      await db.run("insert into chains (organization_id, org_seq, receipt_sha256) values ('org_1', 0, 'x')");
      await db.close();
      const again = openDatabase(url);
      assert.equal((await again.all('select * from chains')).length, 1);
      await again.close();
    });
  });
});

eachEngine('an empty database', null, (fresh) => {
  test('has no schema', async () => {
    const { db } = await fresh();
    await assert.rejects(db.all('select * from chains'));
  });
});
