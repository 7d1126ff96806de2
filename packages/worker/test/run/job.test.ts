/** A job from queue to result: its log, its artifacts, its metrics, and its failures. */
import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linesOf, queue, reaches, script, startRouter, startWorker, temporaryFolder, until } from '../kit/worker.ts';

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('a job', () => {
  test('runs to its end: every log line in order, the artifact as it was made, the metrics, the price of the time', async () => {
    const router = await startRouter();
    const worker = await startWorker(router.url, {
      exec: {
        batch: script(`
          import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
          const { JOB_FILE, JOB_ARTIFACTS, JOB_METRICS, JOB_ID, JOB_TYPE, JOB_ATTEMPT, JOB_SLOT } = process.env;
          const job = JSON.parse(readFileSync(JOB_FILE, 'utf8'));
          for (let i = 0; i < job.payload.lines; i++) console.log('line ' + i);
          process.stdout.write('no newline at the end: €');
          console.error(JSON.stringify({ JOB_ID, JOB_TYPE, JOB_ATTEMPT, JOB_SLOT, cwd: process.cwd() }));
          mkdirSync(JOB_ARTIFACTS + '/report');
          writeFileSync(JOB_ARTIFACTS + '/model.bin', Buffer.alloc(3_000_000, 7));
          writeFileSync(JOB_ARTIFACTS + '/report/notes.txt', 'Read me.');
          writeFileSync(JOB_METRICS, JSON.stringify({ duration_seconds: 3600, loss: 0.25 }));
        `),
      },
    });
    const { id } = await queue(router, { payload: { lines: 5_000 } });
    const job = await reaches(router, id, 'completed');

    assert.ok(job.actual_hours! < 0.5, 'the hour it reports is not charged: the router measured seconds');
    assert.equal(job.assigned_node_id, 'rig-1');
    const expected = [...Array.from({ length: 5_000 }, (_, i) => `line ${i}`), 'no newline at the end: €'];
    assert.deepEqual(await linesOf(router, id, 'stdout'), expected);
    const [said] = (await linesOf(router, id, 'stderr')).map((line) => JSON.parse(line));
    assert.deepEqual({ ...said, cwd: '' }, { JOB_ID: id, JOB_TYPE: 'batch', JOB_ATTEMPT: '1', JOB_SLOT: '0', cwd: '' });
    assert.ok(said.cwd.startsWith(worker.state), 'in a folder of its own');

    const model = Buffer.alloc(3_000_000, 7);
    const artifacts = await router.client.jobArtifacts(id);
    assert.deepEqual(
      artifacts.map(({ artifact_type, name, checksum_sha256, size_bytes }) => [
        artifact_type,
        name,
        checksum_sha256,
        size_bytes,
      ]),
      [
        ['model', 'model.bin', sha256(model), model.length],
        ['report', 'report/notes.txt', sha256('Read me.'), 8],
      ],
    );
    assert.deepEqual(readFileSync(fileURLToPath(artifacts[0]!.uri)), model);
    assert.ok(fileURLToPath(artifacts[0]!.uri).startsWith(worker.artifacts));
    assert.ok(artifacts.every(({ uri }) => uri.startsWith(job.output_uri!)));
    const completed = (await router.client.jobEvents(id)).find((event) => event.event_type === 'completed');
    assert.deepEqual(completed?.payload, { metrics: { duration_seconds: 3600, loss: 0.25 } });
    await worker.logged('delivered');
    await until(
      'nothing of it is left in the state folder',
      () => readdirSync(join(worker.state, 'jobs')).length === 0,
    );
    assert.equal((await router.client.verifyReceipts()).ok, true);
  });

  test('that exits with another code than 0 is failed, with its last words, and costs nothing', async () => {
    const router = await startRouter();
    await startWorker(router.url, {
      exec: { batch: script(`console.error('CUDA out of memory'); console.error(''); process.exit(3)`) },
    });
    const { id } = await queue(router);
    const job = await reaches(router, id, 'failed');
    assert.equal(job.actual_cost_usd, null);
    const failed = (await router.client.jobEvents(id)).find((event) => event.event_type === 'failed');
    assert.equal(failed?.message, 'The command ended with exit code 3: CUDA out of memory');
    assert.deepEqual(failed?.payload, { error_code: 'command_failed' });
    assert.deepEqual(await linesOf(router, id), ['CUDA out of memory', ''], 'its log arrived before the failure');
  });

  test('whose command does not exist, or whose metrics are no JSON object, is failed and says so', async () => {
    const router = await startRouter();
    await startWorker(router.url, {
      exec: {
        batch: 'no-such-command --at-all',
        eval: script(`import { writeFileSync } from 'node:fs'; writeFileSync(process.env.JOB_METRICS, '[1, 2')`),
      },
    });
    const jobs = [await queue(router), await queue(router, { job_type: 'eval' })];
    const messages = [];
    for (const { id } of jobs) {
      await reaches(router, id, 'failed');
      messages.push((await router.client.jobEvents(id)).find((event) => event.event_type === 'failed')?.message);
    }
    assert.match(messages[0]!, /exit code 127: .*no-such-command.*not found/);
    assert.equal(messages[1], 'The metrics file does not hold a JSON object.');
  });

  test('gets none of the secrets of its worker, and runs on the same Node', async () => {
    const router = await startRouter({ ROUTER_ENROLLMENT_TOKEN: 'enroll-0123456789abcdef' });
    const worker = await startWorker(router.url, {
      exec: { batch: script(`console.log(JSON.stringify({ ...process.env, version: process.version }))`) },
      environment: { ROUTER_ENROLLMENT_TOKEN: 'enroll-0123456789abcdef', AWS_SECRET_ACCESS_KEY: 'hush', PLAIN: 'yes' },
    });
    const { id } = await queue(router);
    await reaches(router, id, 'completed');
    const text = (await linesOf(router, id)).join('');
    assert.equal(JSON.parse(text).PLAIN, 'yes');
    assert.equal(JSON.parse(text).version, process.version);
    for (const secret of ['enroll-0123456789abcdef', 'hush', 'dwrk_', 'dlease_']) {
      assert.ok(!text.includes(secret), secret);
      assert.ok(!JSON.stringify([worker.log, worker.said]).includes(secret), `${secret} is not logged`);
    }
  });

  test('that logs beyond its quota goes on to its end, and its log says that it was cut', async () => {
    const router = await startRouter({ ROUTER_JOB_LOG_BYTES: '100000' });
    const worker = await startWorker(router.url, {
      exec: {
        batch: script(`
          import { writeFileSync } from 'node:fs';
          for (let i = 0; i < 20_000; i++) console.log(i + ' '.repeat(50));
          writeFileSync(process.env.JOB_ARTIFACTS + '/model.json', '{}');
        `),
      },
    });
    const { id } = await queue(router);
    const job = await reaches(router, id, 'completed');
    assert.ok(job.log_cut_at !== null && job.log_bytes <= 100_000, `${job.log_bytes} bytes, cut at ${job.log_cut_at}`);
    const lines = (await linesOf(router, id)).map(Number);
    assert.ok(lines.length > 0 && lines.length < 20_000);
    assert.deepEqual(
      lines,
      lines.map((_, i) => i),
      'an end and no holes',
    );
    assert.deepEqual(
      (await router.client.jobArtifacts(id)).map(({ name }) => name),
      ['model.json'],
    );
    const said = worker.log.filter(({ msg }) => /quota for logs/.test(String(msg)));
    assert.equal(said.length, 1, 'it stops sending');
  });

  test('in several slots: as many at a time as the worker was told, each in its own slot', async () => {
    const router = await startRouter();
    const gate = temporaryFolder();
    await startWorker(router.url, {
      more: ['--concurrency', '3'],
      exec: {
        // Each waits until three have started: with fewer slots than that none would end.
        batch: script(`
          import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
          const { gate } = JSON.parse(readFileSync(process.env.JOB_FILE, 'utf8')).payload;
          writeFileSync(gate + '/' + process.env.JOB_ID, '');
          while (readdirSync(gate).length < 3) await new Promise((r) => setTimeout(r, 5));
          console.log(process.env.JOB_SLOT);
        `),
      },
    });
    const jobs = await Promise.all([1, 2, 3].map(() => queue(router, { payload: { gate } })));
    const slots = [];
    for (const { id } of jobs) {
      await reaches(router, id, 'completed');
      slots.push(...(await linesOf(router, id)));
    }
    assert.deepEqual(slots.sort(), ['0', '1', '2']);
  });
});
