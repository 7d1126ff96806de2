/**
 * Ledger, router and two workers as processes; the router and the workers are killed at random moments while fifty jobs
 * run as real commands. Every job ends, under one live lease at a time, with every receipt once, and the ledger has
 * exactly the Runs that the router's completed trainings call for. `SEED=…` repeats a run's choices.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf, tenantOf } from '../../packages/ledger/test/kit/running.ts';
import { MIGRATIONS as ROUTER_MIGRATIONS } from '../../packages/router/src/migrations.ts';
import { type RouterProcess, startRouterProcess } from '../../packages/router/test/kit/process.ts';
import { inShort, type Receipt, receiptsIn } from '../../packages/router/test/kit/records.ts';
import { isRunning, type RunningWorker, SKU, spawnWorker } from '../../packages/worker/test/kit/worker.ts';
import { eachEngine } from '../kit/engines.ts';
import { ownPort } from '../kit/own-port.ts';
import { settingsOf, startLedgerProcess, temporaryFolder, until } from './process.ts';

const JOBS = 50;
const TRAININGS = 15;
const KILLS = 12;
const LEASE_SECONDS = 3;
const MAX_ATTEMPTS = 20;
/** A command whose lease ran out is stopped by its worker; how long its last breath may be on a busy machine. */
const BREATH_MS = 30_000;
const PATIENCE_MS = 180_000;

/** Says in a file that it runs, 50 times a second, for as long as it does. Once the next attempt has begun it does not end by itself. */
const COMMAND = `
  import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
  const { JOB_ID, JOB_ATTEMPT, JOB_FILE, JOB_METRICS, JOB_ARTIFACTS } = process.env;
  const { file, ms, training } = JSON.parse(readFileSync(JOB_FILE, 'utf8')).payload;
  const say = (what) => appendFileSync(file, JSON.stringify({ job: JOB_ID, attempt: Number(JOB_ATTEMPT), pid: process.pid, what, at: Date.now() }) + '\\n');
  // A closed pipe does not end it: its worker has to.
  process.stdout.on('error', () => undefined);
  const begun = (attempt) => [file, JOB_ID, attempt].join('.');
  say('begin');
  writeFileSync(begun(JOB_ATTEMPT), '');
  const next = begun(Number(JOB_ATTEMPT) + 1);
  for (const until = Date.now() + ms; Date.now() < until || existsSync(next); ) {
    await new Promise((r) => setTimeout(r, 20));
    say('run');
    console.log('working');
  }
  writeFileSync(JOB_ARTIFACTS + '/model.json', JSON.stringify({ attempt: JOB_ATTEMPT }));
  if (training) writeFileSync(JOB_METRICS, JSON.stringify({ eval_before: 0.5, eval_after: 0.75 }));
  say('end');
`;

interface Said {
  job: string;
  attempt: number;
  pid: number;
  what: 'begin' | 'run' | 'end';
  at: number;
}
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
type Json = any;

