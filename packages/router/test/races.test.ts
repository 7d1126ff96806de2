/** What is said of one worker at the same time: each keeps what it sent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachRouter, SKU, until } from './kit/running.ts';

const ROUNDS = 20;
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

eachRouter('commands at the same time', (start) => {
  test('what a heartbeat declares is kept, whatever other heartbeats of the worker come with it', async () => {
    const router = await start();
    const worker = await router.worker({ capabilities: { gpu_skus: [SKU] } });
    for (let round = 1; round <= ROUNDS; round++) {
      await Promise.all([
        worker.tell('heartbeat', { status: 'online', capabilities: { max_concurrent_jobs: round } }),
        worker.tell('heartbeat', { status: 'online', capabilities: { note: `round ${round}` } }),
        worker.tell('heartbeat', { status: 'busy', current_jobs: 1 }),
      ]);
      const { capabilities } = (await router.get(`/admin/workers/${worker.worker_id}`)).worker;
      assert.deepEqual(capabilities, { gpu_skus: [SKU], max_concurrent_jobs: round, note: `round ${round}` });
    }
  });

  test('a heartbeat that is answered late takes back nothing that was said or ordered meanwhile', async () => {
    const router = await start();
    const worker = await router.worker();
    const shown = async () => (await router.get(`/admin/workers/${worker.worker_id}`)).worker;
    for (let round = 1; round <= ROUNDS; round++) {
      const held = worker.tell('heartbeat', { status: 'draining', metrics: { round }, wait_seconds: 30 });
      await until('it says that it drains', async () => (await shown()).status === 'draining');
      await Promise.all([
        router.post(`/admin/workers/${worker.worker_id}/resume`),
        worker.tell('heartbeat', { status: 'busy', current_jobs: round }),
      ]);
      await held;
      const { status, current_jobs, metrics } = await shown();
      assert.deepEqual([status, current_jobs, metrics], ['busy', round, {}], `round ${round}`);
    }
  });

  test('one membership is charged once, and one grant given once, however many ask at once', async () => {
    const router = await start();
    const dataset = await router.post('/datasets', DATASET);
    for (let round = 0; round < 5; round++) {
      const { id } = await router.post('/members', { email: `m${round}@example.org`, name: 'M' });
      await Promise.all(Array.from({ length: 4 }, () => router.post(`/members/${id}/activate`)));
      const charged = await router.get(`/receipts?receipt_type=membership&limit=500`);
      const ours = charged.receipts.filter(({ member_id }: { member_id: string }) => member_id === id);
      assert.equal(ours.length, 1);
      const grants = await Promise.all(
        Array.from({ length: 2 }, () => router.post(`/datasets/${dataset.id}/access`, { member_id: id })),
      );
      const named = new Set(grants.map(({ receipt_id }) => receipt_id));
      const given = (await router.get('/receipts?receipt_type=dataset_access&limit=500')).receipts;
      const to_them = given.filter(({ member_id }: { member_id: string }) => member_id === id);
      assert.deepEqual(
        to_them.map(({ receipt_id }: { receipt_id: string }) => receipt_id),
        [...named],
        `round ${round}`,
      );
    }
  });
});
