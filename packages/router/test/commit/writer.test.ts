/** The one ordered writer, when the disk or the database fails under it (writer.ts tells the order of things). */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { DEFAULT_PRICES, priceTable } from '@rcpt/contract/prices.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { DatabaseUnavailable } from '@rcpt/service/error.ts';
import { eachEngine } from '../../../../test/kit/engines.ts';
import type { Command } from '../../src/commit/command.ts';
import type { Granted } from '../../src/commit/lease.ts';
import { createWriter } from '../../src/commit/writer.ts';
import { cancel } from '../../src/domain/by-hand.ts';
import type { Job } from '../../src/domain/job.ts';
import { queuesOf } from '../../src/domain/queue.ts';
import { newJob } from '../../src/jobs.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { openReceiptsFolder, type ReceiptsFolder } from '../../src/receipts/folder.ts';
import { verifyReceipts } from '../../src/receipts/verify.ts';
import { listEvents } from '../../src/store/job-events.ts';
import { findJob } from '../../src/store/jobs.ts';
import { insertWorker, type StoredWorker } from '../../src/store/workers.ts';
import { receiptsIn } from '../kit/records.ts';
import { START, temporaryFolder } from '../kit/running.ts';

const PRICES = priceTable(DEFAULT_PRICES);
const SKU = 'rog_astral_5090_32gb';
const JOB_TYPE = 'inference';
/** What rides with the next commit waits a quarter of a second for it. */
const RIDE_MS = 200;

const WORKER: StoredWorker = {
  id: 'worker_1',
  node_id: 'rig-1',
  name: 'rig one',
  hostname: 'rig-1.local',
  endpoint_url: null,
  status: 'online',
  desired: 'run',
  capabilities: {},
  tags: [],
  version: null,
  current_jobs: 0,
  metrics: {},
  heartbeat_interval_seconds: 30,
  last_heartbeat_at: null,
  revoked_at: null,
  created_at: '2026-05-29T20:00:00.000+00:00',
};

/** A command that leaves one receipt, named by its member. */
const command = (name: string): Command<string> => ({
  kind: 'store',
  run: async (_, batch) =>
    batch.add({
      receipt_type: 'membership',
      member_id: name,
      job_id: null,
      dataset_ids: [],
      amount_cents: 10_000,
      metadata: {},
    }),
});

/** A command that fails unexpectedly. */
const wrong: Command<never> = {
  kind: 'store',
  run: async () => {
    throw new Error('unforeseen');
  },
};

