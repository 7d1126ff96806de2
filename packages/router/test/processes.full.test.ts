/** Two router processes on one PostgreSQL, with workers at both: every job once, the oldest first, and word gets across. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eachEngine } from '../../../test/kit/engines.ts';
import { MIGRATIONS } from '../src/migrations.ts';
import { startRouterProcess } from './kit/process.ts';
import { receiptsIn } from './kit/records.ts';
import { clientOf, SKU, temporaryFolder } from './kit/running.ts';

const JOBS = 5_000;
const WORKERS = 8;
const CREATORS = 16;
const PRIORITIES = [0, 5, -5];
/** Two processes tell by the millisecond which of their jobs is older. */
const SAME_INSTANT_MS = 2;

/** Instants of this process' clock, around the calls that made and leased the job. */
interface Traced {
  id: string;
  priority: number;
  created: { sent: number; answered: number };
  leased?: { sent: number; answered: number };
}

eachEngine('two router processes on one database', MIGRATIONS, (fresh, engine) => {
  test('run 5,000 jobs once each, oldest first within priority, and a cancel at one reaches a worker at the other', async (t) => {
    if (engine === 'sqlite') return t.skip('SQLite is one process');
    const { db, url: database_url } = await fresh();
    const folder = temporaryFolder();
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const environment = { ROUTER_DATABASE_URL: database_url, ROUTER_RECEIPTS_DIR: folder, ROUTER_LOG_LEVEL: 'info' };
    const processes = [await startRouterProcess(environment), await startRouterProcess(environment)];
    const [a, b] = processes.map(({ url }) => clientOf(url)) as [
      ReturnType<typeof clientOf>,
      ReturnType<typeof clientOf>,
    ];
    const member_id = await a.member();

    const jobs = new Map<string, Traced>();
    let to_create = JOBS;
    const create = async (client: typeof a) => {
      while (to_create-- > 0) {
        const priority = PRIORITIES[to_create % PRIORITIES.length]!;
        const sent = performance.now();
        const { id } = await client.job({ member_id, priority });
        jobs.set(id, { id, priority, created: { sent, answered: performance.now() } });
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: CREATORS }, (_, i) => create(i % 2 === 0 ? a : b)));
    const created = performance.now();

    const executed: string[] = [];
    const work = async (client: typeof a, max_jobs: number) => {
      const worker = await client.worker();
      while (executed.length < JOBS) {
        const sent = performance.now();
        const { leases } = await worker.lease({
          supported_job_types: ['inference'],
          supported_gpu_skus: [SKU],
          max_jobs,
        });
        const answered = performance.now();
        if (leases.length === 0 && (await client.get('/admin/summary')).queued_jobs === 0) return;
        const run = async ({ job, lease_token }: { job: { id: string }; lease_token: string }) => {
          const traced = jobs.get(job.id)!;
          assert.equal(traced.leased, undefined, 'leased twice');
          traced.leased = { sent, answered };
          await worker.tell(`jobs/${job.id}/accept`, { lease_token });
          executed.push(job.id);
          await worker.tell(`jobs/${job.id}/complete`, { lease_token });
        };
        await Promise.all(leases.map(run));
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, i) => work(i % 2 === 0 ? a : b, 1 + (i >> 1) * 2)));
    const ended = performance.now();
    assert.equal(executed.length, JOBS);
    assert.equal(new Set(executed).size, JOBS);
    assertOldestFirst([...jobs.values()]);
    const { completed_jobs } = await b.get('/admin/summary');
    assert.equal(completed_jobs, JOBS);

    const worker = await b.worker();
    const { id } = await a.job();
    const { lease_token } = await worker.lease();
    const beat = worker.tell('heartbeat', { status: 'busy', wait_seconds: 25, leases: [{ job_id: id, lease_token }] });
    // Whether the heartbeat waits already or not: it hears of the cancel.
    const canceled = performance.now();
    await a.post(`/jobs/${id}/cancel`);
    assert.equal((await beat).leases[0].state, 'canceled');
    assert.ok(performance.now() - canceled < 20_000, 'not only when the wait was over');

    const folders = [folder, join(folder, 'replica-2')];
    const receipts = folders.flatMap((path) => receiptsIn(path));
    assert.equal(new Set(receipts.map(({ receipt_id }) => receipt_id)).size, receipts.length);
    const perType = (type: string) => receipts.filter(({ receipt_type }) => receipt_type === type).length;
    assert.deepEqual(['job_leased', 'worker_job_accepted', 'worker_job_completed', 'compute_job'].map(perType), [
      JOBS + 1,
      JOBS,
      JOBS,
      2 * JOBS + 2,
    ]);
    for (const client of [a, b]) assert.equal((await client.get('/receipts/verify')).ok, true);
    for (const router of processes) assert.equal(await router.stop(), 0);
    await db.close();
    t.diagnostic(`${Math.round(created - began)} ms to create, ${Math.round(ended - created)} ms to run ${JOBS} jobs`);
  });
});

/**
 * No job was leased while one that goes before it was there for the taking: created before, by the creator's clock, and
 * asked for only after the answer. What several requests in flight at once got is theirs in any order.
 */
function assertOldestFirst(jobs: Traced[]): void {
  for (const late of jobs)
    for (const early of jobs) {
      const goesFirst =
        early.priority > late.priority ||
        (early.priority === late.priority && early.created.answered + SAME_INSTANT_MS < late.created.sent);
      if (goesFirst && early.leased!.sent > late.leased!.answered)
        assert.fail(
          `${late.id} (priority ${late.priority}) was leased before ${early.id} (priority ${early.priority})`,
        );
    }
}