eachEngine('jobs while router and workers are killed', ROUTER_MIGRATIONS, (fresh) => {
  test('end once each, under one live lease at a time; receipts, router and ledger agree', async (t) => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    t.diagnostic(`SEED=${seed}`);
    const random = seeded(seed);
    const folder = temporaryFolder();
    const file = join(folder, 'executions');
    writeFileSync(file, '');
    writeFileSync(join(folder, 'command.ts'), COMMAND);
    const ledger = await startLedgerProcess(settingsOf(`sqlite:${folder}/ledger.db`, folder));
    const tenant = await tenantOf(ledger.call);
    const { db, url: database_url } = await fresh();
    await db.close();
    const settings = {
      ROUTER_DATABASE_URL: database_url,
      ROUTER_RECEIPTS_DIR: join(folder, 'receipts'),
      ROUTER_LEASE_SECONDS: String(LEASE_SECONDS),
      // The workers know one address.
      ROUTER_PORT: String(await ownPort()),
      LEDGER_URL: ledger.url,
      LEDGER_API_KEY: tenant.keys.agent,
    };
    let router: RouterProcess = await startRouterProcess(settings);
    const { url } = router;
    const call = callerOf(url);
    const ask = async (method: string, path: string, body?: object, key?: string): Promise<Json> => {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      const deadline = performance.now() + PATIENCE_MS;
      while (performance.now() < deadline) {
        const answer = await call(method, path, { body, headers }).catch(() => null);
        if (answer !== null && answer.status !== 503) {
          assert.ok(answer.status < 300, answer.text);
          return answer.json;
        }
        await sleep(20);
      }
      throw new Error(`in vain: ${method} ${path}`);
    };
    const start = (n: number): RunningWorker =>
      spawnWorker(url, {
        exec: { batch: `node ${folder}/command.ts`, fine_tune: `node ${folder}/command.ts` },
        state: join(folder, `worker-${n}`),
        artifacts: join(folder, 'artifacts'),
        node: `rig-${n}`,
        more: ['--concurrency', '2', '--stop-seconds', '1'],
      });
    const workers = [start(0), start(1)];

    const { id: member_id } = await ask('POST', '/members', { email: 'm@example.org', name: 'M' }, 'member');
    await ask('POST', `/members/${member_id}/activate`, {}, 'activation');
    const created = Array.from({ length: JOBS }, async (_, i) => {
      const training = i % 10 < (TRAININGS / JOBS) * 10;
      const payload = {
        file,
        ms: random() < 0.4 ? 1_500 + Math.round(random() * 2_000) : Math.round(random() * 500),
        training,
        base_model: 'acme/tiny-1b',
        dataset: 'd',
        pairs: 10,
      };
      await sleep(i * 100);
      const job_type = training ? 'fine_tune' : 'batch';
      const job = {
        member_id,
        job_type,
        requested_gpu_sku: SKU,
        estimated_hours: 0.1,
        payload,
        max_attempts: MAX_ATTEMPTS,
      };
      return (await ask('POST', '/jobs', job, `job-${i}`)).id as string;
    });
    const killed = { router: 0, worker: 0, worker_for_long: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(200 + random() * 900);
      const victim = Math.floor(random() * 3);
      if (victim === 2) {
        await router.kill();
        router = await startRouterProcess(settings);
        killed.router++;
        continue;
      }
      await workers[victim]!.kill();
      // Mostly it is back while its leases live; sometimes only when others have its jobs.
      const isLong = random() < 0.25;
      if (isLong) await sleep((LEASE_SECONDS + 1) * 1_000);
      workers[victim] = start(victim);
      killed[isLong ? 'worker_for_long' : 'worker']++;
    }
    const ids = await Promise.all(created);
    assert.equal(new Set(ids).size, JOBS);
    await until('every job is over', async () => {
      const { completed_jobs, failed_jobs } = await ask('GET', '/admin/summary');
      return completed_jobs + failed_jobs === JOBS;
    });

    const jobs: Json[] = await Promise.all(ids.map((id) => ask('GET', `/jobs/${id}`)));
    const trained = jobs.filter(({ job_type, status }) => job_type === 'fine_tune' && status === 'completed');
    const titles = async () =>
      ((await tenant.as('auditor')('GET', '/runs?limit=500')).runs as Json[])
        .filter(({ stage }) => stage === 'Verdict')
        .map(({ title }) => title)
        .sort();
    await Promise.all(workers.map((worker) => worker.logged('ready')));
    await until('every training has arrived in the ledger', async () => (await titles()).length >= trained.length);
    const receipts = receiptsIn(join(folder, 'receipts'));
    const report = await ask('GET', '/receipts/verify');
    assert.deepEqual(report, { ok: true, receipts_checked: receipts.length, violation: null, violations: [] });
    const said = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Said);
    for (const job of jobs) {
      const own = receipts.filter(({ job_id }) => job_id === job.id);
      assertOneStory(
        job,
        own,
        await ask('GET', `/jobs/${job.id}/events?limit=500`),
        await ask('GET', `/jobs/${job.id}/artifacts`),
      );
      assertExecutions(
        job,
        own,
        said.filter((line) => line.job === job.id),
      );
    }
    assert.deepEqual(
      await titles(),
      trained.map(({ id }) => `Fine-tune ${id}`).sort(),
      'one Run for each, and no other',
    );
    const { runs } = await tenant.as('auditor')('GET', '/runs?limit=500');
    assert.equal(runs.length, trained.length, 'no Run was left half way');
    assert.deepEqual([...new Set(said.map(({ pid }) => pid))].filter(isRunning), [], 'no command outlives its job');

    for (const worker of workers) worker.signal('SIGTERM');
    for (const worker of workers) assert.equal(await worker.ended, 0);
    assert.equal(await router.stop(), 0);
    assert.equal(await ledger.stop(), 0);
    const lost = receipts.filter(({ receipt_type }) => receipt_type === 'lease_expired').length;
    const rerun =
      new Set(said.map(({ job, pid }) => `${job} ${pid}`)).size -
      new Set(said.map(({ job, attempt }) => `${job} ${attempt}`)).size;
    t.diagnostic(
      `${JSON.stringify(killed)}, ${receipts.length} receipts, ${lost} leases lost, ${rerun} run again under their lease`,
    );
    t.diagnostic(`${trained.length} trainings in the ledger`);
  });
});

