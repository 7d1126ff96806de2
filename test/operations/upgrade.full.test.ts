/** What docs/operations.md says of an upgrade: a release that is newer than its database, and a migration that fails. */
import { strict as assert } from 'node:assert';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Db } from '@rcpt/service/db/db.ts';
import { migrate } from '@rcpt/service/db/migrate.ts';
import { MIGRATIONS as LEDGER } from '../../packages/ledger/src/migrations.ts';
import { ledgerProcess, rcpt } from '../../packages/ledger/test/kit/process.ts';
import { MIGRATIONS as ROUTER } from '../../packages/router/src/migrations.ts';
import { type Engine, eachEngine } from '../kit/engines.ts';

const FAILS_HALF_WAY = `create table half_way (id text primary key);
insert into half_way (id) values ('one');
insert into there_is_no_such_table (id) values ('two');
`;

const folders: string[] = [];

/** The migrations of another release: without the newest, or with one that fails. */
function release(of: string, engine: Engine, change: 'without the newest' | 'with one that fails'): string {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  folders.push(folder);
  cpSync(join(of, engine), join(folder, engine), { recursive: true });
  const newest = readdirSync(join(folder, engine)).sort().at(-1)!;
  if (change === 'without the newest') rmSync(join(folder, engine, newest));
  else writeFileSync(join(folder, engine, '9999-that-fails.sql'), FAILS_HALF_WAY);
  return folder;
}

after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const applied = async (db: Db) => (await db.all<{ name: string }>('select name from schema_migrations')).length;

eachEngine('an upgrade', null, (fresh, engine) => {
  test('a database of the release before is brought up to date by one command, the router’s too', async () => {
    const databases = { LEDGER: await fresh(), ROUTER: await fresh() };
    await migrate(databases.LEDGER.db, release(LEDGER, engine, 'without the newest'));
    await migrate(databases.ROUTER.db, release(ROUTER, engine, 'without the newest'));
    const urls = { LEDGER_DATABASE_URL: databases.LEDGER.url, ROUTER_DATABASE_URL: databases.ROUTER.url };
    if (engine === 'postgres') {
      const refused = await rcpt(['ledger'], { ...urls, LEDGER_PORT: '0' });
      assert.equal(refused.code, 1);
      assert.match(
        refused.stderr.join(),
        /^rcpt ledger: The database lacks .*: run \.\/rcpt migrate, then start again\.$/,
      );
    }
    const newest = (of: string) => readdirSync(join(of, engine)).sort().at(-1)!.replace('.sql', '');
    const { code, stdout } = await rcpt(['migrate'], { PATH: process.env.PATH!, ...urls });
    assert.deepEqual(
      [code, stdout],
      [0, `applied: ${newest(LEDGER)}\ntaken_in: (nothing)\nrouter: ${newest(ROUTER)}\n`],
    );
  });

  test('a migration that fails leaves the database to the release that was there before', async () => {
    const { db, url } = await fresh();
    await migrate(db, LEDGER);
    const before = await applied(db);
    await assert.rejects(migrate(db, release(LEDGER, engine, 'with one that fails')), /there_is_no_such_table/);
    assert.equal(await applied(db), before);
    await assert.rejects(db.all('select id from half_way'), /half_way/, 'nothing of it is there');
    const ledger = await ledgerProcess(url);
    assert.equal((await ledger.call('GET', '/healthz')).status, 200);
    ledger.signal('SIGTERM');
    assert.equal((await ledger.ended).code, 0);
  });

  test('once it is through, the release before refuses, and says what to do', async () => {
    const { db } = await fresh();
    await migrate(db, LEDGER);
    await assert.rejects(migrate(db, release(LEDGER, engine, 'without the newest')), /does not know: upgrade it/);
  });
});
