/** Prices come from a table that is read at start; a job keeps the rate it was estimated at. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { assertProblem, CHEAP_SKU, eachRouter, SKU, stoppedClock, temporaryFolder } from '../kit/running.ts';

const CPU = { gpu_type: 'cpu_small', gpu_name: 'A small CPU', vram_gb: 0, hourly_rate_usd: 36.5 };
const DEFAULTS = [
  { gpu_type: SKU, gpu_name: 'RTX PRO 6000 Blackwell Workstation 96GB', vram_gb: 96, hourly_rate_usd: 5 },
  { gpu_type: CHEAP_SKU, gpu_name: 'ASUS ROG Astral RTX 5090 32GB', vram_gb: 32, hourly_rate_usd: 2 },
];
const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function pricesFile(...rows: object[]): Record<string, string> {
  const file = join(folder, `${files++}.json`);
  writeFileSync(file, JSON.stringify(rows));
  return { PRICES_FILE: file };
}

eachRouter('prices', (start, _engine, fresh) => {
  test('are the two of docs/spec.md §19 without a file, and what a file adds or replaces with one', async () => {
    assert.deepEqual(await (await start()).get('/compute/prices'), DEFAULTS);
    const router = await start({ environment: pricesFile(CPU, { ...DEFAULTS[1], hourly_rate_usd: 3 }) });
    assert.deepEqual(await router.get('/compute/prices'), [DEFAULTS[0], { ...DEFAULTS[1], hourly_rate_usd: 3 }, CPU]);
    const member_id = await router.member();
    const wish = { member_id, requested_gpu_sku: CPU.gpu_type, estimated_hours: 2, job_type: 'batch' };
    const quote = await router.post('/compute/quote', wish);
    assert.deepEqual(
      [quote.gpu_display_name, quote.hourly_rate_usd, quote.estimated_cost_usd],
      [CPU.gpu_name, 36.5, 73],
    );
    const job = await router.post('/jobs', wish);
    assert.deepEqual([job.hourly_rate_usd, job.estimated_cost_usd], [36.5, 73]);
    const node = await router.post('/compute/register-node', { hostname: 'box', gpu_type: CPU.gpu_type });
    assert.deepEqual([node.gpu_name, node.vram_gb, node.hourly_rate_usd], [CPU.gpu_name, 0, 36.5]);
  });

  test('that went away leave what was begun: a job is leased and charged at its own rate, its node shown without one', async (t) => {
    const place = temporaryFolder();
    t.after(() => rmSync(place, { recursive: true, force: true }));
    const database = await fresh();
    const clock = stoppedClock();
    const first = await start({ environment: pricesFile(CPU), database, folder: place, clock, doomed: true });
    const node = await first.post('/compute/register-node', { hostname: 'box', gpu_type: CPU.gpu_type });
    const { id } = await first.job({ requested_gpu_sku: CPU.gpu_type, estimated_hours: 1 });
    const cheap = await first.job({ requested_gpu_sku: CHEAP_SKU });
    await first.close();

    const dearer = { ...DEFAULTS[1]!, hourly_rate_usd: 9 };
    const router = await start({ environment: pricesFile(dearer), database, folder: place, clock });
    const [shown] = await router.get('/compute/inventory');
    assert.deepEqual(
      [shown.id, shown.gpu_name, shown.vram_gb, shown.hourly_rate_usd],
      [node.id, CPU.gpu_type, null, null],
    );
    await router.get('/admin/summary');
    const member_id = await router.member();
    const again = { member_id, requested_gpu_sku: CPU.gpu_type, estimated_hours: 1, job_type: 'batch' };
    for (const path of ['/jobs', '/compute/quote'])
      assertProblem(await router.call('POST', path, { body: again }), 422, 'gpu_unpriced');
    const worker = await router.worker({
      capabilities: { gpu_skus: [CPU.gpu_type, CHEAP_SKU] },
      node_id: node.id,
    });
    for (const [job_id, sku, cost] of [
      [id, CPU.gpu_type, 36.5],
      [cheap.id, CHEAP_SKU, 2],
    ] as const) {
      const { job, lease_token } = await worker.lease({ supported_gpu_skus: [sku] });
      assert.equal(job.id, job_id);
      await worker.tell(`jobs/${job_id}/accept`, { lease_token });
      for (let i = 0; i < 8; i++) {
        clock.advance(450);
        await worker.tell('heartbeat', { status: 'busy', leases: [{ job_id, lease_token }] });
      }
      const done = await worker.tell(`jobs/${job_id}/complete`, { lease_token });
      assert.deepEqual([done.actual_hours, done.hourly_rate_usd, done.actual_cost_usd], [1, cost, cost]);
    }
  });
});
