/** Access to a dataset: who is granted it, for how long, and what a job and its worker get of it (docs/spec.md §19, §20). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_TOKEN, assertProblem, eachRouter, SKU, type TestRouter } from './kit/running.ts';

const DAY = 86_400;
const DATASET = {
  title: 'Support chat',
  domain: 'support',
  description: 'Questions and answers.',
  object_uri: 's3://datasets/support-chat.jsonl',
  license_type: 'CC-BY-4.0',
  quality_tier: 'gold',
  checksum_sha256: 'ab'.repeat(32),
  size_bytes: 1_048_576,
  row_count: 1200,
};
const GRANTED = {
  id: 'chat',
  object_uri: DATASET.object_uri,
  checksum_sha256: DATASET.checksum_sha256,
  size_bytes: DATASET.size_bytes,
};

const inShort = ({ receipt_type, amount_usd }: { receipt_type: string; amount_usd: string }) =>
  `${receipt_type} ${amount_usd}`;
const bodyOf = (member_id: string, input_dataset_ids: string[]) => ({
  member_id,
  job_type: 'batch',
  requested_gpu_sku: SKU,
  estimated_hours: 1,
  input_dataset_ids,
});

async function withDataset(router: TestRouter): Promise<string> {
  await router.post('/datasets', { id: 'chat', ...DATASET });
  return router.member();
}

eachRouter('a grant', (start, engine, fresh) => {
  test('holds for the membership in which it was given; in the next it is a new one with its own receipt', async () => {
    const router = await start();
    const member_id = await withDataset(router);
    const grant = () => router.post('/datasets/chat/access', { member_id });
    const first = await grant();
    router.clock.advance(364 * DAY);
    assert.deepEqual(await grant(), first);
    await router.post('/jobs', bodyOf(member_id, ['chat']));
    router.clock.advance(2 * DAY);
    for (const key of [undefined, 'a-key'])
      assertProblem(
        await router.call('POST', '/jobs', {
          body: bodyOf(member_id, ['chat']),
          headers: key === undefined ? {} : { 'idempotency-key': key },
        }),
        403,
        'member_inactive',
      );
    await router.post(`/members/${member_id}/activate`);
    assertProblem(
      await router.call('POST', '/jobs', { body: bodyOf(member_id, ['chat']) }),
      403,
      'dataset_not_granted',
    );
    const second = await grant();
    assert.notEqual(second.receipt_id, first.receipt_id);
    assert.deepEqual(await grant(), second);
    await router.post('/jobs', bodyOf(member_id, ['chat']));
    assert.deepEqual(router.receipts().map(inShort), [
      'membership 100.00',
      'dataset_access 0.00',
      'compute_job 5.00',
      'membership 100.00',
      'dataset_access 0.00',
      'compute_job 5.00',
    ]);
  });

  test('given many times at once, beside the activation, is one grant with one receipt', async () => {
    const database = await fresh();
    // Two processes stand on one PostgreSQL.
    const routers = [await start({ database })];
    if (engine === 'postgres') routers.push(await start({ database, clock: routers[0]!.clock }));
    const [router] = routers as [TestRouter];
    await router.post('/datasets', { id: 'chat', ...DATASET });
    const { id: member_id } = await router.post('/members', { email: 'a@example.org', name: 'A' });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const { call } = routers[i % routers.length]!;
        if (i % 8 === 3) return call('POST', `/members/${member_id}/activate`);
        if (i % 8 === 5) return call('POST', '/jobs', { body: bodyOf(member_id, ['chat']) });
        return call('POST', '/datasets/chat/access', { body: { member_id } });
      }),
    );
    for (const { status, text } of answers) assert.ok(status === 200 || status === 201 || status === 403, text);
    const granted = answers.filter(({ json }) => json.access_granted === true).map(({ json }) => json.receipt_id);
    const { receipt_id } = await router.post('/datasets/chat/access', { member_id });
    assert.deepEqual([...new Set([...granted, receipt_id])], [receipt_id]);
    const written = routers.flatMap((each) => each.receipts()).filter(({ member_id: of }) => of === member_id);
    assert.equal(written.filter(({ receipt_type }) => receipt_type === 'dataset_access').length, 1);
    assert.equal(written.filter(({ receipt_type }) => receipt_type === 'membership').length, 1);
  });
});

eachRouter('a job', (start) => {
  test('is an active member’s: an inactive one is refused, whether or not the router knew them before', async () => {
    const router = await start();
    const { id } = await router.post('/members', { email: 'a@example.org', name: 'A' });
    const create = (headers = {}) => router.call('POST', '/jobs', { body: bodyOf(id, []), headers });
    assertProblem(await create(), 403, 'member_inactive');
    assertProblem(await create({ 'idempotency-key': 'k' }), 403, 'member_inactive');
    await router.post(`/members/${id}/activate`);
    assert.equal((await create()).status, 201);
    router.clock.advance(365 * DAY);
    assertProblem(await create(), 403, 'member_inactive');
    assert.equal(router.receipts().filter(({ receipt_type }) => receipt_type === 'compute_job').length, 1);
  });

  test('names registered datasets only with a grant, and labels of its own as it likes; its worker is told where they are', async () => {
    const router = await start();
    const member_id = await withDataset(router);
    const refused = await router.call('POST', '/jobs', { body: bodyOf(member_id, ['mine', 'chat']) });
    assertProblem(refused, 403, 'dataset_not_granted');
    assert.ok(!refused.text.includes(DATASET.object_uri));
    await router.post('/datasets/chat/access', { member_id });
    const other = await router.member();
    assertProblem(await router.call('POST', '/jobs', { body: bodyOf(other, ['chat']) }), 403, 'dataset_not_granted');
    const jobs: string[] = [];
    for (const headers of [{}, { 'idempotency-key': 'k' }] as Record<string, string>[])
      jobs.push((await router.call('POST', '/jobs', { body: bodyOf(member_id, ['mine', 'chat']), headers })).json.id);
    jobs.push((await router.post('/jobs', bodyOf(member_id, ['mine']))).id);
    // What was granted stays with the job, whatever becomes of the membership.
    router.clock.advance(400 * DAY);
    const worker = await router.worker();
    const { leases } = await worker.lease({ max_jobs: 5 });
    assert.deepEqual(
      leases.map(({ job }: { job: object }) => job).map((job: Record<string, unknown>) => [job.id, job.datasets]),
      [
        [jobs[0], [GRANTED]],
        [jobs[1], [GRANTED]],
        [jobs[2], []],
      ],
    );
    assert.deepEqual(leases[0].job.input_dataset_ids, ['mine', 'chat']);
    // Given back, it is leased with the same.
    router.clock.advance(700);
    const again = await until_leased(worker);
    assert.deepEqual(again.datasets, [GRANTED]);
    for (const path of ['/jobs', `/jobs/${jobs[0]}`, `/jobs/${jobs[0]}/events`, '/receipts'])
      assert.ok(!JSON.stringify(await router.get(path)).includes(DATASET.object_uri), path);
  });
});

eachRouter('where a dataset is', (start) => {
  test('is shown under the admin token, and never on an open router', async () => {
    const open = await start();
    await withDataset(open);
    const guarded = await start({ environment: { ROUTER_ADMIN_TOKEN: ADMIN_TOKEN } });
    await guarded.call('POST', '/datasets', { token: ADMIN_TOKEN, body: { id: 'chat', ...DATASET } });
    for (const path of ['/datasets', '/datasets/chat']) {
      for (const token of [undefined, ADMIN_TOKEN])
        assert.ok(!(await open.call('GET', path, { token })).text.includes('object_uri'), path);
      assertProblem(await guarded.call('GET', path), 401, 'unauthenticated');
      const asked = await guarded.call('GET', path, { token: ADMIN_TOKEN });
      assert.ok(asked.text.includes(DATASET.object_uri), path);
      const headers = { 'rcpt-answer-for': 'member' };
      assert.ok(!(await guarded.call('GET', path, { token: ADMIN_TOKEN, headers })).text.includes('object_uri'), path);
    }
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
async function until_leased(worker: Awaited<ReturnType<TestRouter['worker']>>): Promise<any> {
  for (;;) {
    const { job } = await worker.lease();
    if (job !== null) return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