eachEngine('the writer', MIGRATIONS, (fresh) => {
  async function opened(change: {
    db?: (db: Db) => Partial<Db>;
    folder?: (folder: ReceiptsFolder) => Partial<ReceiptsFolder>;
  }) {
    const { db } = await fresh();
    await insertWorker(db, WORKER, 'a'.repeat(64));
    const path = temporaryFolder();
    const folder = openReceiptsFolder(path);
    const writer = createWriter({
      db: { ...db, ...change.db?.(db) },
      folder: { ...folder, ...change.folder?.(folder) },
      now: () => START,
      queue_limit: 5,
      lease_seconds: 600,
      log_quota: { job_bytes: 1_000_000, member_bytes: 1_000_000 },
      notifier_id: 'desk',
      onChanges: () => undefined,
    });
    return {
      writer,
      db,
      names: () => receiptsIn(path).map(({ member_id }) => member_id),
      async end() {
        await writer.close();
        const report = await verifyReceipts(db, folder);
        assert.deepEqual(report.violations, []);
        assert.deepEqual(await db.all('select id from receipt_batches where appended = 0'), []);
        folder.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  }

  test('answers in order, and a command that fails unexpectedly does not fail its neighbours', async () => {
    const { writer, names, end } = await opened({});
    const results = await Promise.allSettled([
      writer.execute(command('a')),
      writer.execute(command('b')),
      writer.execute(wrong),
      writer.execute(command('c')),
      writer.execute(command('d')),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(names(), ['a', 'b', 'c', 'd']);
    await end();
  });

  test('lets heartbeats that tell nothing new ride with the next commit, or share one of their own', async () => {
    let commits = 0;
    const { writer, names, end } = await opened({
      db: (db) => ({
        transaction: (work) => {
          commits++;
          return db.transaction(work);
        },
      }),
    });
    const beat = (changes_worker: boolean): Command<string> => ({
      kind: 'heartbeat',
      worker_id: 'worker_1',
      beat: (at) => ({
        id: 'worker_1',
        said: { status: 'online', current_jobs: 0, metrics: '{}' },
        capabilities: null,
        at,
      }),
      changes_worker,
      declares: false,
      job_ids: [],
      perform: () => 'heard',
    });
    const lap = () => new Promise((resolve) => setImmediate(resolve));
    /** The commits it takes to answer all, when they came before the first had waited long enough. */
    const commitsOf = async (come: () => Promise<Promise<string>[]>): Promise<number> => {
      for (;;) {
        const before = commits;
        const began = performance.now();
        const answers = await come();
        const in_time = performance.now() - began < RIDE_MS;
        await Promise.all(answers);
        if (in_time) return commits - before;
      }
    };
    let told = 0;
    const riding = await commitsOf(async () => {
      const answers = [writer.execute(beat(false))];
      await lap();
      answers.push(writer.execute(beat(false)));
      await lap();
      told++;
      return [...answers, writer.execute(command('a'))];
    });
    assert.deepEqual([riding, names().length], [1, told]);
    assert.equal(
      await commitsOf(async () => [writer.execute(beat(true))]),
      1,
      'one that tells something new goes at once',
    );
    const alone = await commitsOf(async () => {
      const first = writer.execute(beat(false));
      await lap();
      return [first, writer.execute(beat(false))];
    });
    assert.equal(alone, 1);
    const last = writer.execute(beat(false));
    await end();
    assert.equal(await last, 'heard', 'closing does not wait for the quarter of a second');
  });

  test('leases new jobs with the commit that creates them, in their place among the stored ones', async () => {
    const { writer, db, end } = await opened({});
    const job = (priority: number) =>
      newJob({ member_id: 'mem_1', job_type: JOB_TYPE, requested_gpu_sku: SKU, estimated_hours: 1, priority }, PRICES);
    const lease = (max_jobs: number): Command<Granted> => ({
      kind: 'lease',
      worker_id: 'worker_1',
      node_id: 'rig-1',
      queues: queuesOf([SKU], [JOB_TYPE]),
      max_jobs,
      wanted: () => true,
    });
    const withdrawn = (job_id: string): Command<string> => ({
      kind: 'job',
      job_id,
      perform: (before, record, clock) => {
        record.effect(cancel(before, clock));
        return 'canceled';
      },
    });
    const idsOf = ({ leases }: Granted) => leases.map((one) => one.job.id);
    const create = (priority: number) => writer.execute(job(priority)) as unknown as Promise<Job>;

    const [old, older] = await Promise.all([create(0), create(0)]);
    const [low, high, granted] = await Promise.all([create(0), create(7), writer.execute(lease(3))]);
    assert.deepEqual(idsOf(granted), [high.id, ...[old.id, older.id].sort()]);
    // A job that leaves the queue in the same commit is not leased, nor does it hide the new one.
    const [, fresh, rest] = await Promise.all([writer.execute(withdrawn(low.id)), create(0), writer.execute(lease(2))]);
    assert.deepEqual(idsOf(rest), [fresh.id]);
    assert.deepEqual(idsOf(await writer.execute(lease(1))), []);

    const ids = [old, older, low, high, fresh].map(({ id }) => id);
    const stored = await Promise.all(ids.map((id) => findJob(db, id)));
    assert.deepEqual(
      stored.map((one) => [one?.status, one?.attempt]),
      [
        ['leased', 1],
        ['leased', 1],
        ['canceled', 0],
        ['leased', 1],
        ['leased', 1],
      ],
    );
    const events = await Promise.all(ids.map((id) => listEvents(db, id, '', 10)));
    const types = events.map((of_one) => of_one.map(({ event_type }) => event_type).join());
    assert.deepEqual(types, [
      'created,leased',
      'created,leased',
      'created,canceled',
      'created,leased',
      'created,leased',
    ]);
    await end();
  });

  test('refuses what is more than its queue holds, and does what it took', async () => {
    const { writer, names, end } = await opened({});
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, i) => writer.execute(command(`m${i}`))));
    const taken = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [`m${i}`] : []));
    assert.ok(taken.length >= 5 && taken.length < 40);
    for (const result of results) if (result.status === 'rejected') assert.equal(result.reason.code, 'overloaded');
    assert.deepEqual(names(), taken);
    await end();
  });

  test('a disk that refuses for a while: nothing is answered, nothing is lost, every line comes once and in order', async () => {
    let refusals = 3;
    const { writer, names, end } = await opened({
      folder: (folder) => ({
        async append(date, lines) {
          if (refusals-- > 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
          await folder.append(date, lines);
        },
      }),
    });
    const answered: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      await writer.execute(command(name)).then(
        () => answered.push(name),
        (error) => assert.equal(error.code, 'database_unavailable'),
      );
    const kept = names();
    assert.ok(answered.length >= 3, String(answered));
    assert.deepEqual(kept, [...kept].sort());
    assert.deepEqual(kept.slice(-answered.length), answered);
    await end();
  });

  test('a commit whose answer was lost is found again: its receipts are in the file before those of the next', async () => {
    let lost = 0;
    const { writer, names, end } = await opened({
      db: (db) => ({
        async transaction(work) {
          const answer = await db.transaction(work);
          if (lost++ === 1) throw new DatabaseUnavailable(new Error('Connection terminated unexpectedly'));
          return answer;
        },
      }),
    });
    await writer.execute(command('a'));
    await assert.rejects(writer.execute(command('b')), { code: 'database_unavailable' });
    await writer.execute(command('c'));
    assert.deepEqual(names(), ['a', 'b', 'c']);
    await end();
  });
});
