/** What ends a job before its command does: a cancel, a lost lease, a drain, the end of the worker. */
import { strict as assert } from 'node:assert';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  isRunning,
  linesOf,
  pidIn,
  queue,
  reaches,
  script,
  spawnWorker,
  startRouter,
  startWorker,
  temporaryFolder,
  until,
} from '../kit/worker.ts';

/** Far above what it takes, far below the 25 seconds for which the router holds an answer. */
const AT_ONCE_MS = 15_000;

/** Says its pid and that of a child of its own in files, then works until it is stopped. */
function longJob(folder: string, { deaf = false } = {}): string {
  return script(`
    import { spawn } from 'node:child_process';
    import { writeFileSync } from 'node:fs';
    if (${deaf}) process.on('SIGTERM', () => console.log('not now'));
    const child = spawn('sleep', ['1000']);
    writeFileSync('${folder}/child', child.pid + '\\n');
    writeFileSync('${folder}/pid', process.pid + '\\n');
    console.log('working');
    setInterval(() => {}, 1000);
  `);
}

describe('a job that has to stop', () => {
  test('a cancel stops the command and its own children at once, not with the next heartbeat', async () => {
    const folder = temporaryFolder();
    const router = await startRouter();
    const worker = await startWorker(router.url, { exec: { batch: longJob(folder) } });
    const { id } = await queue(router);
    const pids = [await pidIn(join(folder, 'pid')), await pidIn(join(folder, 'child'))];
    await until('its log arrived', async () => (await linesOf(router, id)).length > 0);
    const canceled = performance.now();
    await router.client.cancelJob(id);
    await until('the command and its child are gone', () => !pids.some(isRunning));
    assert.ok(performance.now() - canceled < AT_ONCE_MS);
    assert.equal((await worker.logged('stopped: the lease is lost')).loss, 'canceled');
    await until('its folder is gone', () => readdirSync(join(worker.state, 'jobs')).length === 0);

    const next = await queue(router);
    await reaches(router, next.id, 'running');
    assert.deepEqual(await linesOf(router, id), ['working']);
  });

  test('a command that does not listen to SIGTERM is killed after the grace time', async () => {
    const folder = temporaryFolder();
    const router = await startRouter();
    await startWorker(router.url, { exec: { batch: longJob(folder, { deaf: true }) }, more: ['--stop-seconds', '1'] });
    const { id } = await queue(router);
    const pid = await pidIn(join(folder, 'pid'));
    const canceled = performance.now();
    await router.client.cancelJob(id);
    await until('the command is gone', () => !isRunning(pid));
    assert.ok(performance.now() - canceled >= 950, 'it had its grace time');
  });

  test('a worker that stood still until its lease ran out stops the command, and changes nothing more', async () => {
    const folder = temporaryFolder();
    const router = await startRouter({ ROUTER_LEASE_SECONDS: '8' });
    const worker = await startWorker(router.url, { exec: { batch: longJob(folder) } });
    const { id } = await queue(router, { max_attempts: 1 });
    const pid = await pidIn(join(folder, 'pid'));
    await until('its log arrived', async () => (await linesOf(router, id)).length > 0);
    worker.signal('SIGSTOP');
    const job = await reaches(router, id, 'failed');
    assert.ok(isRunning(pid), 'it has not heard of it yet');
    worker.signal('SIGCONT');
    await until('the command is gone', () => !isRunning(pid));
    assert.equal((await worker.logged('stopped: the lease is lost')).loss, 'expired');
    assert.deepEqual(await router.client.getJob(id), job);
  });

  test('a worker whose router is gone stops the command when the lease has run out by its own clock', async () => {
    const folder = temporaryFolder();
    const router = await startRouter({ ROUTER_LEASE_SECONDS: '8' });
    const worker = await startWorker(router.url, { exec: { batch: longJob(folder) } });
    await queue(router);
    const pid = await pidIn(join(folder, 'pid'));
    await router.kill();
    assert.ok(isRunning(pid), 'a router that is away does not stop a job');
    await until('the command is gone', () => !isRunning(pid));
    assert.equal((await worker.logged('stopped: the lease is lost')).loss, 'expired');
  });

  test('leases are renewed for as long as the command runs', async () => {
    const router = await startRouter({ ROUTER_LEASE_SECONDS: '6' });
    const worker = await startWorker(router.url, { exec: { batch: 'sleep 10' } });
    const { id } = await queue(router);
    const job = await reaches(router, id, 'completed', 'failed');
    assert.deepEqual([job.status, job.attempt], ['completed', 1]);
    assert.deepEqual(
      worker.log.filter(({ level }) => level !== 'info'),
      [],
    );
  });
});

