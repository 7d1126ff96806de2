/** Long polls (docs/spec.md §21: wait_seconds): which call is woken, when, and by what. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { CHEAP_SKU, eachRouter, SKU, type TestRouter, type TestWorker, until } from './kit/running.ts';

/** Far above what a wake-up takes, far below what a wait takes. */
const AT_ONCE_MS = 15_000;
const WAIT_SECONDS = 30;

interface Waits {
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  answer: Promise<any>;
  isOver(): boolean;
}

/** A held call that has reached the router: another call of the same worker, sent later, was answered. */
async function held(router: TestRouter, worker: TestWorker, path: string, body: object): Promise<Waits> {
  let over = false;
  const answer = worker.tell(path, { wait_seconds: WAIT_SECONDS, ...body }).finally(() => {
    over = true;
  });
  answer.catch(() => undefined);
  for (let i = 0; i < 3; i++) await worker.tell('heartbeat', { status: 'online' });
  await router.get('/health');
  return { answer, isOver: () => over };
}

const ALL = { supported_job_types: ['inference', 'fine_tune'], supported_gpu_skus: [SKU] };

async function soon<T>(what: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not at once: ${what}`)), AT_ONCE_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

eachRouter('a held call', (start, engine, fresh) => {
  test('for a job is answered as soon as one that matches is created, not by another', async () => {
    const router = await start();
    const worker = await router.worker();
    const waits = await held(router, worker, 'jobs/lease', ALL);
    await router.job({ requested_gpu_sku: CHEAP_SKU });
    await router.job({ job_type: 'eval' });
    for (let i = 0; i < 5; i++) await worker.tell('heartbeat', { status: 'online' });
    assert.equal(waits.isOver(), false);
    const { id } = await router.job({ job_type: 'fine_tune' });
    const { job, message } = await soon('the lease', waits.answer);
    assert.deepEqual([job.id, message], [id, 'leased']);
  });

  test('for a job is answered when a lease runs out', async () => {
    const router = await start();
    const [late, next] = [await router.worker(), await router.worker()];
    const { id } = await router.job();
    await late.lease();
    const waits = await held(router, next, 'jobs/lease', ALL);
    router.clock.advance(600);
    // The sweep comes every second.
    const { job } = await soon('the lease after the sweep', waits.answer);
    assert.deepEqual([job.id, job.attempt], [id, 2]);
  });

  test('for a job is answered no_matching_jobs when the time is over', async () => {
    const router = await start();
    const worker = await router.worker();
    const before = performance.now();
    const answer = await worker.lease({ wait_seconds: 0.3 });
    assert.deepEqual([answer.message, answer.leases], ['no_matching_jobs', []]);
    assert.ok(performance.now() - before >= 290);
  });

  test('of every one of many workers gets one of as many jobs', async () => {
    const router = await start();
    const workers = await Promise.all(Array.from({ length: 8 }, () => router.worker()));
    const waits = await Promise.all(workers.map((worker) => held(router, worker, 'jobs/lease', ALL)));
    const ids = await Promise.all(workers.map(async () => (await router.job()).id as string));
    const leased = await soon('all leases', Promise.all(waits.map(({ answer }) => answer)));
    assert.deepEqual(leased.map(({ job }) => job.id as string).sort(), ids.sort());
  });

  test('of a worker that is told to drain is answered at once; resumed, it is leased to again', async () => {
    const router = await start();
    const worker = await router.worker();
    const [lease, beat] = [
      await held(router, worker, 'jobs/lease', ALL),
      await held(router, worker, 'heartbeat', { status: 'online' }),
    ];
    const drained = await router.post(`/admin/workers/${worker.worker_id}/drain`);
    assert.deepEqual([drained.status, drained.desired], ['draining', 'drain']);
    assert.equal((await soon('the lease call', lease.answer)).job, null);
    assert.equal((await soon('the heartbeat', beat.answer)).desired, 'drain');
    const { id } = await router.job();
    assert.equal((await soon('a lease while draining', worker.lease({ wait_seconds: WAIT_SECONDS }))).job, null);
    assert.equal((await router.get(`/jobs/${id}`)).waiting_for, 'no_worker_for_sku');
    const knows = await held(router, worker, 'heartbeat', { status: 'draining' });
    assert.equal(knows.isOver(), false, 'a worker that knows of the order is not asked to ask again and again');
    const resumed = await router.post(`/admin/workers/${worker.worker_id}/resume`);
    assert.equal(resumed.desired, 'run');
    assert.equal((await soon('the heartbeat of the resumed', knows.answer)).desired, 'run');
    assert.equal((await worker.lease()).job.id, id);
  });

  test('that is a heartbeat hears at once that a job was canceled, and of nothing else', async () => {
    const router = await start();
    const [worker, other] = [await router.worker(), await router.worker()];
    const jobs = [await router.job(), await router.job(), await router.job()];
    const { leases } = await worker.lease({ max_jobs: 2 });
    await other.lease();
    const listed = leases.map(({ job, lease_token }: Record<string, { id: string }>) => ({
      job_id: job!.id,
      lease_token,
    }));
    const beat = await held(router, worker, 'heartbeat', { status: 'busy', leases: listed });
    await router.post(`/jobs/${jobs[2].id}/cancel`);
    for (let i = 0; i < 5; i++) await other.tell('heartbeat', { status: 'online' });
    assert.equal(beat.isOver(), false);
    await router.post(`/jobs/${jobs[1].id}/cancel`);
    const { leases: states } = await soon('the cancel', beat.answer);
    assert.deepEqual(
      states.map(({ job_id, state }: Record<string, string>) => [job_id, state]),
      [
        [jobs[0].id, 'active'],
        [jobs[1].id, 'canceled'],
      ],
    );
  });

  test('whose caller has hung up is leased nothing, and the job goes to the next', async () => {
    const router = await start();
    const [gone, next] = [await router.worker(), await router.worker()];
    const { hostname, port } = new URL(router.url);
    const body = JSON.stringify({ ...ALL, wait_seconds: WAIT_SECONDS });
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `POST /workers/jobs/lease HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gone.token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    for (let i = 0; i < 5; i++) await gone.tell('heartbeat', { status: 'online' });
    const waits = await held(router, next, 'jobs/lease', ALL);
    await new Promise<void>((closed) => socket.once('close', () => closed()).destroy());
    await next.tell('heartbeat', { status: 'online' });
    const { id } = await router.job();
    assert.equal((await soon('the lease', waits.answer)).job.id, id);
    assert.equal((await router.get(`/jobs/${id}`)).attempt, 1);
  });

  test('many times on one connection leaves nothing behind on it', async (t) => {
    const router = await start();
    const worker = await router.worker();
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(warning.message);
    process.on('warning', hear);
    t.after(() => process.off('warning', hear));
    for (let i = 0; i < 25; i++) {
      await worker.lease({ wait_seconds: 0.001 });
      await worker.tell('heartbeat', { status: 'online', wait_seconds: 0.001 });
    }
    assert.deepEqual(warnings, []);
  });

  test('does not hold up a stop', async () => {
    const router = await start({ doomed: true });
    const worker = await router.worker();
    const lease = await held(router, worker, 'jobs/lease', ALL);
    const beat = await held(router, worker, 'heartbeat', { status: 'online' });
    await soon('the stop', router.close());
    assert.equal((await lease.answer).message, 'no_matching_jobs');
    assert.equal((await beat.answer).ok, true);
  });

  test('between two processes: a job or a cancel at one reaches a worker that waits at the other', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const database = await fresh();
    const a = await start({ database });
    const b = await start({ database, clock: a.clock });
    const worker = await b.worker();
    const waits = await held(b, worker, 'jobs/lease', ALL);
    const { id } = await a.job();
    const { job, lease_token } = await soon('the lease at the other process', waits.answer);
    assert.equal(job.id, id);
    const beat = await held(b, worker, 'heartbeat', { status: 'busy', leases: [{ job_id: id, lease_token }] });
    await a.post(`/jobs/${id}/cancel`);
    const { leases } = await soon('the cancel at the other process', beat.answer);
    assert.equal(leases[0].state, 'canceled');
    const again = await held(b, worker, 'jobs/lease', ALL);
    await a.post(`/admin/workers/${worker.worker_id}/drain`);
    assert.equal((await soon('the drain at the other process', again.answer)).job, null);
  });

  test('finds a job that another process had in its hands when it looked, and put back', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const router = await start();
    const worker = await router.worker();
    const { id } = await router.job();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isHeld = false;
    const holding = router.db.transaction(async (tx) => {
      await tx.get('select id from jobs where id = $1 for update', [id]);
      isHeld = true;
      await released;
    });
    await until('the row is held', () => isHeld);
    const waits = await held(router, worker, 'jobs/lease', ALL);
    assert.equal(waits.isOver(), false);
    release();
    await holding;
    assert.equal((await soon('the job that was put back', waits.answer)).job.id, id);
  });
});