/** Receipts, events and the job itself tell the same, and every receipt stands once. */
function assertOneStory(job: Json, own: Receipt[], events: Json[], artifacts: Json[]): void {
  const story = own.map(inShort).join(', ');
  const told = (type: string) => events.filter(({ event_type }) => event_type === type).length;
  const written = (type: string) => own.filter(({ receipt_type }) => receipt_type === type);
  assert.equal(new Set(own.map(({ receipt_id }) => receipt_id)).size, own.length);
  assert.equal(written('job_leased').length, job.attempt, story);
  assert.equal(told('leased'), job.attempt, story);
  assert.equal(told('accepted'), written('worker_job_accepted').length, story);
  assert.equal(told('lease_expired'), written('lease_expired').length, story);
  assert.equal(written('artifact_reported').length, artifacts.length, story);
  const isCompleted = job.status === 'completed';
  assert.ok(isCompleted || job.attempt === MAX_ATTEMPTS, `${job.status} after ${job.attempt}: ${story}`);
  assert.equal(written('worker_job_completed').length, isCompleted ? 1 : 0, story);
  assert.equal(told('completed'), isCompleted ? 1 : 0, story);
  let live: string | null = null;
  for (const { receipt_type, metadata } of own)
    if (receipt_type === 'job_leased') {
      assert.equal(live, null, `two live leases: ${story}`);
      live = metadata.lease_id;
    } else if (receipt_type === 'lease_expired' || receipt_type === 'worker_job_completed') {
      assert.equal(metadata.lease_id, live, story);
      live = null;
    } else if (receipt_type === 'worker_job_accepted') assert.equal(metadata.lease_id, live, story);
  assert.equal(live, null, story);
}

/** Of one job: each execution under a lease of its own attempt, one after the other. */
function assertExecutions(job: Json, own: Receipt[], said: Said[]): void {
  const leasedAt = new Map(
    own
      .filter(({ receipt_type }) => receipt_type === 'job_leased')
      .map(({ metadata, created_at }) => [metadata.attempt, Date.parse(created_at)]),
  );
  const executions = [...Map.groupBy(said, ({ pid, attempt }) => `${attempt} ${pid}`).values()]
    .map((lines) => ({
      attempt: lines[0]!.attempt,
      began: lines[0]!.at,
      last: lines.at(-1)!.at,
      ended: lines.at(-1)!.what === 'end',
    }))
    .sort((a, b) => a.attempt - b.attempt || a.began - b.began);
  const story = JSON.stringify({ id: job.id, executions, leasedAt: [...leasedAt] });
  for (const [i, execution] of executions.entries()) {
    assert.ok(execution.began >= leasedAt.get(execution.attempt)!, `it began before its lease: ${story}`);
    const next = executions[i + 1];
    if (next === undefined) continue;
    if (next.attempt === execution.attempt)
      assert.ok(next.began >= execution.last, `two at a time under one lease: ${story}`);
    else assert.ok(execution.last - next.began < BREATH_MS, `it went on when another had its lease: ${story}`);
  }
  if (job.status === 'completed')
    assert.ok(
      executions.some(({ attempt, ended }) => ended && attempt === job.attempt),
      `what completed it ran to its end: ${story}`,
    );
}

/** Mulberry32: the same choices for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
