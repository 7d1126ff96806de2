/** Workers, nodes and the numbers of the admin page (docs/spec.md §19, §21). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, CHEAP_SKU, eachRouter, SKU, type TestRouter, type TestWorker, until } from '../kit/running.ts';

const stateOf = async (router: TestRouter, worker: TestWorker) =>
  (await router.get(`/admin/workers/${worker.worker_id}`)).worker.status;

eachRouter('a worker', (start) => {
  test('registers, and its token is told once', async () => {
    const router = await start();
    const registration = {
      node_id: 'rig-7',
      name: 'rig seven',
      hostname: 'rig-7.local',
      endpoint_url: 'http://rig-7.local:9000',
      capabilities: { gpu_skus: [SKU], supports: ['eval'], max_concurrent_jobs: 2, cuda: '13.1' },
      tags: ['garage'],
      version: '0.2.1',
      heartbeat_interval_seconds: 12,
    };
    const { status, json, headers } = await router.call('POST', '/workers/register', { body: registration });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/admin/workers/${json.worker_id}`);
    assert.match(json.worker_id, /^worker_/);
    assert.match(json.worker_token, /^dwrk_[\w-]{22,}$/);
    assert.deepEqual([json.status, json.contract_version], ['registered', '0.2']);
    const page = await router.get(`/admin/workers/${json.worker_id}`);
    assert.deepEqual(page.worker, {
      ...registration,
      id: json.worker_id,
      status: 'registered',
      desired: 'run',
      current_jobs: 0,
      metrics: {},
      last_heartbeat_at: null,
      revoked_at: null,
      created_at: '2026-05-29T20:00:00.000+00:00',
    });
    assert.deepEqual([page.active_leases, page.recent_events], [[], []]);
    assert.deepEqual(await router.get('/admin/workers'), [page.worker]);
    const [receipt] = router.receipts();
    assert.deepEqual(
      [receipt!.receipt_type, receipt!.member_id, receipt!.amount_usd],
      ['worker_registered', json.worker_id, '0.00'],
    );
    assertProblem(await router.call('GET', '/admin/workers/worker_none'), 404, 'not_found');
    for (const order of ['drain', 'resume'])
      assertProblem(await router.call('POST', `/admin/workers/worker_none/${order}`), 404, 'not_found');
  });

  test('is what its heartbeat says, until it misses three', async () => {
    const router = await start();
    const worker = await router.worker({ heartbeat_interval_seconds: 10 });
    for (const status of ['online', 'busy', 'draining', 'maintenance', 'online']) {
      const answer = await worker.tell('heartbeat', { status, current_jobs: 1, metrics: { load: 0.5 } });
      assert.deepEqual(answer, {
        ok: true,
        worker_id: worker.worker_id,
        server_time: new Date(router.clock.ms).toISOString().replace('Z', '+00:00'),
        next_heartbeat_seconds: 10,
        desired: 'run',
        leases: [],
      });
      assert.equal(await stateOf(router, worker), status);
    }
    router.clock.advance(30);
    assert.equal(await stateOf(router, worker), 'online');
    router.clock.advance(0.001);
    assert.equal(await stateOf(router, worker), 'offline');
    await worker.tell('heartbeat', { status: 'online', capabilities: { gpu_skus: [CHEAP_SKU] } });
    const { worker: back } = await router.get(`/admin/workers/${worker.worker_id}`);
    assert.deepEqual(
      [back.status, back.capabilities, back.metrics, back.current_jobs],
      ['online', { gpu_skus: [CHEAP_SKU] }, {}, 0],
    );
    const silent = await router.worker({ heartbeat_interval_seconds: 10 });
    router.clock.advance(31);
    assert.equal(await stateOf(router, silent), 'offline', 'also one that never spoke');
  });

  test('has a page of what it did last: on jobs it holds, ended and lost, and not what others did on them', async () => {
    const router = await start();
    const [one, other] = [await router.worker(), await router.worker()];
    const last = async (worker: TestWorker) =>
      (await router.get(`/admin/workers/${worker.worker_id}`)).recent_events.map(
        ({ job_id, event_type }: { job_id: string; event_type: string }) => `${event_type} ${names.get(job_id)}`,
      );
    const names = new Map<string, string>();
    const leased = async (name: string, worker: TestWorker) => {
      const { job, lease_token } = await worker.lease();
      names.set(job.id, name);
      return { tell: (verb: string, more = {}) => worker.tell(`jobs/${job.id}/${verb}`, { lease_token, ...more }) };
    };
    for (let i = 0; i < 3; i++) await router.job();
    await leased('lost', one);
    router.clock.advance(700);
    await until('the lease is given back', async () => (await last(one)).includes('lease_expired lost'));
    const again = await leased('lost', other);
    await again.tell('fail', { message: 'Out of memory.' });
    const ended = await leased('ended', one);
    await ended.tell('complete');
    await leased('held', one);
    assert.deepEqual(await last(one), [
      'leased held',
      'completed ended',
      'leased ended',
      'lease_expired lost',
      'leased lost',
    ]);
    assert.deepEqual(await last(other), ['failed lost', 'leased lost']);
    for (let i = 0; i < 10; i++) {
      await router.job();
      await (await leased(`more ${i}`, one)).tell('complete');
    }
    assert.equal((await last(one)).length, 20);
    assert.equal((await last(one))[0], 'completed more 9');
  });

  test('decides why a queued job waits: its SKU, its type, or all are busy', async () => {
    const router = await start();
    const { id } = await router.job({ job_type: 'fine_tune' });
    const why = async () => (await router.get(`/jobs/${id}`)).waiting_for;
    assert.equal(await why(), 'no_worker_for_sku');
    await router.worker({ capabilities: { gpu_skus: [CHEAP_SKU], supports: ['fine_tune'] } });
    assert.equal(await why(), 'no_worker_for_sku');
    await router.worker({ capabilities: { gpu_skus: [SKU], supports: ['eval'] } });
    assert.equal(await why(), 'no_worker_for_type');
    const able = await router.worker({ capabilities: { gpu_skus: [SKU], supports: ['eval', 'fine_tune'] } });
    assert.equal(await why(), 'all_busy');
    await able.tell('heartbeat', { status: 'maintenance' });
    assert.equal(await why(), 'no_worker_for_type');
    await able.tell('heartbeat', { status: 'busy' });
    assert.equal(await why(), 'all_busy');
    const listed = await router.get('/jobs?status=queued');
    assert.equal(listed[0].waiting_for, 'all_busy');
    router.clock.advance(91);
    assert.equal(await why(), 'no_worker_for_sku', 'no worker sends heartbeats any more');
    await able.tell('heartbeat', { status: 'online' });
    await able.lease();
    assert.equal(await why(), null);
  });
});

eachRouter('the inventory', (start) => {
  test('shows nodes with the server’s rates; an unpriced GPU is refused', async () => {
    const router = await start();
    const node = {
      id: 'rig-1',
      hostname: 'rig-1.local',
      gpu_type: SKU,
      max_concurrent_jobs: 2,
      tags: ['a'],
      hourly_rate_usd: 0,
    };
    const { status, json } = await router.call('POST', '/compute/register-node', { body: node });
    assert.equal(status, 201);
    assert.deepEqual(json, {
      id: 'rig-1',
      hostname: 'rig-1.local',
      gpu_type: SKU,
      gpu_name: 'RTX PRO 6000 Blackwell Workstation 96GB',
      vram_gb: 96,
      hourly_rate_usd: 5,
      status: 'offline',
      max_concurrent_jobs: 2,
      current_jobs: 0,
      tags: ['a'],
      created_at: '2026-05-29T20:00:00.000+00:00',
    });
    assertProblem(await router.call('POST', '/compute/register-node', { body: node }), 409, 'id_taken');
    const unpriced = { hostname: 'x', gpu_type: 'h100' };
    assertProblem(await router.call('POST', '/compute/register-node', { body: unpriced }), 422, 'gpu_unpriced');
    router.clock.advance(1);
    const cheap = await router.post('/compute/register-node', { hostname: 'rig-2', gpu_type: CHEAP_SKU });
    assert.match(cheap.id, /^node_/);
    assert.deepEqual([cheap.vram_gb, cheap.hourly_rate_usd, cheap.max_concurrent_jobs, cheap.tags], [32, 2, 1, []]);
    assert.deepEqual(await router.get('/compute/inventory'), [json, cheap]);
  });

  test('says available, busy, maintenance or offline of a node, from its leases and its workers', async () => {
    const router = await start();
    await router.post('/compute/register-node', {
      id: 'rig-1',
      hostname: 'rig-1',
      gpu_type: SKU,
      max_concurrent_jobs: 2,
    });
    const node = async () => {
      const [{ status, current_jobs }] = await router.get('/compute/inventory');
      return [status, current_jobs];
    };
    assert.deepEqual(await node(), ['offline', 0], 'no worker serves it');
    const worker = await router.worker({ node_id: 'rig-1' });
    await router.worker({ node_id: 'rig-2' });
    assert.deepEqual(await node(), ['available', 0]);
    for (let i = 0; i < 3; i++) await router.job();
    const first = await worker.lease();
    assert.deepEqual(await node(), ['available', 1]);
    await worker.lease();
    assert.deepEqual(await node(), ['busy', 2]);
    await worker.tell(`jobs/${first.job.id}/complete`, { lease_token: first.lease_token });
    assert.deepEqual(await node(), ['available', 1]);
    await worker.tell('heartbeat', { status: 'maintenance' });
    assert.deepEqual(await node(), ['maintenance', 1]);
    router.clock.advance(91);
    assert.equal((await node())[0], 'offline');
    const small = await router.worker({ node_id: 'rig-1', capabilities: { max_concurrent_jobs: 1 } });
    assert.equal((await node())[0], 'busy', 'the one that serves it takes no more than one');
    await small.tell('heartbeat', { status: 'draining' });
    assert.equal((await node())[0], 'maintenance');
    await small.tell('heartbeat', { status: 'online', capabilities: { max_concurrent_jobs: 2 } });
    assert.equal((await node())[0], 'available');
    await router.post(`/admin/workers/${small.worker_id}/drain`);
    assert.equal((await node())[0], 'maintenance');
    await router.post(`/admin/workers/${small.worker_id}/revoke`);
    assert.equal((await node())[0], 'offline');
  });

  test('has the node of a worker that registers where there is none of that id, by its first SKU that has a price', async () => {
    const router = await start();
    const capabilities = { gpu_skus: ['h100', CHEAP_SKU, SKU], max_concurrent_jobs: 4 };
    const worker = await router.worker({ node_id: 'garage', hostname: 'garage.local', capabilities });
    await router.worker({ node_id: 'garage', hostname: 'another', capabilities: { gpu_skus: [SKU] } });
    await router.worker({ node_id: 'undeclared' });
    await router.worker({ node_id: 'unpriced', capabilities: { gpu_skus: ['h100'] } });
    assert.deepEqual(await router.get('/compute/inventory'), [
      {
        id: 'garage',
        hostname: 'garage.local',
        gpu_type: CHEAP_SKU,
        gpu_name: 'ASUS ROG Astral RTX 5090 32GB',
        vram_gb: 32,
        hourly_rate_usd: 2,
        status: 'available',
        max_concurrent_jobs: 4,
        current_jobs: 0,
        tags: [],
        created_at: '2026-05-29T20:00:00.000+00:00',
      },
    ]);
    await router.job({ requested_gpu_sku: CHEAP_SKU });
    assert.equal((await worker.lease()).job.requested_gpu_sku, CHEAP_SKU);
    assert.equal((await router.get('/compute/inventory'))[0].current_jobs, 1);
    const body = { id: 'undeclared', hostname: 'u', gpu_type: SKU };
    assert.equal(
      (await router.post('/compute/register-node', body)).status,
      'available',
      'its worker is there already',
    );
    const taken = { id: 'garage', hostname: 'g', gpu_type: SKU };
    assertProblem(await router.call('POST', '/compute/register-node', { body: taken }), 409, 'id_taken');
  });
});

eachRouter('the admin page', (start) => {
  test('counts and sums what there is', async () => {
    const router = await start();
    const empty = await router.get('/admin/summary');
    assert.deepEqual(new Set(Object.values(empty)), new Set([0]));
    assert.deepEqual(Object.keys(empty), SUMMARY);

    const member_id = await router.member();
    await router.post('/members', { email: 'inactive@example.org', name: 'I' });
    for (const [id, gpu_type] of [
      ['rig-1', SKU],
      ['rig-2', CHEAP_SKU],
    ])
      await router.post('/compute/register-node', { id, hostname: id, gpu_type });
    const [worker, silent] = [await router.worker({ node_id: 'rig-1' }), await router.worker({ node_id: 'rig-9' })];
    await silent.tell('heartbeat', { status: 'online' });
    const jobs = [];
    for (let i = 0; i < 8; i++) jobs.push((await router.job({ member_id, estimated_hours: 1.5 })).id);
    const { leases } = await worker.lease({ max_jobs: 4 });
    const [run, done, lost] = leases as { job: { id: string }; lease_token: string }[];
    await worker.tell(`jobs/${run!.job.id}/accept`, { lease_token: run!.lease_token });
    await worker.tell(`jobs/${done!.job.id}/complete`, { lease_token: done!.lease_token });
    await worker.tell(`jobs/${lost!.job.id}/fail`, { lease_token: lost!.lease_token, message: 'no' });
    await router.post(`/jobs/${jobs[4]}/cancel`);
    await router.post(`/jobs/${jobs[5]}/start`);
    router.clock.advance(100);
    await worker.tell('heartbeat', { status: 'busy' });
    assert.deepEqual(await router.get('/admin/summary'), {
      active_members_count: 1,
      total_datasets_count: 0,
      compute_nodes_available: 0,
      compute_nodes_busy: 1,
      queued_jobs: 2,
      leased_jobs: 1,
      running_jobs: 2,
      completed_jobs: 1,
      failed_jobs: 1,
      canceled_jobs: 1,
      estimated_revenue_from_jobs: 45,
      annual_membership_revenue: 100,
      workers_online: 1,
      workers_offline: 1,
      workers_busy: 1,
      stale_workers: 1,
      active_leases: 2,
      expired_leases: 0,
      ledger_waiting: 0,
      ledger_refused: 0,
    });
    const { active_leases } = await router.get(`/admin/workers/${worker.worker_id}`);
    assert.deepEqual(
      active_leases.map(({ job_id, status }: Record<string, string>) => [job_id, status]),
      [
        [jobs[0], 'running'],
        [jobs[3], 'leased'],
      ],
    );
    router.clock.advance(500);
    await until('both leases ran out', async () => (await router.get('/admin/summary')).expired_leases === 2);
    const { active_leases: none, queued_jobs } = await router.get('/admin/summary');
    assert.deepEqual([none, queued_jobs], [0, 4]);
  });

  test('jobs are listed newest first, by status and member, in pages', async () => {
    const router = await start();
    const member_id = await router.member();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await router.job(i % 2 === 0 ? { member_id } : {})).id);
    await router.post(`/jobs/${ids[0]}/cancel`);
    const list = async (query = '') =>
      (await router.get(`/jobs${query}`)).map(({ id }: { id: string }) => ids.indexOf(id));
    assert.deepEqual(await list(), [0, 1, 2, 3, 4]);
    assert.deepEqual(await list('?limit=2'), [0, 1]);
    assert.deepEqual(await list(`?limit=2&after=${ids[1]}`), [2, 3]);
    assert.deepEqual(await list('?status=canceled'), [0]);
    assert.deepEqual(await list(`?status=queued&member_id=${member_id}`), [2, 4]);
    assert.deepEqual(await list('?member_id=mem_none'), []);
  });
});

const SUMMARY = [
  'active_members_count',
  'total_datasets_count',
  'compute_nodes_available',
  'compute_nodes_busy',
  'queued_jobs',
  'leased_jobs',
  'running_jobs',
  'completed_jobs',
  'failed_jobs',
  'canceled_jobs',
  'estimated_revenue_from_jobs',
  'annual_membership_revenue',
  'workers_online',
  'workers_offline',
  'workers_busy',
  'stale_workers',
  'active_leases',
  'expired_leases',
  'ledger_waiting',
  'ledger_refused',
];
