/** Turns between organizations, and threads that can be ended. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../../test/kit/until.ts';
import { createPool, type Pool, type PoolSettings } from '../../src/threads/pool.ts';
import { createTurns } from '../../src/turns/turns.ts';
import type { JOBS } from '../threads/turns-thread.ts';

const LIMITS = { at_once: 1, each: 1, waiting_each: 3, waiting: 5, what: 'things' };
const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

test('an organization with many callers has one turn after each turn of another', async () => {
  const turns = createTurns(LIMITS);
  const order: string[] = [];
  const worked = async (whose: string, call: string) => {
    const giveBack = await turns.take(whose);
    order.push(call);
    await new Promise(setImmediate);
    giveBack();
  };
  await Promise.all([worked('a', 'a1'), worked('a', 'a2'), worked('a', 'a3'), worked('a', 'a4'), worked('b', 'b1')]);
  assert.deepEqual(order, ['a1', 'a2', 'b1', 'a3', 'a4']);
});

test('one organization leaves a turn to the others while its own callers wait', async () => {
  const turns = createTurns({ ...LIMITS, at_once: 2 });
  const first = await turns.take('a');
  let second = false;
  const waiting = turns.take('a').then((giveBack) => {
    second = true;
    return giveBack;
  });
  const other = await turns.take('b');
  assert.equal(second, false);
  first();
  first();
  (await waiting)();
  other();
});

test('too many callers of one organization are told to wait, too many in all that it is busy', async () => {
  const turns = createTurns(LIMITS);
  const giveBack = await turns.take('a');
  const waiting = ['a', 'a', 'a', 'b', 'c'].map((whose) => turns.take(whose).then((done) => done()));
  await assert.rejects(turns.take('a'), code('rate_limited'));
  await assert.rejects(turns.take('d'), code('overloaded'));
  giveBack();
  await Promise.all(waiting);
  (await turns.take('d'))();
});

test('a caller that goes leaves the line, and its turn is nobody’s', async () => {
  const turns = createTurns(LIMITS);
  const giveBack = await turns.take('a');
  const gone = new AbortController();
  const waiting = turns.take('a', gone.signal);
  gone.abort();
  await assert.rejects(waiting, code('request_timeout'));
  await assert.rejects(turns.take('a', gone.signal), code('request_timeout'));
  giveBack();
  (await turns.take('b'))();
});

const open = (
  t: test.TestContext,
  timeout_ms = 2_000,
  settings: Partial<PoolSettings> = {},
): { pool: Pool<typeof JOBS>; faults: string[] } => {
  const faults: string[] = [];
  const pool = createPool<typeof JOBS>(new URL('../threads/turns-thread.ts', import.meta.url), {
    ...LIMITS,
    threads: 2,
    timeout_ms,
    ...settings,
    onFault: (error) => faults.push(error.message),
  });
  t.after(() => pool.close());
  return { pool, faults };
};

test('a thread answers, refuses by code, and fails by its message', async (t) => {
  const { pool, faults } = open(t);
  assert.equal(await pool.run('double', 'a', 21), 42);
  await assert.rejects(pool.run('refuse', 'a', 'flight_sheet_invalid'), (error) => {
    assert.deepEqual((error as { members?: unknown }).members, { at: 7 });
    return code('flight_sheet_invalid')(error);
  });
  await assert.rejects(pool.run('fail', 'a', null), /of its own/);
  assert.deepEqual(faults, []);
});

test('a job that never ends takes its thread with it; another organization has its answer meanwhile', async (t) => {
  const { pool, faults } = open(t, 300);
  const stuck = assert.rejects(pool.run('never', 'a', null), code('overloaded'));
  assert.equal(await pool.run('double', 'b', 2), 4);
  await stuck;
  assert.match(faults.join(), /never.* took longer than 300 ms/);
  assert.equal(await pool.run('double', 'a', 3), 6);
});

test('a job that fills its memory ends its thread, not the process', async (t) => {
  const { pool, faults } = open(t, 60_000);
  await assert.rejects(pool.run('fill', 'a', null), code('overloaded'));
  assert.match(faults.join(), /memory/);
  assert.equal(await pool.run('double', 'a', 3), 6);
});

test('a job that tells how far it is may take long, and no longer without a word', async (t) => {
  const { pool, faults } = open(t, 1_000);
  const told: number[] = [];
  await pool.run('steps', 'a', 8, { progress: (step) => told.push(step) });
  assert.deepEqual([told, faults], [[1, 2, 3, 4, 5, 6, 7, 8], []]);
  await assert.rejects(pool.run('endless', 'a', null, { progress: () => undefined }), code('overloaded'));
  assert.match(faults.join(), /endless.* took longer than 1000 ms/);
});

test('a job ends when its caller goes: that is no fault, and the next one has its turn', async (t) => {
  const { pool, faults } = open(t, 60_000);
  const gone = new AbortController();
  const left = pool.run('endless', 'a', null, { signal: gone.signal, progress: () => gone.abort() });
  const next = pool.run('double', 'a', 4);
  await assert.rejects(left, code('request_timeout'));
  assert.equal(await next, 8);
  const early = new AbortController();
  const waits = pool.run('double', 'b', 4, { signal: early.signal });
  early.abort();
  await assert.rejects(waits, code('request_timeout'));
  assert.deepEqual(faults, []);
});

test('a thread with nothing to do is ended where that is wanted, and kept elsewhere', async (t) => {
  const [kept, ended] = [open(t), open(t, 2_000, { idle_ms: 150 })];
  const threads: number[] = [];
  for (const { pool } of [kept, ended]) {
    threads.push(await pool.run('thread', 'a', null));
    assert.equal(await pool.run('thread', 'a', null), threads.at(-1));
  }
  await until('another thread answers', async () => {
    await sleep(300);
    return (await ended.pool.run('thread', 'a', null)) !== threads[1];
  });
  assert.equal(await kept.pool.run('thread', 'a', null), threads[0]);
  assert.deepEqual([...kept.faults, ...ended.faults], []);
});

test('beside the first thread a second is started before it is needed, but not where idle ones are ended', async (t) => {
  const started: number[] = [];
  const count = ({ threadId }: { threadId: number }) => started.push(threadId);
  process.on('worker', count);
  t.after(() => process.off('worker', count));
  const kept = open(t, 2_000, { threads: 2 });
  await Promise.all([kept.pool.run('double', 'a', 1), kept.pool.run('double', 'a', 2)]);
  assert.equal(started.length, 2);
  // Both are busy: there are no more.
  await Promise.all([kept.pool.run('double', 'a', 1), kept.pool.run('double', 'b', 2)]);
  assert.equal(started.length, 2);
  await open(t, 2_000, { threads: 2, idle_ms: 60_000 }).pool.run('double', 'a', 1);
  assert.equal(started.length, 3);
});

test('a closing pool finishes what it took and takes no more', async (t) => {
  const { pool } = open(t);
  const last = [pool.run('double', 'a', 1), pool.run('double', 'a', 2)];
  const closing = pool.close();
  await assert.rejects(pool.run('double', 'a', 3), code('overloaded'));
  assert.deepEqual(await Promise.all(last), [2, 4]);
  await closing;
});

test('a thread gives way to the event loop where the system tells threads apart', async (t) => {
  if (process.platform !== 'linux') return t.skip('threads have no priority of their own here');
  const { pool } = open(t);
  assert.equal(await pool.run('niceness', 'a', null), 5);
});
