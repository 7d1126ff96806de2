/** A worker is leased what it declared (docs/spec.md §21): no other SKU or type, no more at once, nothing while it rests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHEAP_SKU, eachRouter, NOTHING, SKU, type TestRouter, type TestWorker, until } from './kit/running.ts';

const ONE = { gpu_skus: [CHEAP_SKU], supports: ['inference'], max_concurrent_jobs: 1 };
const EVERYTHING = { supported_job_types: ['inference', 'eval', 'fine_tune'], supported_gpu_skus: [SKU, CHEAP_SKU] };

interface Leased {
  job: { id: string; requested_gpu_sku: string; job_type: string };
  lease_token: string;
}
const leasesOf = async (worker: TestWorker, max_jobs = 1): Promise<Leased[]> =>
  (await worker.lease({ ...EVERYTHING, max_jobs })).leases;
const complete = (worker: TestWorker, { job, lease_token }: Leased) =>
  worker.tell(`jobs/${job.id}/complete`, { lease_token });
const jobs = async (router: TestRouter, count: number, change: object = {}) => {
  for (let i = 0; i < count; i++) await router.job(change);
};

eachRouter('a worker', (start, engine, fresh) => {
  test('declared for one SKU, one type and one job at a time is given that, however it asks', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: ONE });
    await jobs(router, 3, { priority: 9 });
    await jobs(router, 3, { requested_gpu_sku: CHEAP_SKU, job_type: 'eval', priority: 9 });
    await jobs(router, 3, { requested_gpu_sku: CHEAP_SKU });
    const [first, ...more] = await leasesOf(worker, 5);
    assert.deepEqual([first!.job.requested_gpu_sku, first!.job.job_type, more], [CHEAP_SKU, 'inference', []]);
    assert.deepEqual(await worker.lease(EVERYTHING), NOTHING);
    await complete(worker, first!);
    const [second] = await leasesOf(worker, 5);
    assert.equal(second!.job.requested_gpu_sku, CHEAP_SKU);
    router.clock.advance(600);
    assert.equal((await leasesOf(worker, 5)).length, 1, 'a lease whose time is over is not held, swept or not');
  });

  test('that rests is given nothing: in maintenance, draining or offline as it last said, or while it is told to drain', async () => {
    const router = await start();
    const worker = await router.worker();
    await jobs(router, 6);
    let given = 0;
    for (const status of ['maintenance', 'online', 'draining', 'busy', 'offline', 'registered']) {
      await worker.tell('heartbeat', { status });
      const leases = await leasesOf(worker);
      const works = ['online', 'busy', 'registered'].includes(status);
      assert.equal(leases.length, works ? 1 : 0, status);
      given += leases.length;
    }
    await router.post(`/admin/workers/${worker.worker_id}/drain`);
    assert.deepEqual(await leasesOf(worker, 5), []);
    await router.post(`/admin/workers/${worker.worker_id}/resume`);
    assert.equal((await leasesOf(worker, 5)).length, 6 - given);
  });

  test('that held jobs before it declared a limit is held to it by the commit that declares it', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: { gpu_skus: [SKU] } });
    await jobs(router, 6);
    assert.equal((await leasesOf(worker, 3)).length, 3);
    const [, leases] = await Promise.all([
      worker.tell('heartbeat', { status: 'busy', capabilities: { max_concurrent_jobs: 1 } }),
      leasesOf(worker, 1),
    ]);
    const together = leases.length;
    assert.deepEqual(await leasesOf(worker, 5), [], `declared; ${together} leased beside it`);
  });

  test('whose earlier heartbeat is still held declares by the later one', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: { gpu_skus: [SKU] } });
    await jobs(router, 6);
    const many = { status: 'online', capabilities: { max_concurrent_jobs: 20 } };
    const held = worker.tell('heartbeat', { ...many, wait_seconds: 30 });
    const declared = async () => (await router.get(`/admin/workers/${worker.worker_id}`)).worker.capabilities;
    await until('the first has declared', async () => (await declared()).max_concurrent_jobs === 20);
    await worker.tell('heartbeat', { status: 'online', capabilities: { max_concurrent_jobs: 1 } });
    await router.post(`/admin/workers/${worker.worker_id}/drain`);
    await held;
    await router.post(`/admin/workers/${worker.worker_id}/resume`);
    assert.equal((await declared()).max_concurrent_jobs, 1);
    assert.equal((await leasesOf(worker, 5)).length, 1);
  });

  test('declares by heartbeat what counts from then on; what it does not mention holds on', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: ONE });
    await jobs(router, 5);
    assert.deepEqual(await leasesOf(worker, 5), []);
    const says = (capabilities: object) => worker.tell('heartbeat', { status: 'online', capabilities });
    await says({ max_concurrent_jobs: 3, cuda: '13.1' });
    assert.deepEqual(await leasesOf(worker, 5), [], 'still no other SKU');
    await says({ gpu_skus: [SKU] });
    assert.equal((await leasesOf(worker, 5)).length, 3);
    await says({ max_concurrent_jobs: 4 });
    assert.equal((await leasesOf(worker, 5)).length, 1);
    await says({ max_concurrent_jobs: 1 });
    assert.deepEqual(await leasesOf(worker, 5), [], 'nothing is taken from it, and nothing added');
    const { worker: shown, active_leases } = await router.get(`/admin/workers/${worker.worker_id}`);
    assert.deepEqual(shown.capabilities, { ...ONE, gpu_skus: [SKU], cuda: '13.1' });
    assert.equal(active_leases.length, 4);
  });

  test('that asks many times at once is given no more than by asking once', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: { max_concurrent_jobs: 5 } });
    await jobs(router, 40);
    const asked = Array.from({ length: 30 }, (_, i) => leasesOf(worker, 1 + (i % 3)));
    const given = (await Promise.all(asked)).flat();
    assert.equal(given.length, 5);
    // What ends in the same instant makes room once, and only once.
    const [again] = await Promise.all([
      Promise.all(Array.from({ length: 30 }, () => leasesOf(worker, 2))),
      ...given.slice(0, 3).map((lease) => complete(worker, lease)),
    ]);
    const later = await leasesOf(worker, 9);
    assert.equal(again.flat().length + later.length, 3);
    assert.equal((await router.get(`/admin/workers/${worker.worker_id}`)).active_leases.length, 5);
  });

  test('that asks two processes at once is given no more than it declared, and its word to one counts at the other', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const database = await fresh();
    const a = await start({ database });
    const b = await start({ database, clock: a.clock });
    const worker = await a.worker({ capabilities: { max_concurrent_jobs: 3 } });
    const elsewhere = (path: string, body: object) => b.call('POST', `/workers/${path}`, { token: worker.token, body });
    const askElsewhere = async (max_jobs: number) =>
      (await elsewhere('jobs/lease', { ...EVERYTHING, max_jobs })).json.leases as Leased[];
    await jobs(a, 60);
    for (let round = 0; round < 10; round++) {
      const asked = [1, 2, 3, 1, 2, 3].flatMap((most) => [leasesOf(worker, most), askElsewhere(most)]);
      let given = (await Promise.all(asked)).flat();
      // A worker that found the jobs locked by the other process was given none: the rest is asked for once more.
      given = [...given, ...(await leasesOf(worker, 9))];
      assert.equal(given.length, 3);
      await Promise.all(given.map((lease) => complete(worker, lease)));
    }
    await elsewhere('heartbeat', { status: 'maintenance' });
    assert.deepEqual(await leasesOf(worker, 9), []);
    await elsewhere('heartbeat', { status: 'online', capabilities: { gpu_skus: [CHEAP_SKU] } });
    assert.deepEqual(await leasesOf(worker, 9), []);
    await elsewhere('heartbeat', { status: 'online', capabilities: { gpu_skus: [SKU], max_concurrent_jobs: 4 } });
    assert.equal((await leasesOf(worker, 9)).length, 4);
  });

  test('that waits while it holds all it declared is given the next as soon as one of its jobs ends', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: { max_concurrent_jobs: 1 } });
    await jobs(router, 2);
    const [first] = await leasesOf(worker);
    let over = false;
    const waits = worker.lease({ ...EVERYTHING, wait_seconds: 30 }).finally(() => {
      over = true;
    });
    await router.job();
    for (let i = 0; i < 5; i++) await worker.tell('heartbeat', { status: 'busy' });
    assert.equal(over, false);
    await complete(worker, first!);
    assert.notEqual((await waits).job.id, first!.job.id);
  });

  test('that is called for a job it may not be given passes the call on', async () => {
    const router = await start();
    const ask = { ...EVERYTHING, wait_seconds: 30 };
    const [other, full] = [
      await router.worker({ capabilities: { gpu_skus: [CHEAP_SKU] } }),
      await router.worker({ capabilities: { max_concurrent_jobs: 1 } }),
    ];
    await router.job();
    await full.lease(EVERYTHING);
    const wait = async (worker: TestWorker) => {
      const answer = worker.lease(ask);
      for (let i = 0; i < 3; i++) await worker.tell('heartbeat', { status: 'online' });
      return answer;
    };
    const first = [wait(other), wait(full)];
    const able = await router.worker();
    const last = wait(able);
    await able.tell('heartbeat', { status: 'online' });
    const { id } = await router.job();
    assert.equal((await last).job.id, id);
    await router.job({ requested_gpu_sku: CHEAP_SKU });
    assert.equal((await first[0]!).job.requested_gpu_sku, CHEAP_SKU);
    for (const worker of [full]) await router.post(`/admin/workers/${worker.worker_id}/drain`);
    assert.equal((await first[1]!).job, null);
  });

  test('says why a job waits by the same rules', async () => {
    const router = await start();
    const { id } = await router.job();
    const worker = await router.worker({ capabilities: { gpu_skus: [SKU], max_concurrent_jobs: 1 } });
    const why = async () => (await router.get(`/jobs/${id}`)).waiting_for;
    assert.equal(await why(), 'all_busy');
    await worker.tell('heartbeat', { status: 'maintenance' });
    assert.equal(await why(), 'no_worker_for_sku');
    await worker.tell('heartbeat', { status: 'online', capabilities: { supports: ['eval'] } });
    assert.equal(await why(), 'no_worker_for_type');
    assert.deepEqual(await leasesOf(worker), []);
    await worker.tell('heartbeat', { status: 'online', capabilities: { supports: ['inference'] } });
    await until('it is leased', async () => (await leasesOf(worker)).length === 1);
    assert.equal(await why(), null);
  });
});
