/** Receipts for anyone who has a JSON library and SHA-256 and nothing else (docs/spec.md §9.1). */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesIn } from '../kit/records.ts';
import { eachRouter, SKU, type TestRouter, until } from '../kit/running.ts';

const TYPES = [
  'artifact_reported',
  'compute_job',
  'compute_quote',
  'dataset_access',
  'fine_tune_job',
  'job_leased',
  'lease_expired',
  'membership',
  'worker_job_accepted',
  'worker_job_completed',
  'worker_job_failed',
  'worker_registered',
];

/** Sorted keys and what the library makes of every value: no rule for numbers of its own. */
function dumped(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const PYTHON = `
import hashlib, json, sys
for line in sys.stdin.buffer:
    receipt = json.loads(line)
    checksum = receipt.pop("checksum_sha256")
    text = json.dumps(receipt, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    print(hashlib.sha256(text.encode()).hexdigest() == checksum)
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Everything that leaves a receipt, with fractions wherever a caller can put one. */
async function run(router: TestRouter): Promise<void> {
  const member_id = await router.member();
  for (const estimated_hours of [0.1, 1 / 3, 1e-7, 12.345678901234])
    await router.post('/compute/quote', { member_id, requested_gpu_sku: SKU, estimated_hours, job_type: 'eval' });
  const dataset = {
    title: 'Grüße "\\" 🙂 \u2028',
    domain: 'd',
    description: '',
    object_uri: 's3://d',
    license_type: 'MIT',
    quality_tier: 'gold',
    checksum_sha256: '5e'.repeat(32),
    size_bytes: Number.MAX_SAFE_INTEGER,
    row_count: 1,
  };
  const { id: dataset_id } = await router.post('/datasets', dataset);
  await router.post(`/datasets/${dataset_id}/access`, { member_id });
  const worker = await router.worker({ capabilities: { max_concurrent_jobs: 9, load: 0.25 } });
  const leased = async (change: object) => {
    const { id } = await router.job({ estimated_hours: 0.7, max_attempts: 1, payload: { rate: 0.5 }, ...change });
    const { lease_token } = await worker.lease();
    return { id, tell: (verb: string, body: object) => worker.tell(`jobs/${id}/${verb}`, { lease_token, ...body }) };
  };
  const tuned = await leased({ job_type: 'fine_tune' });
  await tuned.tell('accept', {});
  router.clock.advance(12.345);
  const artifact = { artifact_type: 'model', name: 'm', uri: 'file:///m', size_bytes: 7, metadata: { loss: 0.5 } };
  await tuned.tell('artifacts', artifact);
  await tuned.tell('complete', { metrics: { duration_seconds: 11.9999, loss: 0.1, deep: [{ a: 1e-9 }] } });
  const failed = await leased({});
  await failed.tell('fail', { message: 'no \u007f\t', error_code: '0.5', payload: { ratio: 0.5 } });
  const byHand = await router.job({ estimated_hours: 0.000278 });
  await router.post(`/jobs/${byHand.id}/start`);
  router.clock.advance(0.999);
  await router.post(`/jobs/${byHand.id}/complete`);
  const lost = await leased({});
  router.clock.advance(600);
  await until('the lease ran out', async () => (await router.get(`/jobs/${lost.id}`)).status === 'failed');
}

eachRouter('a receipt', (start) => {
  test('is hashed again by any JSON library with sorted keys: no number in it is a fraction', async (t) => {
    const router = await start();
    await run(router);
    const text = filesIn(router.folder)
      .map((name) => readFileSync(join(router.folder, name), 'utf8'))
      .join('');
    const lines = text.split('\n').slice(0, -1);
    const receipts = lines.map((line) => JSON.parse(line));
    assert.deepEqual([...new Set(receipts.map(({ receipt_type }) => receipt_type))].sort(), TYPES);
    for (const [i, { checksum_sha256, ...receipt }] of receipts.entries()) {
      assert.equal(createHash('sha256').update(dumped(receipt)).digest('hex'), checksum_sha256, lines[i]);
      const outside = lines[i]!.replace(/"(?:[^"\\]|\\.)*"/g, '""');
      assert.doesNotMatch(outside, /[.eE](?!ull)\d|\d[.eE]/, lines[i]);
      for (const [name, value] of Object.entries(receipt.metadata))
        if (/_usd$|_hours$/.test(name)) assert.match(String(value), /^\d+\.\d{2}$/, lines[i]);
    }
    const quotes = receipts.filter(({ receipt_type }) => receipt_type === 'compute_quote');
    assert.deepEqual(
      quotes.map(({ metadata }) => [metadata.estimated_hours, metadata.estimated_milliseconds]),
      [
        ['0.10', 360_000],
        ['0.33', 1_200_000],
        ['0.00', 0],
        ['12.35', 44_444_444],
      ],
    );
    if (!hasPython) return t.diagnostic('python3 is not here: json.dumps was not asked');
    const said = execFileSync('python3', ['-c', PYTHON], { input: text, encoding: 'utf8' }).trim().split('\n');
    assert.deepEqual(
      said,
      lines.map(() => 'True'),
    );
  });
});
