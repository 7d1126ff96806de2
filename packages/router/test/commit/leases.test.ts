/** Leases (docs/spec.md §21): who holds a job, for how long, and what a late or foreign token can do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inShort } from '../kit/records.ts';
import {
  type Answer,
  assertProblem,
  CHEAP_SKU,
  eachRouter,
  NOTHING,
  SKU,
  type TestRouter,
  type TestWorker,
  until,
} from '../kit/running.ts';

interface Lease {
  job_id: string;
  lease_token: string;
}

async function leaseOf(worker: TestWorker): Promise<Lease> {
  const { job, lease_token } = await worker.lease();
  assert.ok(job, 'there is a job to lease');
  return { job_id: job.id, lease_token };
}

/** Every call that carries a lease token, with a body that is right but for the token. */
const CALLS = ['accept', 'status', 'logs', 'artifacts', 'complete', 'fail'] as const;
function carry(worker: TestWorker, call: (typeof CALLS)[number], job_id: string, lease_token: string): Promise<Answer> {
  const report = { event_type: 'epoch_finished', message: 'm', artifact_type: 'log', name: 'n', uri: 'file:///n' };
  return worker.ask(`jobs/${job_id}/${call}`, { lease_token, ...report });
}

async function refusedEverywhere(worker: TestWorker, { job_id, lease_token }: Lease, status: number, code: string) {
  for (const call of CALLS) assertProblem(await carry(worker, call, job_id, lease_token), status, code);
}

async function beats(worker: TestWorker, leases: Lease[]): Promise<{ state: string; expires_at: string | null }[]> {
  const { leases: states } = await worker.tell('heartbeat', { status: 'busy', leases });
  assert.deepEqual(
    states.map((lease: Lease) => lease.job_id),
    leases.map(({ job_id }) => job_id),
  );
  return states;
}

const expiryOf = async (router: TestRouter, worker: TestWorker): Promise<number> => {
  const { active_leases } = await router.get(`/admin/workers/${worker.worker_id}`);
  assert.equal(active_leases.length, 1);
  return (Date.parse(active_leases[0].expires_at) - router.clock.ms) / 1000;
};

/** The sweep runs every second of real time. */
function swept(router: TestRouter, job_id: string, status: string): Promise<unknown> {
  return until(
    `the sweep makes ${job_id} ${status}`,
    async () => (await router.get(`/jobs/${job_id}`)).status === status,
  );
}

