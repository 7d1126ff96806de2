/** Revoking a worker: its token ends everywhere, its leases are freed with their receipts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inShort } from './kit/records.ts';
import { assertProblem, eachRouter, type TestRouter, type TestWorker, until } from './kit/running.ts';

const PROMISED_MS = 5_000;

const revoke = (router: TestRouter, { worker_id }: TestWorker) => router.post(`/admin/workers/${worker_id}/revoke`);
const receiptsOf = (router: TestRouter, job_id: string) =>
  router
    .receipts()
    .filter((receipt) => receipt.job_id === job_id)
    .map(inShort);

async function leased(router: TestRouter, worker: TestWorker, change: object = {}) {
  const { id } = await router.job(change);
  const { lease_token } = await worker.lease();
  return { id: id as string, lease_token: lease_token as string };
}

eachRouter('a worker that is revoked', (start, engine, fresh) => {
  test('has no token any more; its jobs are queued again, or failed when the attempts are used up', async () => {
    const router = await start();
    const [worker, next] = [await router.worker(), await router.worker()];
    const again = await leased(router, worker);
    await worker.tell(`jobs/${again.id}/accept`, { lease_token: again.lease_token });
    const last = await leased(router, worker, { max_attempts: 1 });
    const kept = await leased(router, next);

    const answer = await revoke(router, worker);
    assert.deepEqual([answer.status, answer.revoked_at], ['offline', '2026-05-29T20:00:00.000+00:00']);
    for (const [path, body] of [
      ['heartbeat', { status: 'online' }],
      ['jobs/lease', { supported_job_types: ['inference'], supported_gpu_skus: [] }],
      [`jobs/${again.id}/complete`, { lease_token: again.lease_token }],
    ] as const) {
      const refused = await worker.ask(path, body);
      assertProblem(refused, 401, 'worker_revoked');
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    }
    const [queued, failed, other] = await Promise.all([again, last, kept].map(({ id }) => router.get(`/jobs/${id}`)));
    assert.deepEqual(
      [queued.status, queued.attempt, queued.assigned_node_id, queued.waiting_for],
      ['queued', 1, null, 'all_busy'],
    );
    assert.deepEqual([failed.status, failed.actual_cost_usd], ['failed', null]);
    assert.equal(other.status, 'leased');
    assert.deepEqual(receiptsOf(router, again.id), [
      'compute_job created 5.00',
      'job_leased 0.00',
      'worker_job_accepted 0.00',
      'lease_expired 0.00',
    ]);
    assert.deepEqual(receiptsOf(router, last.id).slice(-2), ['lease_expired 0.00', 'worker_job_failed 0.00']);
    const said = router.receipts().find((receipt) => receipt.receipt_type === 'lease_expired');
    assert.equal(said!.metadata.reason, 'worker_revoked');
    const { worker: shown, active_leases } = await router.get(`/admin/workers/${worker.worker_id}`);
    assert.deepEqual([shown.status, active_leases], ['offline', []]);
    assert.equal((await next.lease()).job.id, again.id);

    const receipts = router.receipts().length;
    router.clock.advance(60);
    assert.deepEqual(await revoke(router, worker), answer, 'the first time counts');
    assert.equal(router.receipts().length, receipts);
    assertProblem(await router.call('POST', '/admin/workers/worker_none/revoke'), 404, 'not_found');
  });

  test('hears of it in the calls that are held for it', async () => {
    const router = await start();
    const worker = await router.worker();
    const ask = { supported_job_types: ['inference'], supported_gpu_skus: ['rtx6000_blackwell_96gb'] };
    const held = [
      worker.ask('heartbeat', { status: 'online', wait_seconds: 30 }),
      worker.ask('jobs/lease', { ...ask, wait_seconds: 30 }),
    ];
    for (let i = 0; i < 3; i++) await worker.tell('heartbeat', { status: 'online' });
    const before = performance.now();
    await revoke(router, worker);
    for (const answer of held) assertProblem(await answer, 401, 'worker_revoked');
    assert.ok(performance.now() - before < PROMISED_MS);
  });

  test('is known by every process within five seconds, also when no word gets across', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const database = await fresh();
    const a = await start({ database });
    const b = await start({ database, clock: a.clock });
    for (const silent of [false, true]) {
      const worker = await a.worker();
      const there = () => b.call('POST', '/workers/heartbeat', { token: worker.token, body: { status: 'online' } });
      assert.equal((await there()).status, 200);
      const before = performance.now();
      if (silent) await database.db.run('update workers set revoked_at = $2 where id = $1', [worker.worker_id, AT]);
      else await revoke(a, worker);
      let answer = await there();
      while (answer.status === 200 && performance.now() - before < 2 * PROMISED_MS) answer = await there();
      assertProblem(answer, 401, 'worker_revoked');
      assert.ok(performance.now() - before < PROMISED_MS);
    }
  });

  test('is freed of its leases by the next sweep when a crash came in between', async () => {
    const router = await start();
    const worker = await router.worker();
    const job = await leased(router, worker);
    await router.db.run('update workers set revoked_at = $2 where id = $1', [worker.worker_id, AT]);
    await until('the sweep frees it', () => receiptsOf(router, job.id).includes('lease_expired 0.00'));
    assert.equal((await router.get(`/jobs/${job.id}`)).status, 'queued');
  });

  test('is leased nothing that is created meanwhile, however many ask', async () => {
    const router = await start();
    const workers = await Promise.all(Array.from({ length: 6 }, () => router.worker()));
    const [worker] = workers;
    for (let i = 0; i < 30; i++) await router.job();
    const ask = { supported_job_types: ['inference'], supported_gpu_skus: ['rtx6000_blackwell_96gb'], max_jobs: 2 };
    await Promise.all([
      ...Array.from({ length: 12 }, () => worker!.ask('jobs/lease', ask)),
      revoke(router, worker!),
      ...Array.from({ length: 12 }, () => worker!.ask('jobs/lease', ask)),
    ]);
    assert.deepEqual((await router.get(`/admin/workers/${worker!.worker_id}`)).active_leases, []);
    assert.equal((await router.get('/admin/summary')).queued_jobs, 30);
  });
});

const AT = '2026-05-29T20:00:00.000+00:00';
