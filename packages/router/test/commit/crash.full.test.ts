/** The router process killed at random moments while workers run jobs end to end: nothing is lost, nothing happens twice. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eachEngine } from '../../../../test/kit/engines.ts';
import { callerOf } from '../../../ledger/test/kit/running.ts';
import { MIGRATIONS } from '../../src/migrations.ts';
import { type RouterProcess, startRouterProcess } from '../kit/process.ts';
import { inShort, type Receipt, receiptsIn } from '../kit/records.ts';
import { type Answer, SKU, temporaryFolder, until } from '../kit/running.ts';

const JOBS = 50;
const WORKERS = 8;
const KILLS = 5;
const MAX_ATTEMPTS = 20;

interface Worked {
  /** What an answer acknowledged, by job: receipts that must be in the files. */
  acknowledged: Map<string, string[]>;
  /** Job → lease under which it is worked on at this moment, as its worker believes. */
  working: Map<string, Lease>;
}

interface Lease {
  job_id: string;
  lease_token: string;
  worker_token: string;
}

const PATIENCE_MS = 120_000;

/** The address changes with every life of the router. */
class Line {
  url = '';
  /** Null: no answer came; the caller does not know whether it was done. */
  async ask(method: string, path: string, body?: object, token?: string, key?: string): Promise<Answer | null> {
    try {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      return await callerOf(this.url)(method, path, { token, body, headers });
    } catch {
      return null;
    }
  }
  /** Until an answer comes. */
  async insist(...request: Parameters<Line['ask']>): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const answer = await this.ask(...request);
      if (answer !== null && answer.status !== 503) return answer;
      await sleep(10);
    }
    throw new Error(`in vain: ${request[0]} ${request[1]}`);
  }
}

const ENROLLMENT_TOKEN = 'enroll-0123456789abcdef';