eachRouter('a lease', (start) => {
  test('holds for 600 seconds, and every call that carries its token renews it', async () => {
    const router = await start();
    const worker = await router.worker();
    await router.job();
    const leased = await worker.lease();
    assert.equal(Date.parse(leased.expires_at) - router.clock.ms, 600_000);
    assert.match(leased.lease_token, /^dlease_[\w-]{22,}$/);
    assert.match(leased.lease_id, /^lease_/);
    const { lease_token } = leased;
    const job_id = leased.job.id;
    for (const call of ['accept', 'accept', 'status', 'logs', 'artifacts'] as const) {
      router.clock.advance(599);
      assert.equal(await expiryOf(router, worker), 1);
      assert.equal((await carry(worker, call, job_id, lease_token)).status, 200, call);
      assert.equal(await expiryOf(router, worker), 600, call);
    }
    router.clock.advance(599);
    const [state] = await beats(worker, [{ job_id, lease_token }]);
    assert.equal(state!.state, 'active');
    assert.equal(Date.parse(state!.expires_at!) - router.clock.ms, 600_000);
    router.clock.advance(599);
    await worker.tell('heartbeat', { status: 'busy' });
    assert.equal(await expiryOf(router, worker), 1, 'a heartbeat renews only what it lists');
    router.clock.advance(1);
    await refusedEverywhere(worker, { job_id, lease_token }, 409, 'lease_expired');
  });

  test('lives as many seconds as ROUTER_LEASE_SECONDS says', async () => {
    const router = await start({ environment: { ROUTER_LEASE_SECONDS: '7' } });
    const worker = await router.worker();
    await router.job();
    const { expires_at, lease_token, job } = await worker.lease();
    assert.equal(Date.parse(expires_at) - router.clock.ms, 7_000);
    router.clock.advance(6);
    await worker.tell(`jobs/${job.id}/accept`, { lease_token });
    router.clock.advance(7);
    await refusedEverywhere(worker, { job_id: job.id, lease_token }, 409, 'lease_expired');
  });

  test('that ran out gives its job back; its token stays expired after the job was leased again, and changes nothing', async () => {
    const router = await start();
    const [late, next] = [await router.worker({ name: 'late' }), await router.worker({ name: 'next' })];
    const { id } = await router.job();
    const old = await leaseOf(late);
    await late.tell(`jobs/${id}/accept`, { lease_token: old.lease_token });
    router.clock.advance(600);
    await swept(router, id, 'queued');
    const requeued = await router.get(`/jobs/${id}`);
    assert.deepEqual(
      [requeued.attempt, requeued.assigned_node_id, requeued.actual_started_at, requeued.waiting_for],
      [1, null, null, 'no_worker_for_sku'],
    );
    await refusedEverywhere(late, old, 409, 'lease_expired');

    const { job_id, lease_token } = await leaseOf(next);
    assert.equal(job_id, id);
    const before = await router.get(`/jobs/${id}`);
    assert.equal(before.attempt, 2);
    const receipts = router.receipts().length;
    await refusedEverywhere(late, old, 409, 'lease_expired');
    assert.equal((await beats(late, [old]))[0]!.state, 'expired');
    assert.deepEqual(await router.get(`/jobs/${id}`), before);
    assert.equal(router.receipts().length, receipts);
    assert.deepEqual(await router.get(`/jobs/${id}/logs`), []);
    await next.tell(`jobs/${id}/complete`, { lease_token });
    assert.deepEqual(
      router
        .receipts()
        .filter((receipt) => receipt.job_id === id)
        .map(inShort),
      [
        'compute_job created 5.00',
        'job_leased 0.00',
        'worker_job_accepted 0.00',
        'lease_expired 0.00',
        'job_leased 0.00',
        'worker_job_completed 0.00',
        'compute_job completed 0.00',
      ],
    );
  });

  test('is not known by another token: 400, for every worker and every call', async () => {
    const router = await start();
    const [a, b] = [await router.worker(), await router.worker()];
    await router.job();
    await router.job();
    const ofA = await leaseOf(a);
    const ofB = await leaseOf(b);
    const nothing = { ...ofA, lease_token: 'dlease_of_nobody' };
    const before = [await router.get(`/jobs/${ofA.job_id}`), await router.get(`/jobs/${ofB.job_id}`)];
    await refusedEverywhere(a, nothing, 400, 'lease_invalid');
    await refusedEverywhere(a, { ...ofB, lease_token: '' }, 400, 'lease_invalid');
    await refusedEverywhere(b, ofA, 400, 'lease_invalid');
    await refusedEverywhere(a, ofB, 400, 'lease_invalid');
    await refusedEverywhere(a, { job_id: ofA.job_id, lease_token: ofB.lease_token }, 400, 'lease_invalid');
    assert.deepEqual(
      (await beats(a, [ofB, { job_id: ofA.job_id, lease_token: ofB.lease_token }, ofA])).map(({ state }) => state),
      ['expired', 'expired', 'active'],
    );
    assert.deepEqual([await router.get(`/jobs/${ofA.job_id}`), await router.get(`/jobs/${ofB.job_id}`)], before);
  });

  test('of a canceled job is void: 409 job_canceled, and the heartbeat says canceled', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id } = await router.job();
    const lease = await leaseOf(worker);
    await worker.tell(`jobs/${id}/accept`, { lease_token: lease.lease_token });
    await router.post(`/jobs/${id}/cancel`);
    await refusedEverywhere(worker, lease, 409, 'job_canceled');
    assert.deepEqual(await beats(worker, [lease]), [{ job_id: id, state: 'canceled', expires_at: null }]);
    const { active_leases } = await router.get(`/admin/workers/${worker.worker_id}`);
    assert.deepEqual(active_leases, []);
  });

  test('is tried max_attempts times; then the job has failed and nothing is charged', async () => {
    const router = await start();
    const worker = await router.worker();
    const { id } = await router.job({ max_attempts: 2, estimated_hours: 10 });
    for (const after of ['queued', 'failed']) {
      const lease = await leaseOf(worker);
      await worker.tell(`jobs/${id}/accept`, { lease_token: lease.lease_token });
      router.clock.advance(600);
      await swept(router, id, after);
      await refusedEverywhere(worker, lease, 409, 'lease_expired');
    }
    const job = await router.get(`/jobs/${id}`);
    assert.deepEqual([job.attempt, job.max_attempts, job.actual_cost_usd], [2, 2, null]);
    assert.equal((await worker.lease()).message, 'no_matching_jobs');
    const attempt = ['job_leased 0.00', 'worker_job_accepted 0.00', 'lease_expired 0.00'];
    assert.deepEqual(
      router
        .receipts()
        .filter((receipt) => receipt.job_id === id)
        .map(inShort),
      ['compute_job created 50.00', ...attempt, ...attempt, 'worker_job_failed 0.00'],
    );
  });

  test('is stored only as a hash, and so is the worker token', async () => {
    const router = await start();
    const worker = await router.worker();
    await router.job();
    const { lease_token } = await worker.lease();
    const secrets = [lease_token, worker.token];
    for (const table of ['jobs', 'workers', 'job_events', 'receipt_batches', 'idempotency_keys']) {
      const rows = JSON.stringify(await router.db.all(`select * from ${table}`));
      for (const secret of secrets) assert.ok(!rows.includes(secret), `${table} holds a secret`);
    }
  });

  test('comes as a batch of up to max_jobs, the first also at top level', async () => {
    const router = await start();
    const worker = await router.worker();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await router.job({ payload: { i } })).id);
    const batch = await worker.lease({ max_jobs: 3 });
    assert.deepEqual(
      batch.leases.map((lease: { job: { id: string } }) => lease.job.id),
      ids.slice(0, 3),
    );
    const { message, leases, ...first } = batch;
    assert.deepEqual([message, first], ['leased', leases[0]]);
    assert.deepEqual(Object.keys(first.job).sort(), [
      'attempt',
      'datasets',
      'estimated_hours',
      'id',
      'input_dataset_ids',
      'job_type',
      'payload',
      'requested_gpu_sku',
    ]);
    assert.equal(new Set(leases.map((lease: { lease_token: string }) => lease.lease_token)).size, 3);
    for (const { job, lease_token } of leases) await worker.tell(`jobs/${job.id}/accept`, { lease_token });
    assert.equal((await worker.lease({ max_jobs: 3 })).leases.length, 2);
    assert.deepEqual(await worker.lease({ max_jobs: 3 }), NOTHING);
  });

  test('goes to the oldest job of the highest priority that the worker can do', async () => {
    const router = await start();
    const worker = await router.worker();
    const ids: Record<string, string> = {};
    const jobs = [
      ['low', { priority: -5 }],
      ['old', {}],
      ['cheap', { requested_gpu_sku: CHEAP_SKU }],
      ['tune', { job_type: 'fine_tune' }],
      ['new', {}],
      ['urgent', { priority: 9, job_type: 'eval' }],
      ['urgent later', { priority: 9 }],
    ] as const;
    for (const [name, change] of jobs) ids[name] = (await router.job(change)).id;
    const next = async (request: object = {}) => {
      const { job } = await worker.lease(request);
      return job === null ? null : Object.keys(ids).find((name) => ids[name] === job.id);
    };
    assert.equal(await next({ supported_job_types: ['embedding'] }), null);
    assert.equal(await next({ supported_gpu_skus: ['a_gpu_nobody_has'] }), null);
    assert.equal(await next({ supported_gpu_skus: [CHEAP_SKU], supported_job_types: ['fine_tune'] }), null);
    assert.equal(await next({ supported_gpu_skus: [SKU], supported_job_types: ['fine_tune'] }), 'tune');
    for (const expected of ['urgent', 'urgent later', 'old', 'cheap', 'new', 'low', null])
      assert.equal(await next(), expected);
  });

  test('is one per job, however many workers ask at once', async () => {
    const router = await start();
    const workers = await Promise.all(Array.from({ length: 12 }, () => router.worker()));
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push((await router.job()).id);
    const taken: string[] = [];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(workers.map((worker) => worker.lease()));
      taken.push(...answers.flatMap(({ job }) => (job === null ? [] : [job.id as string])));
    }
    assert.deepEqual([...taken].sort(), ids);
  });

  test('leaves a job that a member started or finished by hand alone', async () => {
    const router = await start();
    const worker = await router.worker();
    for (const verb of ['start', 'complete', 'cancel']) await router.post(`/jobs/${(await router.job()).id}/${verb}`);
    assert.equal((await worker.lease()).message, 'no_matching_jobs');
  });
});
