/** Members and receipts as lists, and what happened per hour and day. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { linesFromEnd } from '../../src/receipts/read.ts';
import { assertProblem, CHEAP_SKU, eachRouter, SKU, START } from '../kit/running.ts';

const HOUR = 3_600;
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
type Json = any;

/** Past what is kept for the next question. */
const later = () => new Promise((resolve) => setTimeout(resolve, 2_050));

eachRouter('the history', (start) => {
  test('counts what was created, ended and paid in each bucket, and how deep the queue was at its end', async () => {
    const router = await start();
    const { clock } = router;
    const day = async (days: number): Promise<Json> => router.get(`/admin/history?days=${days}`);
    const first = await router.job();
    const [second, third] = [await router.job({ requested_gpu_sku: CHEAP_SKU }), await router.job()];
    clock.advance(HOUR);
    await router.post(`/jobs/${first.id}/start`);
    clock.advance(HOUR);
    await router.post(`/jobs/${first.id}/complete`);
    await router.post(`/jobs/${third.id}/cancel`);
    const { token: _, ...worker } = await router.worker();
    const { lease_token, job } = await worker.lease({ supported_gpu_skus: [CHEAP_SKU] });
    assert.equal(job.id, second.id);
    await worker.tell(`jobs/${second.id}/accept`, { lease_token });
    clock.advance(300);
    await worker.tell(`jobs/${second.id}/fail`, { lease_token, message: 'm' });
    await router.job();

    const { bucket_seconds, buckets } = await day(1);
    assert.equal(bucket_seconds, 3600);
    assert.equal(buckets.length, 24);
    const zero = { created: 0, completed: 0, failed: 0, canceled: 0, spend_usd: 0, queued: 0 };
    assert.deepEqual(buckets.slice(-4), [
      { at: '2026-05-29T19:00:00.000+00:00', ...zero },
      { at: '2026-05-29T20:00:00.000+00:00', ...zero, created: 3, queued: 3 },
      { at: '2026-05-29T21:00:00.000+00:00', ...zero, queued: 2 },
      // An hour on the dear GPU; what failed and what was canceled costs nothing.
      {
        at: '2026-05-29T22:00:00.000+00:00',
        ...zero,
        created: 1,
        completed: 1,
        failed: 1,
        canceled: 1,
        spend_usd: 5,
        queued: 1,
      },
    ]);
    assert.ok(
      buckets
        .slice(0, 21)
        .every((bucket: Json) => JSON.stringify({ at: bucket.at, ...zero }) === JSON.stringify(bucket)),
    );

    clock.advance(30 * HOUR);
    await later();
    const daily = await day(30);
    assert.equal(daily.bucket_seconds, 86_400);
    assert.equal(daily.buckets.length, 30);
    assert.deepEqual(daily.buckets.slice(-3), [
      {
        at: '2026-05-29T00:00:00.000+00:00',
        ...zero,
        created: 4,
        completed: 1,
        failed: 1,
        canceled: 1,
        spend_usd: 5,
        queued: 1,
      },
      { at: '2026-05-30T00:00:00.000+00:00', ...zero, queued: 1 },
      { at: '2026-05-31T00:00:00.000+00:00', ...zero, queued: 1 },
    ]);
    assert.deepEqual((await day(2)).buckets.length, 48);
    for (const wrong of ['0', '367', '1.5', 'x'])
      assertProblem(await router.call('GET', `/admin/history?days=${wrong}`), 422, 'invalid');
  });

  test('is the same told step by step as told at once, whatever comes in between', async () => {
    const router = await start();
    const worker = await router.worker();
    const seen: Json[] = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5; i++) await router.job({ job_type: 'batch' });
      for (let i = 0; i < 3; i++) {
        const { job, lease_token } = await worker.lease();
        await worker.tell(`jobs/${job.id}/accept`, { lease_token });
        router.clock.advance(500);
        if (i < 2) await worker.tell(`jobs/${job.id}/complete`, { lease_token });
        else await worker.tell(`jobs/${job.id}/fail`, { lease_token, message: 'm' });
      }
      router.clock.advance(2_000);
      await later();
      seen.push(await router.get('/admin/history?days=1'));
    }
    const sums = (key: string) => seen.at(-1).buckets.reduce((sum: number, bucket: Json) => sum + bucket[key], 0);
    assert.deepEqual([sums('created'), sums('completed'), sums('failed')], [15, 6, 3]);
    assert.equal(seen.at(-1).buckets.at(-1).queued, 6);
    // Another process, which has never looked, sees the same.
    const second = await start({ database: { db: router.db, url: router.database_url }, clock: router.clock });
    assert.deepEqual(await second.get('/admin/history?days=1'), seen.at(-1));
  });
});

