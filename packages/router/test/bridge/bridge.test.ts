/** The bridge (docs/spec.md §24) between a real router and a real ledger: finished jobs become Runs, once, also when one of them is away or crashes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ownPort } from '../../../../test/kit/own-port.ts';
import { type RunningTest, running as runningLedger, type Tenant, tenantOf } from '../../../ledger/test/kit/running.ts';
import { SHEET } from '../../../ledger/test/kit/story.ts';
import { startRouterProcess } from '../kit/process.ts';
import {
  assertProblem,
  clientOf,
  eachRouter,
  SKU,
  type StartOptions,
  type TestWorker,
  temporaryFolder,
  until,
} from '../kit/running.ts';

/** Retries and claims are due by the router's clock: here it runs. */
let ahead_ms = 0;
const RUNNING_CLOCK = {
  get ms() {
    return Date.now() + ahead_ms;
  },
  advance(seconds: number) {
    ahead_ms += seconds * 1000;
  },
};

const COOK = {
  job_type: 'fine_tune',
  payload: { base_model: 'acme/tiny-1b', dataset: 'support-chat', pairs: 1200 },
};
const SCORES = { eval_before: 0.61, eval_after: 0.74, duration_seconds: 5400, loss: 0.2 };

interface Run {
  id: string;
  lane: string;
  title: string;
  stage: string;
}

