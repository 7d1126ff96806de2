/** An optional field sent as null is the same as one left out, on every call that takes a body (docs/spec.md §11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHEAP_SKU, eachRouter, NOTHING } from '../kit/running.ts';

eachRouter('optional fields as null', (start) => {
  test('take a member, a node, a worker and a job from the beginning to the end', async () => {
    const router = await start();
    const { post } = router;
    const member_id = await router.member();
    const dataset = {
      id: null,
      title: 'Replies',
      domain: 'support',
      description: '',
      object_uri: 's3://bucket/replies',
      license_type: 'internal',
      quality_tier: 'gold',
      checksum_sha256: '5e'.repeat(32),
      size_bytes: 1,
      row_count: 1,
      is_member_access: null,
    };
    assert.match((await post('/datasets', dataset)).id, /^ds_/);
    const node = { id: null, hostname: 'rig', gpu_type: CHEAP_SKU, max_concurrent_jobs: null, tags: null };
    assert.deepEqual((await post('/compute/register-node', node)).tags, []);
    const worker = await router.worker({
      endpoint_url: null,
      capabilities: { gpu_skus: null, supports: null, max_concurrent_jobs: null },
      tags: null,
      version: null,
      heartbeat_interval_seconds: null,
    });
    const beat = { capabilities: null, current_jobs: null, metrics: null, leases: null, wait_seconds: null };
    assert.equal((await worker.tell('heartbeat', { status: 'online', ...beat })).ok, true);
    const request = { supported_job_types: ['eval'], supported_gpu_skus: [CHEAP_SKU], max_jobs: null };
    assert.deepEqual(await worker.tell('jobs/lease', { ...request, wait_seconds: null }), NOTHING);
    const { id } = await post('/jobs', {
      member_id,
      job_type: 'eval',
      requested_gpu_sku: CHEAP_SKU,
      estimated_hours: 1,
      input_dataset_ids: null,
      output_uri: null,
      payload: null,
      priority: null,
      max_attempts: null,
    });
    const { lease_token } = await worker.tell('jobs/lease', request);
    const told = (what: string, body: object) => worker.tell(`jobs/${id}/${what}`, { lease_token, ...body });
    await told('accept', {});
    await told('status', { event_type: 'epoch_finished', message: null, payload: null });
    await told('logs', { message: 'A line', lines: null, stream: null, sequence: null });
    const optional = { checksum_sha256: null, size_bytes: null, metadata: null };
    await told('artifacts', { artifact_type: 'model', name: 'weights', uri: 'file:///w', ...optional });
    const done = await told('complete', { output_uri: null, metrics: { duration_seconds: null }, final_message: null });
    assert.equal(done.status, 'completed');
  });

  test('that are needed are refused as null', async () => {
    const router = await start();
    const { status, json } = await router.call('POST', '/members', { body: { email: null, name: 'Ada' } });
    assert.deepEqual([status, json.code], [422, 'invalid']);
  });
});
