/** Members, datasets and money (docs/spec.md §11, §19). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cost } from './kit/model.ts';
import { inShort, type Receipt } from './kit/records.ts';
import { assertProblem, CHEAP_SKU, eachRouter, SKU } from './kit/running.ts';

const DAY = 86_400;
const DATASET = {
  title: 'Support chat',
  domain: 'support',
  description: 'Chats of a help desk.',
  object_uri: 's3://data/support-chat',
  license_type: 'CC-BY-4.0',
  quality_tier: 'gold',
  checksum_sha256: '5e'.repeat(32),
  size_bytes: 1_048_576,
  row_count: 1200,
};

eachRouter('a list', (start) => {
  test('is asked for in digits: an empty size or offset does not stand for a number', async () => {
    const router = await start();
    const { id } = await router.job();
    const lists = ['/members', '/datasets', '/jobs', `/jobs/${id}/events`, `/jobs/${id}/logs`, '/receipts'];
    const paged = ['/members', '/datasets', '/receipts'];
    const numbers = [...lists.map((path) => `${path}?limit=`), ...paged.map((path) => `${path}?offset=`)];
    for (const number of [...numbers, '/admin/history?days='])
      for (const value of ['', '%20', '0x1', '1e0', '1.0', 'true'])
        assertProblem(await router.call('GET', number + value), 422, 'invalid');
    for (const path of lists) assert.equal((await router.call('GET', `${path}?limit=500`)).status, 200, path);
    for (const path of paged) assert.equal((await router.call('GET', `${path}?offset=0`)).status, 200, path);
  });
});

eachRouter('a member', (start) => {
  test('is created inactive, active for 365 days once activated, and inactive again after', async () => {
    const router = await start();
    const created = await router.call('POST', '/members', { body: { email: 'Ada@Example.org', name: 'Ada' } });
    assert.equal(created.status, 201);
    const { id } = created.json;
    assert.match(id, /^mem_/);
    assert.equal(created.headers.get('location'), `/members/${id}`);
    assert.deepEqual(created.json, {
      id,
      email: 'Ada@Example.org',
      name: 'Ada',
      status: 'inactive',
      annual_fee_paid: false,
      membership_started_at: null,
      membership_expires_at: null,
      created_at: '2026-05-29T20:00:00.000+00:00',
    });
    const active = await router.post(`/members/${id}/activate`);
    assert.deepEqual(
      [active.status, active.annual_fee_paid, active.membership_expires_at],
      ['active', true, '2027-05-29T20:00:00.000+00:00'],
    );
    router.clock.advance(300 * DAY);
    assert.deepEqual(await router.post(`/members/${id}/activate`), active, 'active already: unchanged');
    router.clock.advance(65 * DAY - 0.001);
    assert.deepEqual(await router.get(`/members/${id}/status`), {
      member_id: id,
      status: 'active',
      active: true,
      annual_fee_paid: true,
      membership_expires_at: '2027-05-29T20:00:00.000+00:00',
    });
    router.clock.advance(0.001);
    assert.equal((await router.get(`/members/${id}`)).status, 'inactive');
    assert.equal((await router.get(`/members/${id}/status`)).active, false);
    const renewed = await router.post(`/members/${id}/activate`);
    assert.equal(renewed.membership_expires_at, '2028-05-28T20:00:00.000+00:00');
    assert.deepEqual(router.receipts().map(inShort), ['membership 100.00', 'membership 100.00']);
  });

  test('who activates many times at once pays once', async () => {
    const router = await start();
    const { id } = await router.post('/members', { email: 'a@example.org', name: 'A' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => router.call('POST', `/members/${id}/activate`)));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.deepEqual(router.receipts().map(inShort), ['membership 100.00']);
  });

  test('has an e-mail address of its own, whatever its case', async () => {
    const router = await start();
    const body = (email: string) => ({ body: { email, name: 'A' } });
    const answers = await Promise.all(
      ['a@example.org', 'A@example.org', 'a@EXAMPLE.org'].map((email) => router.call('POST', '/members', body(email))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
    assertProblem(await router.call('POST', '/members', body('a@example.ORG')), 409, 'email_taken');
    assertProblem(await router.call('GET', '/members/mem_none'), 404, 'not_found');
    assertProblem(await router.call('POST', '/members/mem_none/activate'), 404, 'not_found');
    assertProblem(await router.call('GET', '/members/mem_none/status'), 404, 'not_found');
  });

  test('is granted a dataset while active: one receipt however often; 403 without one while inactive', async () => {
    const router = await start();
    const { id } = await router.post('/members', { email: 'a@example.org', name: 'A' });
    const dataset = await router.post('/datasets', { id: 'support-chat', ...DATASET });
    const closed = await router.post('/datasets', { ...DATASET, is_member_access: false });
    const path = '/datasets/support-chat/access';
    assertProblem(await router.call('POST', path, { body: { member_id: id } }), 403, 'member_inactive');
    assert.deepEqual(router.receipts(), []);
    await router.post(`/members/${id}/activate`);
    const grants = await Promise.all([1, 2, 3].map(() => router.post(path, { member_id: id })));
    grants.push(await router.post(path, { member_id: id }));
    const [receipt] = router.receipts().slice(1);
    for (const grant of grants)
      assert.deepEqual(grant, {
        access_granted: true,
        dataset_id: dataset.id,
        member_id: id,
        receipt_id: receipt!.receipt_id,
        object_uri: DATASET.object_uri,
      });
    assertProblem(
      await router.call('POST', `/datasets/${closed.id}/access`, { body: { member_id: id } }),
      403,
      'dataset_not_shared',
    );
    assertProblem(await router.call('POST', '/datasets/ds_none/access', { body: { member_id: id } }), 404, 'not_found');
    assertProblem(await router.call('POST', path, { body: { member_id: 'mem_none' } }), 404, 'not_found');
    router.clock.advance(366 * DAY);
    assertProblem(await router.call('POST', path, { body: { member_id: id } }), 403, 'member_inactive');
    assert.deepEqual(router.receipts().map(inShort), ['membership 100.00', 'dataset_access 0.00']);
  });
});

eachRouter('datasets', (start) => {
  test('are registered once per id, listed in pages by domain and tier, and counted', async () => {
    const router = await start();
    const named = await router.call('POST', '/datasets', { body: { id: 'a.b-1', ...DATASET } });
    assert.deepEqual([named.status, named.headers.get('location')], [201, '/datasets/a.b-1']);
    assert.deepEqual(named.json, {
      id: 'a.b-1',
      ...DATASET,
      is_member_access: true,
      created_at: '2026-05-29T20:00:00.000+00:00',
    });
    const { object_uri: _, ...read } = named.json;
    assert.deepEqual(await router.get('/datasets/a.b-1'), read);
    assert.deepEqual(await router.get('/datasets'), [read]);
    assertProblem(await router.call('POST', '/datasets', { body: { id: 'a.b-1', ...DATASET } }), 409, 'id_taken');
    for (let i = 0; i < 5; i++) {
      router.clock.advance(1);
      await router.post('/datasets', {
        ...DATASET,
        title: `No ${i}`,
        domain: i % 2 ? 'law' : 'support',
        quality_tier: 'silver',
      });
    }
    const list = async (query: string) => {
      const { headers, json } = await router.call('GET', `/datasets${query}`);
      return [Number(headers.get('x-total-count')), json.map(({ title }: { title: string }) => title)];
    };
    assert.deepEqual(await list('?domain=law'), [2, ['No 1', 'No 3']]);
    assert.deepEqual(await list('?domain=support&quality_tier=silver&limit=2&offset=1'), [3, ['No 2', 'No 4']]);
    assert.deepEqual(await list('?limit=1'), [6, ['Support chat']]);
    assert.deepEqual(await list('?domain=none'), [0, []]);
  });
});

eachRouter('money', (start) => {
  test('of a quote is the server’s rate × hours, half to even; a caller’s rate is not looked at', async () => {
    const router = await start();
    const member_id = await router.member();
    for (const [requested_gpu_sku, estimated_hours, cost, amount] of [
      [SKU, 2, 10, '10.00'],
      [CHEAP_SKU, 2, 4, '4.00'],
      [SKU, 0.001, 0, '0.00'],
      [SKU, 0.003, 0.02, '0.02'],
      [SKU, 0.005, 0.02, '0.02'],
      [CHEAP_SKU, 0.0075, 0.02, '0.02'],
      [CHEAP_SKU, 1.1125, 2.22, '2.22'],
      [CHEAP_SKU, 1.1175, 2.24, '2.24'],
      [SKU, 1.005, 5.02, '5.02'],
      [SKU, 8784, 43_920, '43920.00'],
    ] as const) {
      const request = { member_id, requested_gpu_sku, estimated_hours, job_type: 'eval' };
      const cheat = { ...request, hourly_rate_usd: 0.01, rate: 0, estimated_cost_usd: 0 };
      const quote = await router.post('/compute/quote', cheat);
      const receipt = router.receipts().at(-1)!;
      assert.deepEqual(quote, {
        ...request,
        gpu_display_name:
          requested_gpu_sku === SKU ? 'RTX PRO 6000 Blackwell Workstation 96GB' : 'ASUS ROG Astral RTX 5090 32GB',
        hourly_rate_usd: requested_gpu_sku === SKU ? 5 : 2,
        estimated_cost_usd: cost,
        receipt_id: receipt.receipt_id,
      });
      assert.deepEqual([inShort(receipt), receipt.member_id], [`compute_quote ${amount}`, member_id]);
      const job = await router.job({ ...cheat, actual_cost_usd: 0 });
      assert.equal(job.estimated_cost_usd, cost);
      assert.equal(router.receipts().at(-1)!.amount_usd, amount);
    }
    const before = router.receipts().length;
    const body = { member_id, requested_gpu_sku: 'h100', estimated_hours: 1, job_type: 'eval' };
    assertProblem(await router.call('POST', '/compute/quote', { body }), 422, 'gpu_unpriced');
    assertProblem(await router.call('POST', '/jobs', { body }), 422, 'gpu_unpriced');
    const stranger = { ...body, requested_gpu_sku: SKU, member_id: 'mem_none' };
    assertProblem(await router.call('POST', '/compute/quote', { body: stranger }), 404, 'not_found');
    assertProblem(await router.call('POST', '/jobs', { body: stranger }), 404, 'not_found');
    assert.equal(router.receipts().length, before);
  });

  const RUNS = [
    // reported seconds, measured seconds; billed as reported, hours, cost; billed as measured, hours, cost
    [31_622_400, 0.05, 1, 0.000278, '0.00', 1, 0.000278, '0.00'],
    [3600, 60, 60, 0.016667, '0.08', 60, 0.016667, '0.08'],
    [null, 3600, 3600, 1, '5.00', 3600, 1, '5.00'],
    [0, 3600, 1, 0.000278, '0.00', 3600, 1, '5.00'],
    [0.2, 0.5, 1, 0.000278, '0.00', 1, 0.000278, '0.00'],
    [7.2, 10.999, 7, 0.001944, '0.01', 10, 0.002778, '0.01'],
    [8.9999, 18, 8, 0.002222, '0.01', 18, 0.005, '0.02'],
    [1234.5678, 7200, 1234, 0.342778, '1.71', 7200, 2, '10.00'],
    [null, 0, 1, 0.000278, '0.00', 1, 0.000278, '0.00'],
  ] as const;
  for (const metering of ['reported', 'measured'] as const)
    test(`of a job is the ${metering === 'reported' ? 'smaller of the two times' : 'measured time'} × the rate, and can be computed again from its receipts`, async () => {
      const router = await start({ environment: { ROUTER_METERING: metering, ROUTER_LEASE_SECONDS: '10000' } });
      const worker = await router.worker();
      for (const [reported, measured, ...figures] of RUNS) {
        const { id } = await router.job();
        const { lease_token } = await worker.lease();
        await worker.tell(`jobs/${id}/accept`, { lease_token });
        router.clock.advance(measured);
        const metrics = {
          ...(reported === null ? {} : { duration_seconds: reported }),
          hourly_rate_usd: 0,
          cost_usd: 0,
        };
        const cheat = { actual_cost_usd: 0, actual_hours: 0, metering: 'reported', billed_seconds: 0 };
        const job = await worker.tell(`jobs/${id}/complete`, { lease_token, metrics, ...cheat });
        const [billed, hours, amount] = metering === 'reported' ? figures.slice(0, 3) : figures.slice(3);
        const what = `${reported} s reported, ${measured} s measured`;
        assert.deepEqual([job.actual_hours, job.actual_cost_usd], [hours, Number(amount)], what);
        const [done, own] = router.receipts().slice(-2);
        for (const { amount_usd, metadata } of [done!, own!]) {
          assert.equal(amount_usd, amount, what);
          assert.deepEqual(
            {
              billed: metadata.billed_seconds,
              measured: metadata.measured_milliseconds,
              reported: metadata.reported_milliseconds,
              metering: metadata.metering,
            },
            {
              billed,
              measured: Math.round(measured * 1000),
              reported: reported === null ? null : Math.floor(reported * 1000),
              metering,
            },
            what,
          );
          assert.equal(metadata.hourly_rate_usd, '5.00');
          assert.equal(costAgain(metadata), amount_usd, what);
        }
      }
    });

  test('of a job completed by hand is metered from its start, at least a second; a repeat is the same answer', async () => {
    const router = await start();
    const started = await router.job();
    await router.post(`/jobs/${started.id}/start`);
    router.clock.advance(3600.999);
    const queued = await router.job();
    for (const [{ id }, billed, measured, amount] of [
      [started, 3600, 3_600_999, '5.00'],
      [queued, 1, 0, '0.00'],
    ] as const) {
      const job = await router.post(`/jobs/${id}/complete`);
      const { metadata, amount_usd } = router.receipts().at(-1)!;
      assert.deepEqual([amount_usd, job.actual_cost_usd, job.status], [amount, Number(amount), 'completed']);
      assert.deepEqual(metadata, {
        phase: 'completed',
        job_type: 'inference',
        requested_gpu_sku: SKU,
        hourly_rate_usd: '5.00',
        billed_seconds: billed,
        measured_milliseconds: measured,
        reported_milliseconds: null,
        metering: 'measured',
      });
      const receipts = router.receipts().length;
      router.clock.advance(60);
      assert.deepEqual(await router.post(`/jobs/${id}/complete`), job);
      assert.equal(router.receipts().length, receipts, 'no second receipt');
    }
  });

  test('is not made by a clock that is set back', async () => {
    const router = await start();
    const { id } = await router.job();
    await router.post(`/jobs/${id}/start`);
    router.clock.advance(-3600);
    const job = await router.post(`/jobs/${id}/complete`);
    assert.deepEqual([job.actual_hours, job.actual_cost_usd], [0.000278, 0]);
    assert.equal(router.receipts().at(-1)!.amount_usd, '0.00');
  });
});

/** The rule in whole numbers, from what a receipt says and nothing else. */
function costAgain(metadata: Receipt['metadata']): string {
  const { metering, measured_milliseconds: measured, reported_milliseconds: reported } = metadata;
  const taken = metering === 'measured' || reported === null ? measured : Math.min(measured, reported);
  assert.equal(metadata.billed_seconds, Math.max(1, Math.floor(taken / 1000)));
  assert.equal(metadata.hourly_rate_usd, '5.00');
  return cost(SKU, BigInt(metadata.billed_seconds) * 1000n);
}