describe('a worker that ends', () => {
  test('SIGTERM: it finishes the job in hand, takes no new one, and exits 0', async () => {
    const folder = temporaryFolder();
    const router = await startRouter();
    const worker = await startWorker(router.url, {
      exec: {
        batch: script(`
          import { existsSync, writeFileSync } from 'node:fs';
          writeFileSync('${folder}/pid', process.pid + '\\n');
          while (!existsSync('${folder}/go')) await new Promise((r) => setTimeout(r, 5));
          console.log('done');
        `),
      },
    });
    const { id } = await queue(router);
    await pidIn(join(folder, 'pid'));
    worker.signal('SIGTERM');
    await worker.logged('draining');
    await until('the router knows', async () => (await router.client.listWorkers())[0]?.status === 'draining');
    const next = await queue(router);
    writeFileSync(join(folder, 'go'), '');
    assert.equal(await worker.ended, 0);
    assert.equal((await router.client.getJob(id)).status, 'completed');
    assert.deepEqual(await linesOf(router, id), ['done']);
    assert.equal((await router.client.getJob(next.id)).status, 'queued');
  });

  test('SIGTERM without a job: it exits 0 at once, also while it waits for a router that is away', async () => {
    const router = await startRouter();
    const worker = await startWorker(router.url, { exec: { batch: 'true' } });
    worker.signal('SIGTERM');
    const drained = performance.now();
    assert.equal(await worker.ended, 0);
    assert.ok(performance.now() - drained < AT_ONCE_MS);
    await router.kill();
    const lonely = spawnWorker(router.url, { exec: { batch: 'true' } });
    await lonely.logged('the router does not register this worker yet');
    lonely.signal('SIGINT');
    assert.equal(await lonely.ended, 0);
  });

  test('a second signal ends it at once, and the command with it', async () => {
    const folder = temporaryFolder();
    const router = await startRouter();
    const worker = await startWorker(router.url, { exec: { batch: longJob(folder) } });
    await queue(router);
    const pids = [await pidIn(join(folder, 'pid')), await pidIn(join(folder, 'child'))];
    worker.signal('SIGTERM');
    await worker.logged('draining');
    worker.signal('SIGTERM');
    assert.equal(await worker.ended, 1);
    await until('the command is gone', () => !pids.some(isRunning));
  });

  test('SIGKILL: the command dies with it, and another worker does the job when the lease has run out', async () => {
    const folder = temporaryFolder();
    const router = await startRouter({ ROUTER_LEASE_SECONDS: '8' });
    const first = await startWorker(router.url, { exec: { batch: longJob(folder) } });
    const { id } = await queue(router);
    const pids = [await pidIn(join(folder, 'pid')), await pidIn(join(folder, 'child'))];
    await first.kill();
    await until('the command is gone', () => !pids.some(isRunning));
    await startWorker(router.url, { exec: { batch: `sh -c 'echo second; echo $JOB_ATTEMPT'` }, node: 'rig-2' });
    const job = await reaches(router, id, 'completed');
    assert.deepEqual([job.attempt, job.assigned_node_id], [2, 'rig-2']);
    assert.deepEqual((await linesOf(router, id)).slice(-2), ['second', '2']);
    assert.equal((await router.client.verifyReceipts()).ok, true);

    // The first, started again, finds what it was doing and lets go of it.
    const isRetryable = await startWorker(router.url, { exec: { batch: 'true' }, state: first.state });
    assert.equal((await isRetryable.logged('stopped: the lease is lost')).loss, 'expired');
    await until('its folder is gone', () => readdirSync(join(first.state, 'jobs')).length === 0);
    assert.ok(existsSync(join(first.state, 'worker.json')));
  });

  test('the router asks for a drain: no new job until it is resumed', async () => {
    const router = await startRouter();
    const worker = await startWorker(router.url, { exec: { batch: 'true' } });
    const [known] = await router.client.listWorkers();
    await router.client.drainWorker(known!.id);
    await worker.logged('the router asks for a change');
    const { id } = await queue(router);
    assert.equal((await router.client.getJob(id)).status, 'queued');
    await router.client.resumeWorker(known!.id);
    await reaches(router, id, 'completed');
  });
});
