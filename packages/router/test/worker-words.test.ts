/** What workers say and are told, to the letter of the worker contract. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, eachRouter, NOTHING, SKU, type TestRouter, type TestWorker } from './kit/running.ts';

async function accepted(router: TestRouter, worker: TestWorker, change: object = {}) {
  const { id } = await router.job(change);
  const { job, lease_token } = await worker.lease();
  assert.equal(job.id, id);
  await worker.tell(`jobs/${id}/accept`, { lease_token });
  return { id: id as string, lease_token: lease_token as string };
}

eachRouter('the worker contract', (start) => {
  test('an empty lease is told in the same words, whether there is no job or an order to drain', async () => {
    const router = await start();
    const worker = await router.worker();
    assert.deepEqual(await worker.lease(), NOTHING);
    await router.job();
    await router.post(`/admin/workers/${worker.worker_id}/drain`);
    assert.deepEqual(await worker.lease(), NOTHING);
    assert.deepEqual(await worker.lease({ wait_seconds: 30 }), NOTHING);
  });

  test('a worker that says it drains is leased nothing new until it says otherwise, or is resumed', async () => {
    const router = await start();
    const [worker, other] = [await router.worker(), await router.worker()];
    const { id, lease_token } = await accepted(router, worker);
    await worker.tell('heartbeat', { status: 'draining', leases: [{ job_id: id, lease_token }] });
    const next = await router.job();
    assert.deepEqual(await worker.lease(), NOTHING);
    assert.deepEqual(await worker.lease({ wait_seconds: 30 }), NOTHING);
    await worker.tell(`jobs/${id}/complete`, { lease_token });
    await worker.tell('heartbeat', { status: 'online' });
    assert.equal((await worker.lease()).job.id, next.id);
    const last = await router.job();
    await worker.tell('heartbeat', { status: 'draining' });
    await router.post(`/admin/workers/${worker.worker_id}/resume`);
    assert.equal((await router.get(`/admin/workers/${worker.worker_id}`)).worker.status, 'online');
    assert.equal((await worker.lease()).job.id, last.id);
    await other.tell('heartbeat', { status: 'maintenance' });
    await router.post(`/admin/workers/${other.worker_id}/resume`);
    assert.equal((await router.get(`/admin/workers/${other.worker_id}`)).worker.status, 'maintenance');
  });

  test('a heartbeat says any of the worker states', async () => {
    const router = await start();
    const worker = await router.worker();
    for (const status of ['registered', 'online', 'busy', 'draining', 'maintenance', 'offline']) {
      await worker.tell('heartbeat', { status });
      assert.equal((await router.get(`/admin/workers/${worker.worker_id}`)).worker.status, status);
    }
    assertProblem(await worker.ask('heartbeat', { status: 'idle' }), 422, 'invalid');
  });

  test('what a worker tells of itself, its events and its artifacts is bounded', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id, lease_token } = await accepted(router, worker);
    const big = (bytes: number) => ({ x: 'x'.repeat(bytes - 8) });
    const asked = {
      heartbeat: (bytes: number) => worker.ask('heartbeat', { status: 'busy', metrics: big(bytes) }),
      declared: (bytes: number) => worker.ask('heartbeat', { status: 'busy', capabilities: big(bytes) }),
      register: (bytes: number) =>
        router.call('POST', '/workers/register', {
          body: { node_id: 'n', name: 'n', hostname: 'h', capabilities: big(bytes) },
        }),
      event: (bytes: number) =>
        worker.ask(`jobs/${id}/status`, { lease_token, event_type: 'epoch', payload: big(bytes) }),
      artifact: (bytes: number) =>
        worker.ask(`jobs/${id}/artifacts`, {
          ...{ lease_token, artifact_type: 'other', name: 'a', uri: 'file:///a' },
          metadata: big(bytes),
        }),
      fail: (bytes: number) => worker.ask(`jobs/${id}/fail`, { lease_token, message: 'no', payload: big(bytes) }),
    };
    for (const [name, ask] of Object.entries(asked)) {
      const most = ['heartbeat', 'declared', 'register'].includes(name) ? 16_384 : 65_536;
      const refused = await ask(most + 1);
      assertProblem(refused, 422, 'invalid');
      assert.match(JSON.stringify(refused.json), new RegExp(`must be at most ${most} bytes as JSON`), name);
      assert.ok((await ask(most)).status < 300, name);
    }
  });

  test('what heartbeats tell beside what the router goes by does not add up', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: { gpu_skus: [SKU], max_concurrent_jobs: 3 } });
    for (let beat = 0; beat < 10; beat++)
      await worker.tell('heartbeat', { status: 'online', capabilities: { [`k${beat}`]: 'x'.repeat(10_000) } });
    const { capabilities } = (await router.get(`/admin/workers/${worker.worker_id}`)).worker;
    assert.deepEqual(Object.keys(capabilities).sort(), ['gpu_skus', 'k9', 'max_concurrent_jobs']);
    assert.deepEqual([capabilities.gpu_skus, capabilities.max_concurrent_jobs], [[SKU], 3]);
  });

  test('a log chunk that is sent again is stored once and answered as the first time', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id, lease_token } = await accepted(router, worker);
    const send = (chunk: object) => worker.tell(`jobs/${id}/logs`, { lease_token, ...chunk });
    const first = await send({ sequence: 0, lines: ['a', 'b'] });
    assert.deepEqual(await send({ sequence: 0, lines: ['a', 'b'] }), first);
    const others = [
      await send({ sequence: 0, stream: 'stderr', message: 'c' }),
      await send({ sequence: 1, message: 'd' }),
    ];
    const loose = [await send({ message: 'e' }), await send({ message: 'e' })];
    const told = [first, ...others, ...loose].map(({ event_id }) => event_id);
    assert.equal(new Set(told).size, 5);
    const stored = await router.get(`/jobs/${id}/logs`);
    assert.deepEqual(stored.map((chunk: { id: string }) => chunk.id).sort(), told.sort());
  });

  test('a chunk of another attempt is another chunk', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id, lease_token } = await accepted(router, worker);
    const chunk = { sequence: 0, message: 'a' };
    const first = await worker.tell(`jobs/${id}/logs`, { lease_token, ...chunk });
    router.clock.advance(601);
    let again = await worker.lease({ wait_seconds: 30 });
    while (again.job === null) again = await worker.lease({ wait_seconds: 30 });
    const second = await worker.tell(`jobs/${id}/logs`, { lease_token: again.lease_token, ...chunk });
    assert.notEqual(second.event_id, first.event_id);
    assert.equal((await router.get(`/jobs/${id}/logs`)).length, 2);
  });

  test('a job reported to have taken no time is charged a second', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id, lease_token } = await accepted(router, worker);
    const complete = (duration_seconds: unknown) =>
      worker.ask(`jobs/${id}/complete`, { lease_token, metrics: { duration_seconds } });
    for (const wrong of [-1, '0', [0]]) assertProblem(await complete(wrong), 422, 'invalid');
    const { json } = await complete(0);
    assert.deepEqual([json.status, json.actual_hours, json.actual_cost_usd], ['completed', 0.000278, 0]);
  });
});

eachRouter('what the bridge is left', (start) => {
  const SCORES = { eval_before: 0.5, eval_after: 0.75 };
  const bridged = { LEDGER_URL: 'http://127.0.0.1:1', LEDGER_API_KEY: 'rk_of-a-ledger-that-is-away' };

  async function left(router: TestRouter, metrics: object, node_id = 'rig-1') {
    const worker = await router.worker({ node_id });
    const { id } = await router.job({ job_type: 'fine_tune' });
    const { lease_token } = await worker.lease();
    await worker.tell(`jobs/${id}/accept`, { lease_token });
    router.clock.advance(90);
    await worker.tell(`jobs/${id}/complete`, { lease_token, metrics: { ...SCORES, ...metrics } });
    const row = await router.db.get<{ document: string }>('select document from bridge_outbox where job_id = $1', [id]);
    return JSON.parse(row!.document).execution;
  }

  test('the runner of a fine-tune is the SKU it was requested, leased and priced as, whatever its node is registered for', async () => {
    const router = await start({ environment: bridged });
    await router.post('/compute/register-node', { id: 'rig-9', hostname: 'rig-9', gpu_type: 'rog_astral_5090_32gb' });
    assert.equal((await left(router, {}, 'rig-9')).runner, SKU);
    assert.equal((await left(router, {}, 'rig-10')).runner, SKU);
  });

  test('its duration is as it was, and beside it stand the seconds that the router charged for', async () => {
    const seconds = async (router: TestRouter, metrics: object) => {
      const { duration_seconds, billed_seconds } = (await left(router, metrics)).metrics;
      return [duration_seconds, billed_seconds];
    };
    const reported = await start({ environment: bridged });
    assert.deepEqual(await seconds(reported, { duration_seconds: 7200 }), [90, 90]);
    assert.deepEqual(await seconds(reported, { duration_seconds: 60.75, billed_seconds: 1 }), [60.75, 60]);
    assert.deepEqual(await seconds(reported, {}), [90, 90]);
    assert.deepEqual(await seconds(reported, { duration_seconds: 0.25 }), [0.25, 1]);
    const measured = await start({ environment: { ...bridged, ROUTER_METERING: 'measured' } });
    assert.deepEqual(await seconds(measured, { duration_seconds: 7200 }), [90, 90]);
  });
});
