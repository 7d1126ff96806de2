/** The router away, the worker away: no log line and no result is lost or doubled. */
import { strict as assert } from 'node:assert';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  isRunning,
  linesOf,
  pidIn,
  queue,
  reaches,
  script,
  startRouter,
  startWorker,
  temporaryFolder,
  until,
} from '../kit/worker.ts';

const receiptsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.receipts.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as { receipt_type: string; job_id: string | null });

describe('a router that goes away', () => {
  test('and comes back during a job: every line once and in order, the artifact once, the job completed', async () => {
    const folder = temporaryFolder();
    let router = await startRouter();
    await startWorker(router.url, {
      exec: {
        batch: script(`
          import { existsSync, writeFileSync } from 'node:fs';
          writeFileSync('${folder}/pid', process.pid + '\\n');
          for (let i = 0; !existsSync('${folder}/stop') || i % 1000 !== 0; i++) {
            console.log(i);
            if (i % 10 === 0) await new Promise((r) => setTimeout(r, 10));
          }
          writeFileSync(process.env.JOB_ARTIFACTS + '/model.json', '{}');
        `),
      },
    });
    const { id } = await queue(router);
    await pidIn(join(folder, 'pid'));
    for (let round = 1; round <= 3; round++) {
      const seen = (await linesOf(router, id)).length;
      await until('more of its log', async () => (await linesOf(router, id)).length > seen);
      await router.kill();
      router = await router.restart();
    }
    writeFileSync(join(folder, 'stop'), '');
    const job = await reaches(router, id, 'completed', 'failed');
    assert.deepEqual([job.status, job.attempt], ['completed', 1]);
    const lines = (await linesOf(router, id)).map(Number);
    assert.ok(lines.length >= 1_000);
    assert.deepEqual(
      lines,
      Array.from({ length: lines.length }, (_, i) => i),
    );
    assert.equal(lines.length % 1_000, 0);
    const types = receiptsOf(router.receipts)
      .filter((receipt) => receipt.job_id === id)
      .map((receipt) => receipt.receipt_type);
    for (const type of ['job_leased', 'worker_job_accepted', 'artifact_reported', 'worker_job_completed'])
      assert.equal(types.filter((each) => each === type).length, 1, `${type} in ${types}`);
    assert.equal((await router.client.verifyReceipts()).ok, true);
  });

  test('before the result is delivered: it is delivered when the router is back', async () => {
    const folder = temporaryFolder();
    const router = await startRouter();
    const worker = await startWorker(router.url, {
      exec: {
        batch: script(`
          import { existsSync, writeFileSync } from 'node:fs';
          writeFileSync('${folder}/pid', process.pid + '\\n');
          while (!existsSync('${folder}/go')) await new Promise((r) => setTimeout(r, 5));
          for (let i = 0; i < 20000; i++) console.log(i + ' '.repeat(50));
          writeFileSync(process.env.JOB_METRICS, '{"loss": 1}');
        `),
      },
    });
    const { id } = await queue(router);
    await pidIn(join(folder, 'pid'));
    await router.kill();
    writeFileSync(join(folder, 'go'), '');
    await worker.logged('command ended');
    const isRetryable = await router.restart();
    await reaches(isRetryable, id, 'completed');
    assert.deepEqual(
      (await linesOf(isRetryable, id)).map(Number),
      Array.from({ length: 20_000 }, (_, i) => i),
    );
  });
});

