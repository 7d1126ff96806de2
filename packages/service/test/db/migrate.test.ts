/** Schema migrations on both engines: each once, in order, whole, and never changed afterwards. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { checkSchema, migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';

const migrationsOf = (component: string) => fileURLToPath(new URL(`../../../${component}/migrations`, import.meta.url));
const [LEDGER_MIGRATIONS, ROUTER_MIGRATIONS] = [migrationsOf('ledger'), migrationsOf('router')];

eachEngine('migrations', null, (fresh, engine) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    mkdirSync(join(folder, engine));
    write('0001-things.sql', 'create table things (id text primary key);');
    write('0002-more.sql', "insert into things (id) values ('from-0002'); create table more (id text);");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, sql: string) => writeFileSync(join(folder, engine, name), sql);
  const refusal = (code: string, detail: RegExp) => (error: { code?: string; detail?: string }) =>
    error.code === code && detail.test(error.detail ?? '');

  test('are applied in order, and named', async () => {
    const { db } = await fresh();
    write('notes.txt', 'not a migration');
    assert.deepEqual(await migrate(db, folder), ['0001-things', '0002-more']);
    assert.deepEqual(
      (await db.all<{ id: string }>('select id from things')).map(({ id }) => id),
      ['from-0002'],
    );
    await checkSchema(db, folder);
  });

  test('are applied once: a second time changes nothing', async () => {
    const { db } = await fresh();
    await migrate(db, folder);
    assert.deepEqual(await migrate(db, folder), []);
    assert.equal((await db.all('select * from things')).length, 1);
  });

  test('that are new are applied to what is there', async () => {
    const { db } = await fresh();
    await migrate(db, folder);
    write('0003-last.sql', "insert into things (id) values ('from-0003');");
    await assert.rejects(checkSchema(db, folder), refusal('schema_behind', /0003-last/));
    assert.deepEqual(await migrate(db, folder), ['0003-last']);
    assert.equal((await db.all('select * from things')).length, 2);
  });

  test('that were changed after they were applied are refused', async () => {
    const { db } = await fresh();
    await migrate(db, folder);
    write('0001-things.sql', 'create table things (id text primary key, other text);');
    await assert.rejects(migrate(db, folder), refusal('schema_changed', /0001-things/));
    await assert.rejects(checkSchema(db, folder), refusal('schema_changed', /0001-things/));
  });

  test('a database of another component is refused, before anything is done to it', async () => {
    const { db } = await fresh();
    await migrate(db, LEDGER_MIGRATIONS);
    const foreign = refusal('schema_foreign', /holds 0001-ledger, not 0001-router\. Name a database of its own/);
    await assert.rejects(migrate(db, ROUTER_MIGRATIONS), foreign);
    await assert.rejects(checkSchema(db, ROUTER_MIGRATIONS), foreign);
    assert.deepEqual(await migrate(db, LEDGER_MIGRATIONS), []);
  });

  test('of a later release are refused by an earlier one', async () => {
    const { db } = await fresh();
    write('0003-last.sql', 'create table last (id text);');
    await migrate(db, folder);
    rmSync(join(folder, engine, '0003-last.sql'));
    await assert.rejects(migrate(db, folder), refusal('schema_ahead', /0003-last/));
    await assert.rejects(checkSchema(db, folder), refusal('schema_ahead', /0003-last/));
  });

  test('that fail leave the schema as it was', async () => {
    const { db } = await fresh();
    write('0002-more.sql', 'create table more (id text); create table things (id text);');
    await assert.rejects(migrate(db, folder));
    await assert.rejects(db.all('select * from things'));
    await assert.rejects(db.all('select * from more'));
    write('0002-more.sql', 'create table more (id text);');
    assert.deepEqual(await migrate(db, folder), ['0001-things', '0002-more']);
  });

  test('missing altogether are named with the command that applies them', async () => {
    const { db } = await fresh();
    await assert.rejects(checkSchema(db, folder), refusal('schema_behind', /0001-things, 0002-more.*\.\/rcpt migrate/));
  });

  test('asked for by several processes at once are applied by one', async () => {
    const { url } = await fresh();
    const others = [1, 2, 3].map(() => openDatabase(url));
    const applied = await Promise.all(others.map((db) => migrate(db, folder)));
    assert.deepEqual(applied.flat(), ['0001-things', '0002-more']);
    await Promise.all(others.map((db) => db.close()));
  });
});
