/** What people look at while it happens: a job's log and state, and that something changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from '../../../test/kit/events.ts';
import { assertProblem, eachRouter, until } from './kit/running.ts';

const MOST_STREAMS = 256;
/** Without a notification a stream reads every two seconds: then none of many chunks, one after the other, comes sooner. */
const LOOKED_MS = 1_500;
/** Changes are gathered for 150 ms; timers may be a little early. */
const GATHERED_MS = 140;

eachRouter('a job followed live', (start, engine) => {
  test('sends its log from the beginning, each new chunk at once, each change of the job, and ends with it', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id } = await router.job();
    const { lease_token } = await worker.lease();
    await worker.tell(`jobs/${id}/accept`, { lease_token });
    const log = (sequence: number) =>
      worker.tell(`jobs/${id}/logs`, { lease_token, sequence, lines: [`line ${sequence}`, '€\n\ndata: no event'] });
    for (let i = 0; i < 230; i++) await log(i);
    const reader = await readEvents(`${router.url}/jobs/${id}/logs`);
    assert.equal(reader.status, 200);
    assert.match(reader.headers.get('content-type') ?? '', /^text\/event-stream/);
    const { events } = reader;
    await until('the stored log came', () => events.length === 231);
    assert.deepEqual([events[230]!.event, events[230]!.data], ['job', await router.get(`/jobs/${id}`)]);

    const delays: number[] = [];
    for (let i = 230; i < 245; i++) {
      const sent = performance.now();
      await log(i);
      await until('the next chunk came', () => events.length > i + 1);
      delays.push(events.at(-1)!.at - sent);
    }
    assert.ok(Math.min(...delays) < LOOKED_MS, `chunks took ${delays} ms`);
    await worker.tell(`jobs/${id}/complete`, { lease_token });
    assert.equal(await reader.ended, true);
    const stored = [
      ...(await router.get(`/jobs/${id}/logs?limit=200`)),
      ...(await router.get(`/jobs/${id}/logs?limit=200&after=${events[199]!.id}`)),
    ];
    const logs = events.filter(({ event }) => event === 'log');
    assert.deepEqual(
      logs.map(({ data }) => data),
      stored,
    );
    assert.ok(logs.every(({ id, data }) => id === data.id));
    assert.deepEqual([events.at(-1)!.event, events.at(-1)!.data.status], ['job', 'completed']);
    const states = events.filter(({ event }) => event === 'job').map(({ data }) => data.status);
    assert.deepEqual(states, ['running', 'completed']);

    // A reader that lost the connection goes on where it was, and a job that is over is told at once.
    const again = await readEvents(`${router.url}/jobs/${id}/logs?after=${logs[3]!.id}`, {
      'last-event-id': logs[243]!.id!,
    });
    assert.equal(await again.ended, true);
    assert.deepEqual(
      again.events.map(({ event, id }) => [event, id]),
      [
        ['log', logs[244]!.id],
        ['job', undefined],
      ],
    );
  });

  test('is told of changes that were made through another process', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const router = await start();
    const other = await start({ database: { db: router.db, url: router.database_url }, clock: router.clock });
    const worker = await other.worker();
    const { id } = await router.job();
    const reader = await readEvents(`${router.url}/jobs/${id}/logs`);
    const news = await readEvents(`${router.url}/admin/news`);
    t.after(() => news.stop());
    const { lease_token } = await worker.lease();
    await worker.tell(`jobs/${id}/accept`, { lease_token });
    await until('word of the change came', () => reader.events.some(({ data }) => data.status === 'running'));
    const delays: number[] = [];
    for (let i = 0; i < 20; i++) {
      const sent = performance.now();
      await worker.tell(`jobs/${id}/logs`, { lease_token, sequence: i, message: `line ${i}` });
      await until('the chunk came', () => reader.events.some(({ data }) => data.sequence === i));
      delays.push(performance.now() - sent);
    }
    assert.ok(Math.min(...delays) < LOOKED_MS, `by the notification, not by looking now and then: ${delays} ms`);
    await worker.tell(`jobs/${id}/fail`, { lease_token, message: 'm' });
    assert.equal(await reader.ended, true);
    assert.equal(reader.events.at(-1)!.data.status, 'failed');
    await until('the news came too', () => news.events.some(({ data }) => data.jobs?.includes(id)));
  });

  test('that does not exist is refused; streams are bounded in number, and a stop ends them at once', async () => {
    const router = await start({ doomed: true });
    assertProblem(
      await router.call('GET', '/jobs/job_1/logs', { headers: { accept: 'text/event-stream' } }),
      404,
      'not_found',
    );
    const { id } = await router.job();
    const readers = await Promise.all(
      Array.from({ length: MOST_STREAMS }, () => readEvents(`${router.url}/jobs/${id}/logs`)),
    );
    const over = await router.call('GET', '/admin/news');
    assertProblem(over, 503, 'overloaded');
    readers[0]!.stop();
    await until('its place is free', async () => {
      const next = await readEvents(`${router.url}/admin/news`);
      if (next.status === 200) readers.push(next);
      return next.status === 200;
    });
    await router.close();
    assert.deepEqual(new Set(await Promise.all(readers.slice(1).map(({ ended }) => ended))), new Set([true]));
  });
});

eachRouter('the news', (start) => {
  test('name the jobs that changed or logged, gathered, and say when a worker did', async (t) => {
    const router = await start();
    const began = performance.now();
    const reader = await readEvents(`${router.url}/admin/news`);
    t.after(() => reader.stop());
    const { events } = reader;
    const named = () => new Set(events.flatMap(({ data }) => data.jobs));
    const ids = await Promise.all(Array.from({ length: 40 }, async () => (await router.job()).id as string));
    await until('all new jobs were named', () => ids.every((id) => named().has(id)));
    const took = performance.now() - began;
    assert.ok(events.length <= took / GATHERED_MS, `${events.length} events in ${took} ms`);
    assert.ok(events.every(({ event, data }) => event === 'changed' && data.workers === false));

    events.length = 0;
    const worker = await router.worker();
    await until('the new worker was told', () => events.some(({ data }) => data.workers));
    events.length = 0;
    const { lease_token, job } = await worker.lease();
    await until('the lease was told', () => named().has(job.id));
    events.length = 0;
    await worker.tell(`jobs/${job.id}/logs`, { lease_token, message: 'line' });
    await until('the log was told', () => named().has(job.id));
    events.length = 0;
    await worker.tell('heartbeat', { status: 'busy', current_jobs: 1, leases: [{ job_id: job.id, lease_token }] });
    await until('the busy worker was told', () => events.some(({ data }) => data.workers));
    assert.ok(!named().has(job.id), 'a renewal is no change');
    const many = await Promise.all(Array.from({ length: 150 }, () => router.job()));
    await until(
      'many are not named one by one',
      () => events.some(({ data }) => data.jobs === null) || many.every(({ id }) => named().has(id)),
    );
  });
});
