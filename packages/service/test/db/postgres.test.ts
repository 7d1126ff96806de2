/** What only PostgreSQL has: several writers at once, who may run into each other or lose their server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { type Queries, together } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { DatabaseUnavailable } from '../../src/error.ts';

const TABLE = 'create table counters (id text primary key, n bigint not null)';

eachEngine('transactions of several writers', null, (fresh, engine) => {
  const onPostgres = { skip: engine !== 'postgres' && 'SQLite has one writer' };
  const bump = (tx: Queries, id: string) => tx.run('update counters set n = n + 1 where id = $1', [id]);

  async function counters() {
    const { db, url } = await fresh();
    await db.script(TABLE);
    await db.insert('counters', { id: 'text', n: 'bigint' }, [
      ['a', 0],
      ['b', 0],
    ]);
    const read = async () =>
      Object.fromEntries(
        (await db.all<{ id: string; n: number }>('select id, n from counters')).map(({ id, n }) => [id, n]),
      );
    return { db, url, read };
  }

  test('lose no change, however they overlap', async () => {
    const { db, read } = await counters();
    await Promise.all(Array.from({ length: 60 }, (_, i) => db.transaction((tx) => bump(tx, i % 2 ? 'a' : 'b'))));
    assert.deepEqual(await read(), { a: 30, b: 30 });
  });

  test('that deadlock are run again, and each counts once', onPostgres, async () => {
    const { db, read } = await counters();
    let attempts = 0;
    let arrived = 0;
    let open = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    const crossing = (first: string, second: string) =>
      db.transaction(async (tx) => {
        attempts++;
        await bump(tx, first);
        // Only the first attempts meet: each holds what the other wants.
        if (++arrived === 2) open();
        await both;
        await bump(tx, second);
      });
    await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);
    assert.ok(attempts > 2, 'there was a deadlock');
    assert.deepEqual(await read(), { a: 2, b: 2 });
  });

  test(
    'find rows by key, whatever the plan was when the table was empty; what only reads may read all of it',
    onPostgres,
    async () => {
      const { db } = await counters();
      const ways = `select current_setting('enable_seqscan') || current_setting('enable_hashjoin') || current_setting('enable_mergejoin') as ways`;
      const changing = await db.transaction((tx) => tx.get<{ ways: string }>(ways));
      const reading = await db.get<{ ways: string }>(ways);
      const snapshot = await db.snapshot((read) => read.get<{ ways: string }>(ways));
      assert.deepEqual([changing?.ways, reading?.ways, snapshot?.ways], ['offoffoff', 'ononon', 'ononon']);
    },
  );

  test('that throw are rolled back and not run again', async () => {
    const { db, read } = await counters();
    let attempts = 0;
    const failing = db.transaction(async (tx) => {
      attempts++;
      await bump(tx, 'a');
      throw new Error('on purpose');
    });
    await assert.rejects(failing, /on purpose/);
    assert.deepEqual([attempts, await read()], [1, { a: 0, b: 0 }]);
  });

  test('that break a constraint say so, and are not called unavailable', async () => {
    const { db, read } = await counters();
    await assert.rejects(
      db.transaction((tx) => tx.run(`insert into counters (id, n) values ('a', 1)`)),
      (error) => !(error instanceof DatabaseUnavailable),
    );
    assert.deepEqual(await read(), { a: 0, b: 0 });
  });

  test(
    'whose connection is cut refuse with "unavailable", and the next one gets a new connection',
    onPostgres,
    async () => {
      const { db, read } = await counters();
      const cut = db.transaction(async (tx) => {
        await bump(tx, 'a');
        const { pid } = (await tx.get<{ pid: number }>('select pg_backend_pid() as pid'))!;
        await db.get('select pg_terminate_backend($1::int)', [pid]);
        await bump(tx, 'a');
      });
      await assert.rejects(cut, DatabaseUnavailable);
      assert.deepEqual(await read(), { a: 0, b: 0 });
      await db.transaction((tx) => bump(tx, 'a'));
      assert.deepEqual(await read(), { a: 1, b: 0 });
    },
  );

  test('whose statements travel together keep their order and fail as one, by the first error', async () => {
    const { db, read } = await counters();
    const add = (tx: Queries, id: string, n: number) => tx.run('insert into counters (id, n) values ($1, $2)', [id, n]);
    const seen = await db.transaction(async (tx) => {
      const [, , rows] = await together(bump(tx, 'a'), bump(tx, 'a'), tx.all<{ n: number }>('select n from counters'));
      return rows.map(({ n }) => n).sort();
    });
    assert.deepEqual(seen, [0, 2]);
    for (let i = 0; i < 3; i++)
      await assert.rejects(
        db.transaction((tx) => together(bump(tx, 'a'), add(tx, 'b', 1), bump(tx, 'b'), add(tx, `new ${i}`, 1))),
        /counters|UNIQUE/,
      );
    // Also when the one that waits first is one that was only refused because of it.
    const refused = db.transaction(async (tx) => {
      const broken = add(tx, 'b', 1);
      broken.catch(() => undefined);
      await bump(tx, 'a');
      await broken;
    });
    await assert.rejects(refused, /counters|UNIQUE/);
    assert.deepEqual(await read(), { a: 2, b: 0 });
    await db.transaction((tx) => together(add(tx, 'new 0', 5), bump(tx, 'b')));
    assert.deepEqual(await read(), { a: 2, b: 1, 'new 0': 5 });
  });

  test('whose commit travels with the last statements are committed as a whole or not at all', async () => {
    const { db, read } = await counters();
    const all = (tx: Queries, rows: [string, number, number][]) =>
      tx.updateAll('counters', { id: 'text', n: 'bigint' }, { n: 'bigint' }, rows);
    const seen = await db.transaction(async (tx) => {
      await tx.commitWith(bump(tx, 'a'), all(tx, [['b', 0, 5]]), all(tx, []));
      return read();
    });
    assert.deepEqual(seen, engine === 'postgres' ? { a: 1, b: 5 } : { a: 0, b: 0 }, 'on SQLite the commit comes after');

    const refused: [string, (tx: Queries) => Promise<unknown>][] = [
      [
        'a row that is not as it was read',
        (tx) =>
          all(tx, [
            ['a', 1, 2],
            ['b', 0, 6],
          ]),
      ],
      ['a row that is not there', (tx) => all(tx, [['unknown', 0, 1]])],
      ['a broken constraint', (tx) => tx.run(`insert into counters (id, n) values ('a', 1)`)],
      ['what failed before it was sent', async () => assert.fail('on purpose')],
      ['what fails a little later, and was not sent', async () => Promise.resolve().then(() => assert.fail('later'))],
    ];
    for (const [which, statement] of refused) {
      await assert.rejects(
        db.transaction((tx) => tx.commitWith(bump(tx, 'a'), statement(tx), bump(tx, 'b'))),
        (error) => !(error instanceof DatabaseUnavailable),
        which,
      );
      assert.deepEqual(await read(), { a: 1, b: 5 }, which);
    }
  });

  test('take no statement after the commit that was sent', onPostgres, async () => {
    const { db, read } = await counters();
    const late = db.transaction(async (tx) => {
      await tx.commitWith(bump(tx, 'a'));
      await bump(tx, 'b');
    });
    await assert.rejects(late, /after the commit/);
    assert.deepEqual(await read(), { a: 1, b: 0 });
  });

  test('that hide an error do not look committed', onPostgres, async () => {
    const { db, read } = await counters();
    const hiding = db.transaction(async (tx) => {
      await bump(tx, 'a');
      await tx.run(`insert into counters (id, n) values ('a', 1)`).catch(() => undefined);
    });
    await assert.rejects(hiding, /duplicate key/);
    assert.deepEqual(await read(), { a: 0, b: 0 });
  });

  test('that are cut or take too long with statements on their way leave nothing', onPostgres, async () => {
    const { db, read } = await counters();
    const slow = (tx: Queries) => tx.run(`update counters set n = n + 1 where id = 'b' and pg_sleep(60) is not null`);
    const cut = db.transaction(async (tx) => {
      const { pid } = (await tx.get<{ pid: number }>('select pg_backend_pid() as pid'))!;
      const under_way = together(bump(tx, 'a'), slow(tx), bump(tx, 'a'));
      const [ended] = await Promise.allSettled([under_way, db.get('select pg_terminate_backend($1::int)', [pid])]);
      if (ended.status === 'rejected') throw ended.reason;
    });
    await assert.rejects(cut, DatabaseUnavailable);
    const late = db.transaction(async (tx) => {
      await tx.script('set local statement_timeout = 50');
      await together(bump(tx, 'a'), slow(tx), bump(tx, 'a'));
    });
    await assert.rejects(late, DatabaseUnavailable);
    assert.deepEqual(await read(), { a: 0, b: 0 });
    await Promise.all([db.transaction((tx) => bump(tx, 'a')), db.transaction((tx) => bump(tx, 'b'))]);
    assert.deepEqual(await read(), { a: 1, b: 1 });
  });

  test('on a server that is not there are "unavailable"', onPostgres, async () => {
    const nowhere = openPostgres({ url: 'postgres://nobody:nothing@127.0.0.1:1/none' });
    await assert.rejects(nowhere.all('select 1'), DatabaseUnavailable);
    await assert.rejects(
      nowhere.transaction((tx) => tx.all('select 1')),
      DatabaseUnavailable,
    );
    await nowhere.close();
  });

  test('read numbers as numbers and insert rows in the order given', async () => {
    const { db } = await counters();
    await db.insert('counters', { id: 'text', n: 'bigint' }, []);
    await db.insert('counters', { id: 'text', n: 'bigint' }, [
      ['c', 9_007_199_254_740_991],
      ['d\'"\\', -1],
    ]);
    assert.deepEqual(
      (await db.all<{ id: string; n: number }>("select id, n from counters where id > 'b' order by id")).map(
        ({ id, n }) => [id, n],
      ),
      [
        ['c', 9_007_199_254_740_991],
        ['d\'"\\', -1],
      ],
    );
  });

  test('change many rows at once, each to its own values, where they are as they were read', async () => {
    const { db, read } = await counters();
    await db.insert('counters', { id: 'text', n: 'bigint' }, [['c', 2]]);
    const wider = await db.update('counters', { id: 'text', n: 'bigint' }, { n: 'bigint' }, [
      ['a', 0, 7],
      ['b', 1, 8],
      ['c', 2, 9],
      ['unknown', 0, 1],
    ]);
    assert.equal(wider, 2);
    assert.deepEqual(await read(), { a: 7, b: 0, c: 9 });
    assert.equal(await db.update('counters', { id: 'text' }, { n: 'bigint' }, []), 0);

    await db.script('create table words (id text primary key, word text, said text)');
    const columns = { id: 'text', word: 'text', said: 'text' } as const;
    await db.insert('words', columns, [
      ['empty', null, null],
      ['blank', '', null],
    ]);
    const { id, ...rest } = columns;
    const nulls = await db.update('words', { id, word: 'text' }, rest, [
      ['empty', null, 'now', null],
      ['blank', null, 'never', null],
    ]);
    assert.equal(nulls, 1, 'null is only null');
    assert.deepEqual(
      (await db.all<{ word: string }>('select word from words order by id')).map(({ word }) => word),
      ['', 'now'],
    );
  });

  test('find rows by key also where the plan was made for an empty table', onPostgres, async () => {
    const { db } = await fresh();
    await db.script('create table things (id text primary key, n bigint not null) with (autovacuum_enabled = off)');
    const scans = async (tx: Queries) =>
      (await tx.get<{ seq_scan: number }>("select seq_scan from pg_stat_xact_user_tables where relname = 'things'"))!
        .seq_scan;
    /** Returns how often the whole table was read for them. */
    const change = (ids: string[]) =>
      db.transaction(async (tx) => {
        const before = await scans(tx);
        const found = await tx.all(`select n from things where id ${tx.dialect.isAmong('$1')} for update`, [
          JSON.stringify(ids),
        ]);
        const rows = ids.map((id) => [id, 1]);
        assert.equal(await tx.update('things', { id: 'text' }, { n: 'bigint' }, rows), found.length);
        return { found: found.length, scans: (await scans(tx)) - before };
      });
    // PostgreSQL settles on a plan with the sixth use.
    for (let i = 0; i < 10; i++) assert.equal((await change(['7', '8'])).found, 0);
    const rows = Array.from({ length: 20_000 }, (_, i) => [String(i), 0]);
    await db.insert('things', { id: 'text', n: 'bigint' }, rows);
    assert.deepEqual(await change(['7', '8', 'unknown']), { found: 2, scans: 0 });
  });

  test('find rows by a key of two columns, and null beside other values', async () => {
    const { db } = await fresh();
    await db.script('create table parts (whole text, id text, note text, n bigint, primary key (whole, id))');
    const which = { whole: 'text', id: 'text', note: 'text' } as const;
    const rows = Array.from({ length: 5_000 }, (_, i) => ['w', String(i), i === 8 ? 'noted' : null, 0]);
    await db.insert('parts', { ...which, n: 'bigint' }, rows);
    const [changed, read] = await db.transaction(async (tx) => {
      const done = await tx.update('parts', which, { n: 'bigint' }, [
        ['w', '7', null, 1],
        ['w', '8', 'noted', 2],
        ['w', '9', 'noted', 3],
      ]);
      await tx.updateAll('parts', which, { n: 'bigint' }, [['w', '10', null, 4]]);
      if (db.engine === 'sqlite') return [done, 0];
      const { fetched } = (await tx.get<{ fetched: number }>(
        "select idx_tup_fetch as fetched from pg_stat_xact_user_tables where relname = 'parts'",
      ))!;
      return [done, fetched];
    });
    assert.equal(changed, 2);
    assert.ok(read < 10, `${read} rows were read`);
    assert.deepEqual(
      (await db.all<{ id: string }>('select id from parts where n > 0 order by n')).map(({ id }) => id),
      ['7', '8', '10'],
    );
  });

  test('give the same row to one of those who skip what is locked', onPostgres, async () => {
    const { db } = await counters();
    const take = (tx: Queries) =>
      tx.get<{ id: string }>(`select id from counters order by id limit 1 ${tx.dialect.forUpdateSkipLocked}`);
    const taken = await db.transaction(async (one) => [await take(one), await db.transaction((other) => take(other))]);
    assert.deepEqual(
      taken.map((row) => row?.id),
      ['a', 'b'],
    );
  });
});
