/** A worker's identity: registered once, its token stored where only its owner can read it. */
import { strict as assert } from 'node:assert';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  isRunning,
  linesOf,
  queue,
  reaches,
  SKU,
  script,
  spawnWorker,
  startRouter,
  startWorker,
  temporaryFolder,
  until,
} from './kit/worker.ts';

const exec = { batch: 'true' };

describe('a worker', () => {
  test('registers once; the token file is 0600 and used again', async () => {
    const router = await startRouter();
    const first = await startWorker(router.url, { exec });
    const file = join(first.state, 'worker.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(first.state).mode & 0o777, 0o700);
    const kept = readFileSync(file, 'utf8');
    first.signal('SIGTERM');
    assert.equal(await first.ended, 0);
    const second = await startWorker(router.url, { exec, state: first.state });
    assert.equal(
      second.log.some(({ msg }) => msg === 'registered'),
      false,
    );
    assert.equal(readFileSync(file, 'utf8'), kept);
    await until('it is back', async () =>
      (await router.client.listWorkers()).every(({ status }) => status === 'online'),
    );
    assert.equal((await router.client.listWorkers()).length, 1);
  });

  test('says what it is and how it is doing', async () => {
    const router = await startRouter();
    await startWorker(router.url, {
      exec: { batch: 'true', eval: 'true' },
      more: ['--name', 'Rig one', '--tag', 'lab', '--concurrency', '2'],
    });
    const worker = await until('its first heartbeat', async () =>
      (await router.client.listWorkers()).find(({ last_heartbeat_at }) => last_heartbeat_at),
    );
    assert.equal(worker.name, 'Rig one');
    assert.deepEqual(worker.tags, ['lab']);
    const { gpu_skus, supports, max_concurrent_jobs, cpu_count } = worker.capabilities;
    assert.deepEqual([gpu_skus, supports, max_concurrent_jobs], [[SKU], ['batch', 'eval'], 2]);
    assert.ok(Number(cpu_count) > 0);
    assert.ok(Number(worker.metrics.memory_free_bytes) > 0);
  });

  test('two on one state folder: the second says so and ends', async () => {
    const router = await startRouter();
    const { state } = await startWorker(router.url, { exec });
    const second = spawnWorker(router.url, { exec, state });
    assert.equal(await second.ended, 2);
    assert.match(second.said.join('\n'), /^rcpt worker: --state: another worker runs in/);
  });

  test('with a wrong enrollment token it ends with one line; with the right one it works', async () => {
    const router = await startRouter({ ROUTER_ENROLLMENT_TOKEN: 'enroll-0123456789abcdef' });
    const wrong = spawnWorker(router.url, {
      exec,
      environment: { ROUTER_ENROLLMENT_TOKEN: 'enroll-fedcba9876543210' },
    });
    assert.equal(await wrong.ended, 1);
    assert.equal(wrong.said.length, 1);
    assert.match(wrong.said[0]!, /^rcpt worker: 401 unauthenticated/);
    await startWorker(router.url, { exec, environment: { ROUTER_ENROLLMENT_TOKEN: 'enroll-0123456789abcdef' } });
    const { id } = await queue(router);
    await reaches(router, id, 'completed');
  });

  test('whose router does not know its token any more registers anew and works on', async () => {
    const router = await startRouter();
    const state = temporaryFolder();
    const unknown = { router: router.url, node_id: 'rig-1', worker_id: 'worker_gone', worker_token: 'dwrk_gone' };
    writeFileSync(join(state, 'worker.json'), JSON.stringify(unknown), { mode: 0o600 });
    const worker = await startWorker(router.url, { exec, state });
    const { id } = await queue(router);
    await reaches(router, id, 'completed');
    assert.notEqual((await worker.logged('registered')).worker_id, 'worker_gone');
  });

  test('that is revoked stops its job and ends, and registers anew only without what it kept', async () => {
    const router = await startRouter();
    const sleeping = { batch: script(`console.log(process.pid); setInterval(() => undefined, 1000);`) };
    const worker = await startWorker(router.url, { exec: sleeping });
    const { id } = await queue(router, { max_attempts: 1 });
    await reaches(router, id, 'running');
    const [pid] = await until('the command runs', async () => {
      const lines = await linesOf(router, id);
      return lines.length > 0 ? lines : null;
    });
    const workers = await router.client.listWorkers();
    await router.client.revokeWorker(workers[0]!.id);
    assert.equal(await worker.ended, 1);
    assert.match(worker.said.join('\n'), /rcpt worker: 401 worker_revoked/);
    assert.equal(isRunning(Number(pid)), false);
    assert.equal((await router.client.getJob(id)).status, 'failed');

    const isRetryable = spawnWorker(router.url, { exec, state: worker.state });
    assert.equal(await isRetryable.ended, 1, 'it does not undo the revocation');
    assert.equal((await router.client.listWorkers()).length, 1);
    rmSync(join(worker.state, 'worker.json'));
    await startWorker(router.url, { exec, state: worker.state });
    assert.equal((await router.client.listWorkers()).length, 2);
  });

  test('that is started again with another offer declares it before it is leased anything', async () => {
    const router = await startRouter();
    const first = await startWorker(router.url, { exec, more: ['--concurrency', '3'] });
    first.signal('SIGTERM');
    assert.equal(await first.ended, 0);
    await startWorker(router.url, { exec: { eval: 'true' }, state: first.state });
    const { id } = await queue(router, { job_type: 'eval' });
    await reaches(router, id, 'completed');
    const workers = await router.client.listWorkers();
    assert.deepEqual(
      workers.map(({ capabilities }) => [capabilities.supports, capabilities.max_concurrent_jobs]),
      [[['eval'], 1]],
    );
  });

  test('shows its token to no other host', async () => {
    const router = await startRouter();
    const state = temporaryFolder();
    const other = {
      router: 'https://router.example',
      node_id: 'rig-1',
      worker_id: 'worker_x',
      worker_token: 'dwrk_secret',
    };
    writeFileSync(join(state, 'worker.json'), JSON.stringify(other), { mode: 0o600 });
    const worker = await startWorker(router.url, { exec, state });
    assert.ok(worker.log.some(({ msg }) => msg === 'registered'));
    assert.ok(!readFileSync(join(state, 'worker.json'), 'utf8').includes('dwrk_secret'));
    rmSync(state, { recursive: true });
  });
});
