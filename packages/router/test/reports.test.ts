/** What a worker reports under its lease, and what members read of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, eachRouter, type TestRouter } from './kit/running.ts';

async function runningJob(router: TestRouter) {
  const worker = await router.worker();
  const { id } = await router.job();
  const { lease_token } = await worker.lease();
  await worker.tell(`jobs/${id}/accept`, { lease_token });
  return {
    worker,
    id: id as string,
    lease_token,
    tell: (path: string, body: object) => worker.tell(`jobs/${id}/${path}`, { lease_token, ...body }),
  };
}

eachRouter('a worker’s reports', (start) => {
  test('log chunks come back in order; a repeated sequence is stored once per stream', async () => {
    const router = await start();
    const { id, tell } = await runningJob(router);
    await tell('logs', { lines: ['one', 'two'], sequence: 0 });
    await tell('logs', { lines: ['one', 'two'], sequence: 0 });
    await tell('logs', { lines: ['three'], sequence: 1 });
    await tell('logs', { message: 'oh no\n\u0000', stream: 'stderr', sequence: 0 });
    await tell('logs', { message: 'again' });
    const { event_id } = await tell('logs', { message: 'again' });
    assert.match(event_id, /^event_/);
    const logs = await router.get(`/jobs/${id}/logs`);
    assert.deepEqual(
      logs.map(({ stream, sequence, lines }: Record<string, unknown>) => [stream, sequence, lines]),
      [
        ['stdout', 0, ['one', 'two']],
        ['stdout', 1, ['three']],
        ['stderr', 0, ['oh no\n\u0000']],
        ['stdout', null, ['again']],
        ['stdout', null, ['again']],
      ],
    );
    assert.equal(logs.at(-1).id, event_id);
    const page = await router.get(`/jobs/${id}/logs?limit=2&after=${logs[1].id}`);
    assert.deepEqual(page, logs.slice(2, 4));
  });

  test('the log of a second attempt does not hide behind the sequences of the first', async () => {
    const router = await start();
    const { id, tell } = await runningJob(router);
    await tell('logs', { message: 'first try', sequence: 0 });
    router.clock.advance(600);
    const next = await router.worker();
    const again = await next.lease({ wait_seconds: 30 });
    assert.equal(again.job.id, id);
    await next.tell(`jobs/${id}/logs`, { lease_token: again.lease_token, message: 'second try', sequence: 0 });
    const lines = (await router.get(`/jobs/${id}/logs`)).flatMap((log: { lines: string[] }) => log.lines);
    assert.deepEqual(lines, ['first try', 'second try']);
  });

  test('status events stand among the job’s own, in order', async () => {
    const router = await start();
    const { id, worker, tell } = await runningJob(router);
    const { event_id } = await tell('status', {
      event_type: 'epoch_finished',
      message: 'loss 0.3',
      payload: { epoch: 1, loss: 0.3 },
    });
    await tell('complete', { final_message: 'All done.', metrics: { duration_seconds: 2, accuracy: 0.9 } });
    const events = await router.get(`/jobs/${id}/events`);
    assert.deepEqual(
      events.map((event: { event_type: string }) => event.event_type),
      ['created', 'leased', 'accepted', 'epoch_finished', 'completed'],
    );
    assert.deepEqual(events[3], {
      id: event_id,
      job_id: id,
      event_type: 'epoch_finished',
      message: 'loss 0.3',
      payload: { epoch: 1, loss: 0.3 },
      worker_id: worker.worker_id,
      created_at: '2026-05-29T20:00:00.000+00:00',
    });
    assert.deepEqual(events[4].payload, { metrics: { duration_seconds: 2, accuracy: 0.9 } });
    const { recent_events } = await router.get(`/admin/workers/${worker.worker_id}`);
    assert.deepEqual(
      recent_events.map((event: { event_type: string }) => event.event_type),
      ['completed', 'epoch_finished', 'accepted', 'leased'],
    );
  });

  test('a worker does not say what only the router records', async () => {
    const router = await start();
    const { id, worker, tell } = await runningJob(router);
    for (const event_type of ['lease_expired', 'completed', 'created', 'ledger_run_opened'])
      assertProblem(await worker.ask(`jobs/${id}/status`, { lease_token: 'any', event_type }), 422, 'invalid');
    assert.equal((await router.get('/admin/summary')).expired_leases, 0);
    await tell('status', { event_type: 'lease_expired_soon' });
  });

  test('an artifact is kept with its hash and leaves a receipt that names it', async () => {
    const router = await start();
    const { id, worker, tell } = await runningJob(router);
    const model = {
      artifact_type: 'model',
      name: 'model.json',
      uri: 'file:///artifacts/model.json',
      checksum_sha256: 'ab'.repeat(32),
      size_bytes: 1234,
      metadata: { format: 'json' },
    };
    const { artifact_id } = await tell('artifacts', model);
    assert.match(artifact_id, /^art_/);
    for (const artifact_type of ['log', 'dataset', 'report', 'receipt', 'metrics', 'checkpoint', 'other'])
      await tell('artifacts', { artifact_type, name: artifact_type, uri: 's3://b/k' });
    const artifacts = await router.get(`/jobs/${id}/artifacts`);
    assert.equal(artifacts.length, 8);
    assert.deepEqual(artifacts[0], {
      ...model,
      id: artifact_id,
      job_id: id,
      created_at: '2026-05-29T20:00:00.000+00:00',
    });
    assert.deepEqual([artifacts[1].checksum_sha256, artifacts[1].size_bytes, artifacts[1].metadata], [null, null, {}]);
    const receipts = router.receipts().filter(({ receipt_type }) => receipt_type === 'artifact_reported');
    assert.equal(receipts.length, 8);
    const { metadata: _, ...named } = model;
    assert.deepEqual(receipts[0]!.metadata, { artifact_id, worker_id: worker.worker_id, ...named });
  });

  test('an artifact that is reported again, or twice at the same time, is stored once with one receipt', async () => {
    const router = await start();
    const { id, tell } = await runningJob(router);
    const report = { artifact_type: 'model', name: 'model.json', uri: 's3://b/model.json' };
    const other = { ...report, uri: 's3://b/another.json' };
    const together = await Promise.all([
      tell('artifacts', report),
      tell('artifacts', report),
      tell('artifacts', other),
    ]);
    const ids = [...together, await tell('artifacts', report)].map(({ artifact_id }) => artifact_id);
    assert.deepEqual(ids, [ids[0], ids[0], ids[2], ids[0]]);
    assert.notEqual(ids[0], ids[2]);
    assert.equal((await router.get(`/jobs/${id}/artifacts`)).length, 2);
    const receipts = router.receipts().filter(({ receipt_type }) => receipt_type === 'artifact_reported');
    assert.deepEqual(receipts.map(({ metadata }) => metadata.artifact_id).sort(), [ids[0], ids[2]].sort());
  });

  test('a failure is told with its code, and nothing is charged', async () => {
    const router = await start();
    const { id, worker, tell } = await runningJob(router);
    router.clock.advance(500);
    const failed = await tell('fail', {
      error_code: 'out_of_memory',
      message: 'CUDA out of memory',
      payload: { gb: 97 },
    });
    assert.deepEqual([failed.status, failed.actual_cost_usd, failed.actual_hours], ['failed', null, null]);
    assert.equal(failed.actual_finished_at, '2026-05-29T20:08:20.000+00:00');
    const [receipt] = router.receipts().filter(({ receipt_type }) => receipt_type === 'worker_job_failed');
    assert.equal(receipt!.amount_usd, '0.00');
    assert.equal(receipt!.metadata.error_code, 'out_of_memory');
    assert.equal(receipt!.metadata.message, 'CUDA out of memory');
    assert.equal(receipt!.metadata.worker_id, worker.worker_id);
    const events = await router.get(`/jobs/${id}/events`);
    assert.deepEqual(events.at(-1).payload, { error_code: 'out_of_memory', gb: 97 });
  });

  test('output_uri is the worker’s when it names one, else the member’s', async () => {
    const router = await start();
    const worker = await router.worker();
    for (const [wished, reported, stands] of [
      [undefined, undefined, null],
      ['s3://wish', undefined, 's3://wish'],
      ['s3://wish', 's3://real', 's3://real'],
    ]) {
      const { id } = await router.job({ output_uri: wished });
      const { lease_token } = await worker.lease();
      const done = await worker.tell(`jobs/${id}/complete`, { lease_token, output_uri: reported });
      assert.equal(done.output_uri, stands);
    }
  });

  test('need a known worker token', async () => {
    const router = await start();
    const { worker, id, lease_token } = await runningJob(router);
    const body = { lease_token, message: 'm' };
    for (const token of [undefined, '', 'dwrk_unknown', 'rk_wrong_kind', lease_token])
      for (const path of ['heartbeat', 'jobs/lease', `jobs/${id}/accept`, `jobs/${id}/logs`, `jobs/${id}/complete`]) {
        const answer = await worker.ask(path, body, { token });
        assertProblem(answer, 401, 'unauthenticated');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
  });
});