eachRouter('lists', (start) => {
  test('members, newest first, by status and by page, with how many there are', async () => {
    const router = await start();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { id } = await router.post('/members', { email: `list-${i}@example.org`, name: `M ${i}` });
      ids.unshift(id);
    }
    await router.post(`/members/${ids[1]}/activate`);
    await router.post(`/members/${ids[3]}/activate`);
    const list = async (query: string) => {
      const { json, headers } = await router.call('GET', `/members?${query}`);
      return [Number(headers.get('x-total-count')), json.map(({ id }: Json) => ids.indexOf(id))];
    };
    assert.deepEqual(await list(''), [5, [0, 1, 2, 3, 4]]);
    assert.deepEqual(await list('limit=2&offset=1'), [5, [1, 2]]);
    assert.deepEqual(await list('status=active'), [2, [1, 3]]);
    assert.deepEqual(await list('status=inactive&limit=2'), [3, [0, 2]]);
    router.clock.advance(366 * 24 * HOUR);
    assert.deepEqual(await list('status=active'), [0, []], 'a year later no member is active');
    assert.deepEqual((await router.get('/members?limit=1'))[0], await router.get(`/members/${ids[0]}`));
  });

  test('receipts of one type, the last one first', async () => {
    const router = await start();
    const member_id = await router.member();
    const quote = { member_id, requested_gpu_sku: SKU, job_type: 'inference' };
    const quotes: string[] = [];
    for (let hours = 1; hours <= 4; hours++) {
      quotes.push((await router.post('/compute/quote', { ...quote, estimated_hours: hours })).receipt_id);
      await router.job({ member_id });
    }
    const list = async (query: string) =>
      (await router.get(`/receipts?${query}`)).receipts.map(({ receipt_id }: Json) => receipt_id);
    const all = router.receipts().map(({ receipt_id }) => receipt_id);
    assert.deepEqual(await list('receipt_type=compute_quote'), quotes);
    assert.deepEqual(await list('receipt_type=compute_quote&order=newest&limit=2&offset=1'), [quotes[2], quotes[1]]);
    assert.deepEqual(await list('order=newest'), all.toReversed());
    assert.deepEqual(await list('receipt_type=dataset_access&order=newest'), []);
    assert.deepEqual(await list(`order=newest&date=${new Date(START - 86_400_000).toISOString().slice(0, 10)}`), []);
    assertProblem(await router.call('GET', '/receipts?order=best'), 422, 'invalid');
    assertProblem(await router.call('GET', '/receipts?receipt_type=Compute'), 422, 'invalid');
  });
});

test('lines from the end are the lines, however the file falls into chunks, without a line that is torn', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lines-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'lines');
  for (const text of ['', 'torn', 'a\n', 'one\n\ntwo €\nthree\n', 'one\ntwo\ntorn', '\n\n']) {
    writeFileSync(file, text);
    for (const chunk of [1, 2, 3, 7, 1_000]) {
      const lines: string[] = [];
      for await (const line of linesFromEnd(file, chunk)) lines.push(line.toString());
      assert.deepEqual(lines.toReversed(), text.split('\n').slice(0, -1), JSON.stringify([text, chunk]));
    }
  }
});