describe('a worker that crashes', () => {
  test('with a result in hand, and starts again while its lease lives, delivers log, artifacts and result', async () => {
    const folder = temporaryFolder();
    const router = await startRouter();
    const settings = {
      exec: {
        batch: script(`
          import { existsSync, writeFileSync } from 'node:fs';
          writeFileSync('${folder}/pid', process.pid + '\\n');
          while (!existsSync('${folder}/go')) await new Promise((r) => setTimeout(r, 5));
          for (let i = 0; i < 3000; i++) console.log(i);
          writeFileSync(process.env.JOB_ARTIFACTS + '/model.json', '{"weights": []}');
          writeFileSync(process.env.JOB_METRICS, '{"loss": 1}');
        `),
      },
    };
    const first = await startWorker(router.url, settings);
    const { id } = await queue(router);
    await pidIn(join(folder, 'pid'));
    await router.kill();
    writeFileSync(join(folder, 'go'), '');
    const [job] = readdirSync(join(first.state, 'jobs'));
    await until('the outcome is kept', () => readdirSync(join(first.state, 'jobs', job!)).includes('outcome.json'));
    await first.kill();

    const back = await router.restart();
    const second = await startWorker(back.url, { ...settings, state: first.state, artifacts: first.artifacts });
    assert.equal(
      second.log.some((entry) => entry.msg === 'registered'),
      false,
      'it is the same worker',
    );
    const done = await reaches(back, id, 'completed');
    assert.equal(done.attempt, 1);
    assert.deepEqual(
      (await linesOf(back, id)).map(Number),
      Array.from({ length: 3_000 }, (_, i) => i),
    );
    assert.deepEqual(
      (await back.client.jobArtifacts(id)).map(({ name }) => name),
      ['model.json'],
    );
  });

  test('in the middle of a job, and starts again, runs the job again under the lease it still holds', async () => {
    const folder = temporaryFolder();
    const router = await startRouter({ ROUTER_LEASE_SECONDS: '600' });
    const settings = {
      exec: {
        batch: script(`
          import { spawn } from 'node:child_process';
          import { existsSync, readdirSync, writeFileSync } from 'node:fs';
          const run = readdirSync('${folder}').filter((name) => name.startsWith('run-')).length;
          // Leaves the group and the session.
          const stray = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
          writeFileSync('${folder}/stray-' + run, stray.pid + '\\n');
          console.log('run ' + run + ' in ' + (readdirSync('.').length === 0 ? 'a fresh folder' : 'what was left'));
          writeFileSync('left', '');
          writeFileSync(process.env.JOB_ARTIFACTS + '/part-' + run, 'p');
          writeFileSync('${folder}/run-' + run, process.pid + '\\n');
          while (!existsSync('${folder}/go')) await new Promise((r) => setTimeout(r, 5));
          for (let i = 0; i < 2000; i++) console.log(i);
          process.kill(stray.pid, 'SIGKILL');
        `),
      },
    };
    let worker = await startWorker(router.url, settings);
    const { id } = await queue(router);
    await pidIn(join(folder, 'run-0'));
    await until('its first line', async () => (await linesOf(router, id)).length > 0);
    await until('its start was told', async () =>
      (await router.client.jobEvents(id)).some(({ event_type }) => event_type === 'command_started'),
    );
    await worker.kill();
    const stray = await pidIn(join(folder, 'stray-0'));
    writeFileSync(join(folder, 'go'), '');
    worker = await startWorker(router.url, { ...settings, state: worker.state, artifacts: worker.artifacts });
    const job = await reaches(router, id, 'completed');
    assert.equal(isRunning(stray), false);
    assert.equal(job.attempt, 1);
    assert.deepEqual(await linesOf(router, id), [
      'run 0 in a fresh folder',
      'run 1 in a fresh folder',
      ...Array.from({ length: 2_000 }, (_, i) => String(i)),
    ]);
    assert.deepEqual(
      (await router.client.jobArtifacts(id)).map(({ name }) => name),
      ['part-1'],
    );
    const events = (await router.client.jobEvents(id)).map(({ event_type }) => event_type);
    assert.deepEqual(
      events.filter((type) => type !== 'created'),
      ['leased', 'accepted', 'command_started', 'command_restarted', 'completed'],
    );
    const types = receiptsOf(router.receipts).filter((receipt) => receipt.job_id === id);
    for (const type of ['job_leased', 'worker_job_accepted', 'worker_job_completed'])
      assert.equal(types.filter(({ receipt_type }) => receipt_type === type).length, 1, type);
    await until('nothing of it is left', () => readdirSync(join(worker.state, 'jobs')).length === 0);
    assert.ok(!JSON.stringify([worker.log, worker.said]).includes('dlease_'));
  });

  test('three times in the same job lets go of it: perhaps the job is the reason', async () => {
    const folder = temporaryFolder();
    const router = await startRouter({ ROUTER_LEASE_SECONDS: '600' });
    const exec = {
      batch: script(`
        import { appendFileSync, writeFileSync } from 'node:fs';
        appendFileSync('${folder}/runs', 'x');
        writeFileSync('${folder}/pid-' + process.pid, process.pid + '\\n');
        setInterval(() => {}, 1000);
      `),
    };
    const state = temporaryFolder();
    const { id } = await queue(router);
    for (let run = 1; run <= 3; run++) {
      const worker = await startWorker(router.url, { exec, state });
      await until(
        'it runs',
        () => existsSync(join(folder, 'runs')) && readFileSync(join(folder, 'runs')).length === run,
      );
      await worker.kill();
    }
    const last = await startWorker(router.url, { exec, state });
    await last.logged('a job was interrupted; its lease is left to run out');
    await until('its folder is gone', () => readdirSync(join(state, 'jobs')).length === 0);
    assert.equal((await router.client.getJob(id)).status, 'running', 'until the lease has run out');
  });
});
