/** What only SQLite has: transactions that wait together share one commit, each inside its own savepoint. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Db, together } from '../../src/db/db.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { DatabaseUnavailable } from '../../src/error.ts';

let folder: string;
let path: string;
let db: Db;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  path = join(folder, 'in', 'folders', 'that', 'are', 'made.db');
  db = openSqlite(path);
  await db.script(
    'create table parents (id text primary key); create table things (id text primary key, parent text references parents deferrable initially deferred)',
  );
});

afterEach(async () => {
  await db.close().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

const add = (id: string, parent: string | null = null) =>
  db.transaction((tx) => tx.run('insert into things (id, parent) values ($1, $2)', [id, parent]));
const ids = async () => (await db.all<{ id: string }>('select id from things order by id')).map(({ id }) => id);
const outcomes = async (work: Promise<unknown>[]) => (await Promise.allSettled(work)).map(({ status }) => status);

describe('transactions on SQLite that wait together', () => {
  test('are all there when they are answered, also to another connection', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, i) => add(`t${String(i).padStart(3, '0')}`)));
    const other = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual({ ...other.prepare('select count(*) as n from things').get() }, { n: 300 });
    other.close();
  });

  test('fail alone: one that throws leaves nothing, the others commit', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.run(`insert into things (id) values ('half')`);
      throw new Error('on purpose');
    });
    assert.deepEqual(await outcomes([add('a'), failing, add('a'), add('b')]), [
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual(await ids(), ['a', 'b']);
  });

  test('are all refused when their common commit fails, and the next ones work', async () => {
    assert.deepEqual(await outcomes([add('a'), add('orphan', 'nobody'), add('b')]), [
      'rejected',
      'rejected',
      'rejected',
    ]);
    assert.deepEqual(await ids(), []);
    await add('c');
    assert.deepEqual(await ids(), ['c']);
  });

  test('see what those before them did, in the order they came', async () => {
    const counts = Array.from({ length: 20 }, (_, i) =>
      db.transaction(async (tx) => {
        const row = await tx.get<{ n: number }>('select count(*) as n from things');
        await tx.run('insert into things (id) values ($1)', [`${i}`]);
        return row!.n;
      }),
    );
    assert.deepEqual(await Promise.all(counts), [...Array(20).keys()]);
  });

  test('do not run into each other, however long their work waits', async () => {
    const slow = (id: string) =>
      db.transaction(async (tx) => {
        const before = (await tx.all('select * from things')).length;
        await new Promise((lap) => setImmediate(lap));
        await tx.run('insert into things (id) values ($1)', [id]);
        await new Promise((lap) => setImmediate(lap));
        assert.equal((await tx.all('select * from things')).length, before + 1);
      });
    assert.deepEqual(await outcomes(['a', 'b', 'c'].map(slow)), ['fulfilled', 'fulfilled', 'fulfilled']);
  });

  test('are invisible to readers until they commit', async () => {
    const seen = db.transaction(async (tx) => {
      await tx.run(`insert into things (id) values ('a')`);
      return (await db.all('select * from things')).length;
    });
    assert.equal(await seen, 0);
    assert.deepEqual(await ids(), ['a']);
  });
});

describe('a SQLite database', () => {
  test('is in WAL mode, on disk when a commit returns', async () => {
    assert.equal((await db.get<{ journal_mode: string }>('pragma journal_mode'))?.journal_mode, 'wal');
    const full = await db.transaction((tx) => tx.get<{ synchronous: number }>('pragma synchronous'));
    assert.equal(full?.synchronous, 2);
  });

  test('reads with a connection that cannot write', async () => {
    await assert.rejects(db.all(`insert into things (id) values ('x') returning id`));
    assert.deepEqual(await ids(), []);
  });

  test('shows a snapshot as of one instant while others write', async () => {
    await add('a');
    const seen = await db.snapshot(async (read) => {
      const before = (await read.all('select * from things')).length;
      await add('b');
      let rows = 0;
      for await (const batch of read.scan('select id from things')) rows += batch.length;
      return [before, rows];
    });
    assert.deepEqual(seen, [1, 1]);
    assert.deepEqual(await ids(), ['a', 'b']);
  });

  test('scans in batches, in order, and stops when nobody wants more', async () => {
    await db.insert(
      'things',
      { id: 'text', parent: 'text' },
      Array.from({ length: 1000 }, (_, i) => [String(i).padStart(4, '0'), null]),
    );
    const all = await db.snapshot(async (read) => {
      const rows: unknown[][] = [];
      for await (const batch of read.scan('select id from things where id >= $1 order by id', ['0100']))
        rows.push(...batch);
      return rows;
    });
    assert.equal(all.length, 900);
    assert.deepEqual([all[0], all.at(-1)], [['0100'], ['0999']]);
    const first = await db.snapshot(async (read) => {
      for await (const batch of read.scan('select id from things')) return batch.length;
    });
    assert.ok(first! < 1000);
    await add('still writable');
  });

  test('that is full refuses with "unavailable", loses nothing, and goes on when there is room', async () => {
    await add('kept');
    const pages = (await db.get<{ page_count: number }>('pragma page_count'))!.page_count;
    await db.script(`pragma max_page_count = ${pages}`);
    const large = 'x'.repeat(200_000);
    await assert.rejects(add(large), DatabaseUnavailable);
    assert.deepEqual(await ids(), ['kept']);
    await db.script('pragma max_page_count = 1000000');
    await add(large);
    assert.equal((await ids()).length, 2);
  });

  test('that fills up in the middle of a transaction keeps nothing of what is sent for it afterwards', async () => {
    await add('kept');
    const pages = (await db.get<{ page_count: number }>('pragma page_count'))!.page_count;
    await db.script(`pragma max_page_count = ${pages}`);
    const insert = 'insert into things (id) values ($1)';
    // SQLite ends the whole transaction with the first; the second alone would be committed by itself.
    const both = (company: Promise<unknown>[]) =>
      db.transaction(async (tx) => {
        company.push(...Array.from({ length: 2 }, (_, i) => add(`beside ${company.length} ${i}`)));
        await together(tx.run(insert, ['x'.repeat(200_000)]), tx.run(insert, ['stray']));
      });
    for (let round = 0; round < 2; round++) {
      const company: Promise<unknown>[] = round === 0 ? [] : [add('before it')];
      await assert.rejects(both(company), DatabaseUnavailable);
      await Promise.allSettled(company);
    }
    assert.ok(!(await ids()).includes('stray'));
    await db.script('pragma max_page_count = 1000000');
    await add('after');
    assert.ok((await ids()).includes('after'));
  });

  test('that another process holds for longer than the patience refuses with "unavailable"', async () => {
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const refused = assert.rejects(add('a'), DatabaseUnavailable);
    await refused;
    other.exec('rollback');
    other.close();
    await add('b');
    assert.deepEqual(await ids(), ['b']);
  });

  test('finishes what was taken before it closes', async () => {
    const work = Array.from({ length: 50 }, (_, i) => add(`${i}`));
    await db.close();
    await Promise.all(work);
    db = openSqlite(path);
    assert.equal((await ids()).length, 50);
  });
});