eachEngine('a router process that is killed again and again', MIGRATIONS, (fresh) => {
  test('ends every job, under one live lease at a time, with every acknowledged receipt exactly once', async (t) => {
    const { db, url: database_url } = await fresh();
    await db.close();
    const folder = temporaryFolder();
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const environment = {
      ROUTER_DATABASE_URL: database_url,
      ROUTER_RECEIPTS_DIR: folder,
      ROUTER_LEASE_SECONDS: '1',
      // Under a credential a registration whose answer was lost may be repeated.
      ROUTER_ENROLLMENT_TOKEN: ENROLLMENT_TOKEN,
    };
    const line = new Line();
    let router: RouterProcess = await startRouterProcess(environment);
    line.url = router.url;
    const member = await line.insist('POST', '/members', { email: 'm@example.org', name: 'M' });
    await line.insist('POST', `/members/${member.json.id}/activate`);
    const worked: Worked = { acknowledged: new Map(), working: new Map() };
    let running = true;
    const workers = Array.from({ length: WORKERS }, (_, n) => work(line, n, worked, () => running));
    const members = Array.from({ length: JOBS }, async (_, i) => {
      const body = {
        member_id: member.json.id,
        job_type: 'inference',
        requested_gpu_sku: SKU,
        estimated_hours: 1,
        max_attempts: MAX_ATTEMPTS,
      };
      await sleep(i * 60);
      const { status, json, text } = await line.insist('POST', '/jobs', body, undefined, `job-${i}`);
      assert.equal(status, 201, text);
      return json.id as string;
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(150 + Math.random() * 500);
      await router.kill();
      router = await startRouterProcess(environment);
      line.url = router.url;
    }
    const ids = await Promise.all(members);
    assert.equal(new Set(ids).size, JOBS, 'a repeated create is one job');
    await until('every job is over', async () => {
      const { json } = (await line.insist('GET', '/admin/summary'))!;
      return json.completed_jobs + json.failed_jobs === JOBS;
    });
    running = false;
    await Promise.all(workers);

    const jobs = await Promise.all(ids.map(async (id) => (await line.insist('GET', `/jobs/${id}`)).json));
    const report = (await line.insist('GET', '/receipts/verify')).json;
    const receipts = receiptsIn(folder);
    assert.deepEqual(report, { ok: true, receipts_checked: receipts.length, violation: null, violations: [] });
    const total = (await line.insist('GET', '/jobs?limit=500')).json.length;
    assert.equal(total, JOBS);
    for (const job of jobs) assertHistory(job, receipts, worked);
    assert.equal(await router.stop(), 0);
    assert.deepEqual(receiptsIn(folder), receipts);
    assert.ok(!readFileSync(`${folder}/.ledger`, 'utf8').includes('dlease_'));
    t.diagnostic(
      `${KILLS} kills, ${receipts.length} receipts, ${receipts.filter((r) => r.receipt_type === 'lease_expired').length} leases lost`,
    );
  });
});

/** Leases, accepts, reports and completes; what is not answered is tried again while the lease may live. */
async function work(line: Line, n: number, worked: Worked, isWanted: () => boolean): Promise<void> {
  const registration = { node_id: `rig-${n}`, name: `rig ${n}`, hostname: `rig-${n}` };
  const { worker_token } = (
    await line.insist('POST', '/workers/register', registration, ENROLLMENT_TOKEN, `worker-${n}`)
  ).json;
  const acknowledge = (job_id: string, receipt: string) =>
    worked.acknowledged.set(job_id, [...(worked.acknowledged.get(job_id) ?? []), receipt]);
  while (isWanted()) {
    const request = { supported_job_types: ['inference'], supported_gpu_skus: [SKU], wait_seconds: 0.5 };
    const leased = await line.insist('POST', '/workers/jobs/lease', request, worker_token);
    if (leased.json.job == null) continue;
    const { job, lease_id, lease_token } = leased.json;
    const lease: Lease = { job_id: job.id, lease_token, worker_token };
    acknowledge(job.id, `job_leased ${lease_id}`);
    const tell = async (verb: string, body: object = {}) => {
      const answer = await line.insist(
        'POST',
        `/workers/jobs/${job.id}/${verb}`,
        { lease_token, ...body },
        worker_token,
      );
      if (answer.status !== 200) assert.equal(answer.json.code, 'lease_expired', answer.text);
      return answer.status === 200;
    };
    if (!(await tell('accept'))) continue;
    // Another worker may still believe in its lease; the router believes in one of the two at most.
    const other = worked.working.get(job.id);
    if (other !== undefined && (await isLive(line, other))) assert.equal(await isLive(line, lease), false);
    worked.working.set(job.id, lease);
    acknowledge(job.id, `worker_job_accepted ${lease_id}`);
    await tell('logs', { message: 'working', sequence: 0 });
    await sleep(Math.random() * 60);
    if (await tell('artifacts', { artifact_type: 'log', name: lease_id, uri: 'file:///log' }))
      acknowledge(job.id, `artifact_reported ${lease_id}`);
    if (await tell('complete')) acknowledge(job.id, `worker_job_completed ${lease_id}`);
    if (worked.working.get(job.id) === lease) worked.working.delete(job.id);
  }
}

/** And renewed by the question. */
async function isLive(line: Line, { job_id, lease_token, worker_token }: Lease): Promise<boolean> {
  const answer = await line.insist('POST', `/workers/jobs/${job_id}/logs`, { lease_token, message: 'm' }, worker_token);
  if (answer.status === 200) return true;
  assert.ok(['lease_expired', 'job_state_conflict'].includes(answer.json.code), answer.text);
  return false;
}

/** One job's receipts tell one possible story, and hold all that was acknowledged. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
function assertHistory(job: any, receipts: Receipt[], { acknowledged }: Worked): void {
  const own = receipts.filter((receipt) => receipt.job_id === job.id);
  const story = own.map(inShort).join(', ');
  assert.equal(own.filter((receipt) => receipt.metadata.phase === 'created').length, 1, story);
  const leases = own.filter(({ receipt_type }) => receipt_type === 'job_leased');
  assert.equal(leases.length, job.attempt, story);
  let live: string | null = null;
  for (const { receipt_type, metadata } of own) {
    if (receipt_type === 'job_leased') {
      assert.equal(live, null, `two live leases: ${story}`);
      live = metadata.lease_id;
    } else if (['worker_job_accepted', 'worker_job_completed', 'lease_expired'].includes(receipt_type)) {
      assert.equal(metadata.lease_id, live, story);
      if (receipt_type !== 'worker_job_accepted') live = null;
    }
  }
  assert.equal(live, null, story);
  const completed = own.filter(({ receipt_type }) => receipt_type === 'worker_job_completed');
  assert.ok(['completed', 'failed'].includes(job.status), story);
  assert.equal(completed.length, job.status === 'completed' ? 1 : 0, story);
  if (job.status === 'failed') assert.equal(job.attempt, MAX_ATTEMPTS, story);
  const written = own.map(({ receipt_type, metadata }) => `${receipt_type} ${metadata.lease_id ?? metadata.name}`);
  for (const receipt of new Set(acknowledged.get(job.id)))
    assert.equal(written.filter((line) => line === receipt).length, 1, `${receipt}: ${story}`);
}
