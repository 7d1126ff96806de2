/** What workers may have stored of logs and events: so much per job, so much per member, counted where all processes see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, eachRouter, type TestRouter } from '../kit/running.ts';

const JOB = 1_000;
const MEMBER = 2_500;
const environment = { ROUTER_JOB_LOG_BYTES: String(JOB), ROUTER_MEMBER_LOG_BYTES: String(MEMBER) };
/** Stored as `["…"]`: four bytes more than its letters. */
const lineOf = (bytes: number) => 'x'.repeat(bytes - 4);

async function runningJob(router: Pick<TestRouter, 'worker' | 'job'>, change = {}) {
  const worker = await router.worker();
  const { id } = await router.job(change);
  const { lease_token } = await worker.lease();
  await worker.tell(`jobs/${id}/accept`, { lease_token });
  const ask = (path: string, body: object) => worker.ask(`jobs/${id}/${path}`, { lease_token, ...body });
  const log = (bytes: number, sequence?: number) => ask('logs', { lines: [lineOf(bytes)], sequence });
  return { id: id as string, ask, log };
}

eachRouter('the quota of logs', (start, engine, fresh) => {
  test('is counted by the byte; a job beyond it goes on, and says that its log was cut', async () => {
    const router = await start({ environment });
    const member_id = await router.member();
    const { id, ask, log } = await runningJob(router, { member_id });
    assert.equal((await log(600, 0)).status, 200);
    assert.equal((await log(600, 0)).status, 200, 'the same chunk again costs nothing');
    assert.equal((await log(400, 1)).status, 200, 'to the last byte');
    assert.equal((await router.get(`/jobs/${id}`)).log_cut_at, null);
    assertProblem(await log(5, 2), 409, 'log_quota');
    assertProblem(await log(5, 3), 409, 'log_quota');
    assertProblem(await ask('status', { event_type: 'epoch', message: 'one' }), 409, 'log_quota');
    assert.equal((await log(400, 1)).status, 200, 'what came before is answered as before');

    const job = await router.get(`/jobs/${id}`);
    assert.deepEqual([job.status, job.log_bytes, job.log_cut_at], ['running', JOB, '2026-05-29T20:00:00.000+00:00']);
    assert.deepEqual(await router.get(`/members/${member_id}/logs`), {
      member_id,
      log_bytes: JOB,
      log_bytes_limit: MEMBER,
      job_log_bytes_limit: JOB,
    });
    const events = (await router.get(`/jobs/${id}/events`)).map(({ event_type }: { event_type: string }) => event_type);
    assert.deepEqual(events, ['created', 'leased', 'accepted', 'log_cut'], 'said once');
    assert.equal((await ask('artifacts', { artifact_type: 'log', name: 'l', uri: 'file:///l' })).status, 200);
    assert.equal((await ask('complete', {})).json.status, 'completed');
  });

  test('has no holes: what would still have fitted is not taken after what did not', async () => {
    const router = await start({ environment });
    const { id, log } = await runningJob(router);
    await log(600);
    assertProblem(await log(500), 409, 'log_quota');
    assertProblem(await log(10), 409, 'log_quota');
    assert.equal((await router.get(`/jobs/${id}`)).log_bytes, 600);
  });

  test('of a member holds over all jobs, and for no other member', async () => {
    const router = await start({ environment });
    const mine = [await runningJob(router), await runningJob(router), await runningJob(router)];
    const other = await runningJob(router, { member_id: await router.member() });
    for (const { log } of mine.slice(0, 2)) assert.equal((await log(JOB)).status, 200);
    assertProblem(await mine[2]!.log(501), 409, 'log_quota');
    assert.equal((await other.log(JOB)).status, 200);
    assert.ok((await router.get(`/jobs/${mine[2]!.id}`)).log_cut_at);
  });

  test('counts events of a worker by message and payload, and none of the router’s own', async () => {
    const router = await start({ environment });
    const { id, ask } = await runningJob(router);
    await ask('status', { event_type: 'epoch', message: 'äx', payload: { a: 1 } });
    assert.equal((await router.get(`/jobs/${id}`)).log_bytes, Buffer.byteLength('["äx",{"a":1}]'));
  });

  test('is exact however many send at once, to two processes: each chunk once, and not a byte too much', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const database = await fresh();
    // Each with a receipts folder of its own, so neither has all receipts to verify.
    const first = await start({ environment, database, doomed: true });
    const second = await start({ environment, database, doomed: true, clock: first.clock });
    const member_id = await first.member();
    const [worker, jobs] = [await first.worker(), [] as { id: string; lease_token: string }[]];
    for (let i = 0; i < 4; i++) {
      await first.job({ member_id });
      const { job, lease_token } = await worker.lease();
      jobs.push({ id: job.id, lease_token });
    }
    const send = (at: TestRouter, { id, lease_token }: { id: string; lease_token: string }, sequence: number) =>
      at.call('POST', `/workers/jobs/${id}/logs`, {
        token: worker.token,
        body: { lease_token, lines: [lineOf(100)], sequence },
      });
    const chunks = jobs.flatMap((job) => Array.from({ length: 8 }, (_, sequence) => ({ job, sequence })));
    const answers = await Promise.all(
      chunks.flatMap(({ job, sequence }) => [send(first, job, sequence), send(second, job, sequence)]),
    );
    assert.ok(answers.every(({ status, json }) => status === 200 || json.code === 'log_quota'));
    const stored = (await Promise.all(jobs.map(({ id }) => first.get(`/jobs/${id}/logs`)))).map(({ length }) => length);
    const counted = (await Promise.all(jobs.map(({ id }) => second.get(`/jobs/${id}`)))).map(
      ({ log_bytes }) => log_bytes,
    );
    assert.deepEqual(
      counted,
      stored.map((count: number) => count * 100),
      'what is counted is what is stored',
    );
    const { log_bytes } = await second.get(`/members/${member_id}/logs`);
    assert.equal(log_bytes, stored.reduce((sum: number, count: number) => sum + count) * 100);
    assert.equal(log_bytes, MEMBER, 'all of it is used, and nothing beyond');
  });
});