eachRouter('the bridge', (start, _engine, fresh) => {
  describe('to a ledger', () => {
    const folder = temporaryFolder();
    const database = { url: `sqlite:${join(folder, 'ledger.db')}` };
    let place: Record<string, string>;
    let ledger: RunningTest;
    let tenant: Tenant;
    before(async () => {
      place = { LEDGER_PORT: String(await ownPort()), LEDGER_OVERLOAD_DELAY_MS: '60000' };
      ledger = await runningLedger(database, place);
      tenant = await tenantOf(ledger.call);
    });
    after(async () => {
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const environment = (url = ledger.url) => ({
      LEDGER_URL: url,
      LEDGER_API_KEY: tenant.keys.agent,
      ROUTER_LEASE_SECONDS: '9999',
    });
    const options = (): StartOptions => ({ environment: environment(), clock: RUNNING_CLOCK });
    const runsOf = async (job_id: string): Promise<Run[]> => {
      const { runs } = await tenant.as('auditor')('GET', '/runs?limit=500');
      return (runs as Run[]).filter(({ title }) => title.includes(job_id));
    };
    const atVerdict = async (job_id: string): Promise<Run> => {
      await until(`a Run of ${job_id} at its verdict`, async () =>
        (await runsOf(job_id)).some(({ stage }) => stage === 'Verdict'),
      );
      const runs = await runsOf(job_id);
      assert.equal(runs.length, 1, 'one Run per job');
      return tenant.as('auditor')('GET', `/runs/${runs[0]!.id}`);
    };
    const mint = async ({ id }: Run) => {
      await tenant.as('approver')('POST', `/runs/${id}/approval`, { decision: 'approved' });
      return tenant.as('approver')('POST', `/runs/${id}/receipt`);
    };

    test('brings a fine-tune with its scores to the verdict; approved and minted, its receipt tells lift and cost', async () => {
      const router = await start(options());
      const worker = await router.worker({ name: 'rig one' });
      const job_id = await finished(router, worker, COOK, SCORES);
      const run = await atVerdict(job_id);
      const told = await router.get(`/jobs/${job_id}/events`);
      const { event_type, payload } = told.at(-1);
      assert.deepEqual({ event_type, payload }, { event_type: 'ledger_run_opened', payload: { run_id: run.id } });
      const receipt = await mint(run);
      assert.equal(receipt.schema, 'service.cook-receipt/v1');
      const { cook } = receipt;
      assert.deepEqual(
        [
          cook.base_model,
          cook.dataset,
          cook.pairs,
          cook.eval_before,
          cook.eval_after,
          cook.lift,
          cook.runner,
          cook.compute_usd,
        ],
        ['acme/tiny-1b', 'support-chat', 1200, 0.61, 0.74, 0.13, SKU, 7.5],
      );
      assert.equal(cook.metrics.loss, 0.2);
      assert.equal((await router.get(`/jobs/${job_id}`)).actual_cost_usd, 7.5, 'router and ledger agree on the cost');
    });

    test('brings an evaluation that names a flight sheet to the verdict of that sheet', async () => {
      await tenant.as('owner')('POST', '/flight-sheets', SHEET);
      const router = await start(options());
      const worker = await router.worker();
      const flight_sheet = { name: SHEET.name, version: SHEET.version };
      const job_id = await finished(
        router,
        worker,
        { job_type: 'eval', payload: { flight_sheet } },
        { output: { a: 2, b: 2, sum: 5 }, model_name: 'small-1', provider: 'local' },
      );
      const receipt = await mint(await atVerdict(job_id));
      assert.equal(receipt.schema, 'service.eval-receipt/v1');
      assert.deepEqual(receipt.flight_sheet, flight_sheet);
      assert.deepEqual([receipt.submission.model_name, receipt.verdict.outcome], ['small-1', 'fail']);
    });

    test('opens nothing for jobs that have nothing to show', async () => {
      const router = await start(options());
      const worker = await router.worker();
      const silent = [
        await finished(router, worker, COOK, { duration_seconds: 9 }),
        await finished(router, worker, { job_type: 'eval' }, { output: 1 }),
        await finished(router, worker, { job_type: 'inference', payload: COOK.payload }, SCORES),
      ];
      const { id } = await router.job(COOK);
      const { lease_token } = await worker.lease();
      await worker.tell(`jobs/${id}/fail`, { lease_token, message: 'no' });
      const seen = await finished(router, worker, COOK, SCORES);
      await atVerdict(seen);
      for (const job_id of [...silent, id]) assert.deepEqual(await runsOf(job_id), []);
    });

    test('waits for a ledger that is away, loses nothing and doubles nothing', async () => {
      const router = await start(options());
      const worker = await router.worker();
      await ledger.close();
      const jobs: string[] = [];
      for (let i = 0; i < 4; i++) jobs.push(await finished(router, worker, COOK, SCORES));
      await until('each was tried in vain', async () => {
        const tried = await router.db.all('select 1 from bridge_outbox where attempts > 0');
        return tried.length === jobs.length;
      });
      ledger = await runningLedger(database, place);
      for (const job_id of jobs) await atVerdict(job_id);
    });

    test('parks what the ledger refuses after the first answer, says so, and sends it again when a person asks', async (t) => {
      const proxy = await startProxy(() => ledger.url);
      t.after(() => proxy.close());
      const router = await start({ environment: environment(proxy.url), clock: RUNNING_CLOCK });
      const worker = await router.worker();
      for (const [call, status] of [
        [/\/runs$/, 422],
        [/\/execution$/, 403],
        [/\/verdict$/, 404],
      ] as const) {
        const asked = proxy.refuse(call, status);
        const job_id = await finished(router, worker, COOK, SCORES);
        await until('it is parked', async () => (await router.get(`/jobs/${job_id}`)).ledger.state === 'refused');
        const { ledger: parked } = await router.get(`/jobs/${job_id}`);
        assert.match(parked.reason, new RegExp(`^The ledger refused it: ${status} made_up: Not like this`));
        assert.equal(parked.run_id === null, status === 422);
        // Two more of its rounds pass.
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        assert.equal(asked(), 1, 'it was not asked again');
        const { ledger_refused, ledger_waiting } = await router.get('/admin/summary');
        assert.deepEqual([ledger_refused, ledger_waiting], [1, 0]);
        assert.deepEqual(
          (await router.get('/jobs?ledger=refused')).map(({ id }: { id: string }) => id),
          [job_id],
        );
        proxy.release();
        const sent = await Promise.all([1, 2, 3].map(() => router.post(`/jobs/${job_id}/ledger/retry`)));
        for (const each of sent) assert.notEqual(each.ledger.state, 'refused');
        const run = await atVerdict(job_id);
        await until('it is delivered', async () => (await router.get(`/jobs/${job_id}`)).ledger.state === 'delivered');
        const { ledger: told } = await router.post(`/jobs/${job_id}/ledger/retry`);
        assert.deepEqual(told, { state: 'delivered', run_id: run.id, reason: null });
        const events = (await router.get(`/jobs/${job_id}/events`)).map(
          ({ event_type }: { event_type: string }) => event_type,
        );
        assert.deepEqual(events.filter((type: string) => type.startsWith('ledger_')).sort(), [
          'ledger_refused',
          'ledger_retried',
          'ledger_run_opened',
        ]);
        assert.equal((await router.get('/admin/summary')).ledger_refused, 0);
      }
      const { id } = await router.job(COOK);
      assert.equal((await router.get(`/jobs/${id}`)).ledger, null);
      assertProblem(await router.call('POST', `/jobs/${id}/ledger/retry`), 409, 'nothing_to_deliver');
      assertProblem(await router.call('POST', '/jobs/job_none/ledger/retry'), 404, 'not_found');
    });

    test('goes on trying what passes: too slow, too early, too often, in progress, or a fault of the ledger', async (t) => {
      const proxy = await startProxy(() => ledger.url);
      t.after(() => proxy.close());
      const router = await start({ environment: environment(proxy.url), clock: RUNNING_CLOCK });
      const worker = await router.worker();
      for (const [status, code] of [
        [408, 'made_up'],
        [425, 'made_up'],
        [429, 'made_up'],
        [409, 'idempotency_in_progress'],
        [500, 'made_up'],
        [503, 'made_up'],
      ] as const) {
        const asked = proxy.refuse(/\/checks$/, status, code);
        const job_id = await finished(router, worker, COOK, SCORES);
        await until('it was tried', () => asked() > 0);
        await until('it says why it waits', async () => (await router.get(`/jobs/${job_id}`)).ledger.reason !== null);
        const { ledger: waiting } = await router.get(`/jobs/${job_id}`);
        assert.deepEqual([waiting.state, waiting.reason.includes(String(status))], ['waiting', true], `${status}`);
        proxy.release();
        await atVerdict(job_id);
      }
    });

    test('says on the job which evidence the ledger did not take', async (t) => {
      const proxy = await startProxy(() => ledger.url);
      t.after(() => proxy.close());
      const router = await start({ environment: environment(proxy.url), clock: RUNNING_CLOCK });
      const worker = await router.worker();
      proxy.refuse(/\/evidence$/, 413);
      const job_id = await finished(router, worker, COOK, SCORES, async (lease_token, id) => {
        await worker.tell(`jobs/${id}/logs`, { lease_token, lines: ['epoch 1'] });
        await worker.tell(`jobs/${id}/artifacts`, { lease_token, artifact_type: 'model', name: 'm', uri: 'file:///m' });
      });
      await until('delivered', async () => (await router.get(`/jobs/${job_id}`)).ledger.state === 'delivered');
      const { ledger: told } = await router.get(`/jobs/${job_id}`);
      assert.match(told.reason, /without the artifact “m”: its worker reported no checksum\./);
      assert.match(told.reason, /without “Log of the job”: 413 made_up/);
      const events = await router.get(`/jobs/${job_id}/events`);
      assert.equal(
        events.filter(({ event_type }: { event_type: string }) => event_type === 'ledger_evidence_left_out').length,
        2,
      );
    });

    test('says of a log that was cut that it was', async () => {
      const { environment, ...more } = options();
      const router = await start({ ...more, environment: { ...environment, ROUTER_JOB_LOG_BYTES: '100' } });
      const worker = await router.worker();
      const job_id = await finished(router, worker, COOK, SCORES, async (lease_token, id) => {
        await worker.tell(`jobs/${id}/logs`, { lease_token, lines: ['epoch 1'] });
        await worker.ask(`jobs/${id}/logs`, { lease_token, lines: ['x'.repeat(100)] });
      });
      const { evidence } = (await atVerdict(job_id)) as unknown as { evidence: { label: string }[] };
      assert.deepEqual(
        evidence.map(({ label }) => label),
        ['Log of the job, cut where its quota was used up'],
      );
      const { ledger: told } = await router.get(`/jobs/${job_id}`);
      assert.match(told.reason, /without the end of the log/);
    });

    test('attaches a log that is too long to pass on by its hash', async () => {
      const router = await start(options());
      const worker = await router.worker();
      const line = 'x'.repeat(60_000);
      const job_id = await finished(router, worker, COOK, SCORES, async (lease_token, id) => {
        for (const sequence of [0, 1, 2, 3])
          await worker.tell(`jobs/${id}/logs`, { lease_token, lines: [line], sequence });
      });
      const { evidence } = (await atVerdict(job_id)) as unknown as { evidence: { sha256: string; label: string }[] };
      const expected = createHash('sha256').update(`${line}\n`.repeat(4)).digest('hex');
      assert.deepEqual(
        evidence.map(({ sha256, label }) => [sha256, label]),
        [[expected, 'Log of the job, too long to pass on: the router keeps it']],
      );
    });

    test('seals what the member ordered, the seconds as they were, and sends no mail to addresses in the job', async () => {
      const router = await start(options());
      const worker = await router.worker();
      const reported = { ...SCORES, base_model: 'other/model', dataset: 'other', duration_seconds: 0.25 };
      const job_id = await finished(router, worker, COOK, reported);
      const run = await atVerdict(job_id);
      const { cook } = await mint(run);
      assert.deepEqual([cook.base_model, cook.dataset], ['acme/tiny-1b', 'support-chat']);
      assert.deepEqual([cook.metrics.duration_seconds, cook.metrics.billed_seconds], [0.25, 1]);
      const { actual_cost_usd, actual_hours } = await router.get(`/jobs/${job_id}`);
      assert.deepEqual([cook.compute_usd, actual_hours], [actual_cost_usd, 0.000278]);
      const { checks } = (await tenant.as('auditor')('GET', `/runs/${run.id}`)) as {
        checks: { key: string; status: string }[];
      };
      const statusOf = (key: string) => checks.find((check) => check.key === key)?.status;
      assert.deepEqual(
        ['bill_agrees', 'declared_cost_agrees', 'duration_declared', 'metrics_consistent'].map(statusOf),
        ['pass', 'pass', 'pass', 'flag'],
      );

      await tenant.as('owner')('POST', '/flight-sheets', SHEET);
      const flight_sheet = { name: SHEET.name, version: SHEET.version };
      for (const payload of [
        { flight_sheet, inputs: { notify: ['someone@example.org'], limit: 3 } },
        { flight_sheet, notify: ['someone@example.org'], limit: 3 },
      ]) {
        const id = await finished(router, worker, { job_type: 'eval', payload }, { output: { a: 2, b: 2, sum: 4 } });
        const { inputs } = (await atVerdict(id)) as unknown as { inputs: object };
        assert.deepEqual(inputs, { flight_sheet, limit: 3 });
      }
    });

    test("does not take an execution that another credential posted into its Run for the job's own", async (t) => {
      const proxy = await startProxy(() => ledger.url);
      t.after(() => proxy.close());
      const router = await start({ environment: environment(proxy.url), clock: RUNNING_CLOCK });
      const worker = await router.worker();
      const answered = proxy.holdAfter(/\/runs$/);
      const job_id = await finished(router, worker, COOK, { ...SCORES, eval_after: 0.41 });
      await answered;
      const [{ id }] = (await runsOf(job_id)) as [Run];
      const forged = { eval_after: 0.99, runner: SKU, metrics: { duration_seconds: 1 } };
      await tenant.as('agent')('POST', `/runs/${id}/execution`, forged);
      proxy.release();
      await until('it is parked', async () => (await router.get(`/jobs/${job_id}`)).ledger.state === 'refused');
      const { reason, run_id } = (await router.get(`/jobs/${job_id}`)).ledger;
      assert.equal(run_id, id);
      assert.match(reason, /has an execution that is not this job's/);
      assert.equal((await runsOf(job_id))[0]!.stage, 'Execution', 'it is taken no further');
    });

    test('orders by the dataset that the member named before what the worker reports', async () => {
      const router = await start(options());
      const worker = await router.worker();
      const ordered = { job_type: 'fine_tune', payload: {}, input_dataset_ids: ['ordered-set'] };
      const job_id = await finished(router, worker, ordered, { ...SCORES, dataset: 'another' });
      const run = (await atVerdict(job_id)) as unknown as { inputs: { dataset: string } };
      assert.equal(run.inputs.dataset, 'ordered-set');
    });

    test('opens no second Run when the router is killed between two of its calls', async (t) => {
      const { db, url } = await fresh();
      const receipts = temporaryFolder();
      t.after(() => rmSync(receipts, { recursive: true, force: true }));
      const proxy = await startProxy(() => ledger.url);
      t.after(() => proxy.close());
      const settings = {
        ROUTER_DATABASE_URL: url,
        ROUTER_RECEIPTS_DIR: receipts,
        ROUTER_LOG_LEVEL: 'info',
        ...environment(proxy.url),
      };
      let router = await startRouterProcess(settings);
      for (const call of [/\/runs$/, /\/execution$/, /\/checks$/, /\/verdict$/]) {
        const answered = proxy.holdAfter(call);
        const client = clientOf(router.url);
        const job_id = await finished(client, await client.worker(), COOK, SCORES);
        await answered;
        await router.kill();
        proxy.release();
        // The dead process had claimed the job for a minute, which is over now.
        await db.run(`update bridge_outbox set next_attempt_at = '2000-01-01T00:00:00.000+00:00'`);
        router = await startRouterProcess(settings);
        await atVerdict(job_id);
      }
      assert.equal(await router.stop(), 0);
    });
  });
});

async function finished(
  router: Pick<ReturnType<typeof clientOf>, 'job'>,
  worker: TestWorker,
  job: object,
  metrics: { duration_seconds?: number } & Record<string, unknown>,
  meanwhile: (lease_token: string, id: string) => Promise<unknown> = async () => undefined,
): Promise<string> {
  const { id } = await router.job(job);
  const { lease_token } = await worker.lease();
  await worker.tell(`jobs/${id}/accept`, { lease_token });
  await meanwhile(lease_token, id);
  RUNNING_CLOCK.advance(metrics.duration_seconds ?? 0);
  await worker.tell(`jobs/${id}/complete`, { lease_token, metrics });
  return id;
}

/** Passes calls on; the answer of one is kept back after the call was carried out. */
async function startProxy(target: () => string) {
  let held: { call: RegExp; answered(): void } | null = null;
  let refused: { call: RegExp; status: number; code: string; times: number } | null = null;
  const server = createServer(async (request, response) => {
    if (refused?.call.test(request.url!)) {
      refused.times++;
      const { status, code } = refused;
      const problem = { type: 'about:blank', title: 'No', status, detail: 'Not like this.', code, request_id: 'r' };
      request.resume();
      response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(`${target()}${request.url}`, {
      method: request.method!,
      headers,
      ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
    });
    const body = await answer.text();
    if (held?.call.test(request.url!)) return held.answered();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when the ledger has answered such a call. */
    holdAfter: (call: RegExp) =>
      new Promise<void>((resolve) => {
        held = { call, answered: resolve };
      }),
    /** Such calls get this answer and do not arrive; tells how many came. */
    refuse(call: RegExp, status: number, code = 'made_up') {
      const asked = { call, status, code, times: 0 };
      refused = asked;
      return () => asked.times;
    },
    release() {
      held = null;
      refused = null;
      server.closeAllConnections();
    },
    close() {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
