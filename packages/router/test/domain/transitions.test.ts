/** The table of job transitions (docs/spec.md §20), cell by cell, with the receipts each cell leaves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inShort } from '../kit/records.ts';
import { type Answer, assertProblem, eachRouter, type TestRouter, type TestWorker } from '../kit/running.ts';

interface Held {
  router: TestRouter;
  worker: TestWorker;
  job_id: string;
  lease_token: string;
}

/** How a job gets into each row of the table. */
const ROWS: Record<string, (held: Held) => Promise<unknown>> = {
  queued: async () => {},
  leased: (held) => leased(held),
  'running, no lease': ({ router, job_id }) => router.post(`/jobs/${job_id}/start`),
  'running, leased': (held) => runningUnderLease(held),
  completed: async (held) => {
    await runningUnderLease(held);
    await finish(held, 'complete');
  },
  'completed by hand': ({ router, job_id }) => router.post(`/jobs/${job_id}/complete`),
  failed: async (held) => {
    await runningUnderLease(held);
    await finish(held, 'fail');
  },
  canceled: ({ router, job_id }) => router.post(`/jobs/${job_id}/cancel`),
  'canceled while held': async (held) => {
    await leased(held);
    await held.router.post(`/jobs/${held.job_id}/cancel`);
  },
};

async function leased(held: Held): Promise<void> {
  const lease = await held.worker.lease();
  assert.equal(lease.job.id, held.job_id);
  held.lease_token = lease.lease_token;
}

async function runningUnderLease(held: Held): Promise<void> {
  await leased(held);
  await held.worker.tell(`jobs/${held.job_id}/accept`, { lease_token: held.lease_token });
}

function finish({ worker, job_id, lease_token }: Held, verb: 'complete' | 'fail') {
  return worker.tell(`jobs/${job_id}/${verb}`, { lease_token, message: 'out of memory' });
}

type Cell = { becomes: string; receipts: string[] } | { refused: string } | 'same';
const becomes = (status: string, ...receipts: string[]): Cell => ({ becomes: status, receipts });
const conflict: Cell = { refused: 'job_state_conflict' };
const canceledConflict: Cell = { refused: 'job_canceled' };
const unknownToken: Cell = { refused: 'lease_invalid' };

const started = becomes('running', 'compute_job started 0.00');
const canceled = becomes('canceled', 'compute_job canceled 0.00');
/** The clock stands between two rows; a minute passes before the act, which is 0.08 at 5.00 an hour. */
const byHand = (amount: string) => becomes('completed', `compute_job completed ${amount}`);
const byWorker = (amount: string) =>
  becomes('completed', `worker_job_completed ${amount}`, `compute_job completed ${amount}`);
const failed = becomes('failed', 'worker_job_failed 0.00');
const accepted = becomes('running', 'worker_job_accepted 0.00');

const MEMBER_VERBS = ['start', 'complete', 'cancel'] as const;
const WORKER_VERBS = ['accept', 'worker complete', 'worker fail'] as const;
type Verb = (typeof MEMBER_VERBS)[number] | (typeof WORKER_VERBS)[number];

const TABLE: Record<string, Record<Verb, Cell>> = {
  queued: {
    start: started,
    complete: byHand('0.00'),
    cancel: canceled,
    accept: unknownToken,
    'worker complete': unknownToken,
    'worker fail': unknownToken,
  },
  leased: {
    start: conflict,
    complete: conflict,
    cancel: canceled,
    accept: accepted,
    'worker complete': byWorker('0.00'),
    'worker fail': failed,
  },
  'running, no lease': {
    start: 'same',
    complete: byHand('0.08'),
    cancel: canceled,
    accept: unknownToken,
    'worker complete': unknownToken,
    'worker fail': unknownToken,
  },
  'running, leased': {
    start: 'same',
    complete: conflict,
    cancel: canceled,
    accept: 'same',
    'worker complete': byWorker('0.08'),
    'worker fail': failed,
  },
  completed: {
    start: conflict,
    complete: conflict,
    cancel: conflict,
    accept: conflict,
    'worker complete': 'same',
    'worker fail': conflict,
  },
  'completed by hand': {
    start: conflict,
    complete: 'same',
    cancel: conflict,
    accept: unknownToken,
    'worker complete': unknownToken,
    'worker fail': unknownToken,
  },
  failed: {
    start: conflict,
    complete: conflict,
    cancel: conflict,
    accept: conflict,
    'worker complete': conflict,
    'worker fail': 'same',
  },
  canceled: {
    start: conflict,
    complete: conflict,
    cancel: conflict,
    accept: unknownToken,
    'worker complete': unknownToken,
    'worker fail': unknownToken,
  },
  'canceled while held': {
    start: conflict,
    complete: conflict,
    cancel: conflict,
    accept: canceledConflict,
    'worker complete': canceledConflict,
    'worker fail': canceledConflict,
  },
};
const STATUS = { job_state_conflict: 409, job_canceled: 409, lease_invalid: 400 } as Record<string, number>;

function act({ router, worker, job_id, lease_token }: Held, verb: Verb): Promise<Answer> {
  if ((MEMBER_VERBS as readonly string[]).includes(verb)) return router.call('POST', `/jobs/${job_id}/${verb}`);
  return worker.ask(`jobs/${job_id}/${verb.replace('worker ', '')}`, { lease_token, message: 'out of memory' });
}

const receiptsOf = ({ router, job_id }: Held) =>
  router
    .receipts()
    .filter((receipt) => receipt.job_id === job_id)
    .map(inShort);
const eventsOf = async ({ router, job_id }: Held) => (await router.get(`/jobs/${job_id}/events`)).length as number;

eachRouter('the transition table', (start) => {
  for (const [row, cells] of Object.entries(TABLE))
    test(`from ${row}: every verb does what its cell says, once, and leaves what its cell says`, async () => {
      const router = await start();
      for (const [verb, cell] of Object.entries(cells) as [Verb, Cell][]) {
        const worker = await router.worker();
        const { id: job_id } = await router.job();
        const held: Held = { router, worker, job_id, lease_token: 'dlease_of_nothing' };
        await ROWS[row]!(held);
        const before = {
          job: await router.get(`/jobs/${job_id}`),
          receipts: receiptsOf(held),
          events: await eventsOf(held),
        };
        const what = `${row} × ${verb}`;
        router.clock.advance(60);

        const answer = await act(held, verb);
        const job = await router.get(`/jobs/${job_id}`);
        const left = receiptsOf(held).slice(before.receipts.length);
        if (cell === 'same' || 'refused' in cell) {
          if (cell === 'same') assert.equal(answer.status, 200, `${what}: ${answer.text}`);
          else assertProblem(answer, STATUS[cell.refused]!, cell.refused);
          assert.deepEqual(job, before.job, what);
          assert.deepEqual(left, [], what);
          assert.equal(await eventsOf(held), before.events, what);
        } else {
          assert.equal(answer.status, 200, `${what}: ${answer.text}`);
          assert.equal(answer.json.status, cell.becomes, what);
          assert.deepEqual(left, cell.receipts, what);
          assert.equal(job.status, cell.becomes, what);
        }
        if (cell === 'same') assert.deepEqual(answer.json, before.job, what);
        // A job that is left to be leased or run would be found by the next row's worker.
        await router.call('POST', `/jobs/${job_id}/cancel`);
      }
    });

  test('a job that does not exist is 404 for everybody', async () => {
    const router = await start();
    const worker = await router.worker();
    for (const verb of MEMBER_VERBS)
      assertProblem(await router.call('POST', `/jobs/job_none/${verb}`), 404, 'not_found');
    for (const path of ['', '/events', '/logs', '/artifacts'])
      assertProblem(await router.call('GET', `/jobs/job_none${path}`), 404, 'not_found');
    const report = { lease_token: 'x', message: 'm', event_type: 'e', artifact_type: 'log', name: 'n', uri: 'u' };
    for (const verb of ['accept', 'status', 'logs', 'artifacts', 'complete', 'fail'])
      assertProblem(await worker.ask(`jobs/job_none/${verb}`, report), 404, 'not_found');
  });

  test('a repeated complete, fail or accept is answered as the first, without a second receipt or charge', async () => {
    const router = await start();
    for (const verb of ['complete', 'fail'] as const) {
      const worker = await router.worker();
      const { id: job_id } = await router.job();
      const held: Held = { router, worker, job_id, lease_token: '' };
      await leased(held);
      const accepts = [1, 2, 3].map(() => act(held, 'accept'));
      const [first, ...again] = (await Promise.all(accepts)).map(({ text }) => text);
      for (const text of again) assert.equal(text, first);
      router.clock.advance(1800);
      // The lease is over; what is renewed in time lives.
      assertProblem(await act(held, 'worker complete'), 409, 'lease_expired');
      await router.post(`/jobs/${job_id}/cancel`);

      const { id: second } = await router.job();
      const other: Held = { router, worker, job_id: second, lease_token: '' };
      await runningUnderLease(other);
      router.clock.advance(300);
      const ends = await Promise.all([1, 2, 3].map(() => act(other, `worker ${verb}`)));
      router.clock.advance(100_000);
      ends.push(await act(other, `worker ${verb}`));
      assert.deepEqual([...new Set(ends.map(({ status }) => status))], [200]);
      assert.equal(new Set(ends.map(({ text }) => text)).size, 1);
      const last = receiptsOf(other).slice(3);
      assert.deepEqual(
        last,
        verb === 'complete' ? ['worker_job_completed 0.42', 'compute_job completed 0.42'] : ['worker_job_failed 0.00'],
      );
    }
  });

  test('fine_tune jobs leave fine_tune_job receipts, every other type compute_job', async () => {
    const router = await start({ environment: { ROUTER_LEASE_SECONDS: '9999' } });
    const worker = await router.worker();
    for (const job_type of ['inference', 'fine_tune', 'eval', 'dataset_build', 'embedding', 'batch']) {
      const type = job_type === 'fine_tune' ? 'fine_tune_job' : 'compute_job';
      const { id: job_id } = await router.job({ job_type, estimated_hours: 2, input_dataset_ids: ['ds_a', 'ds_b'] });
      const held: Held = { router, worker, job_id, lease_token: '' };
      await runningUnderLease(held);
      const { lease_token } = held;
      await worker.tell(`jobs/${job_id}/artifacts`, {
        lease_token,
        artifact_type: 'model',
        name: 'm',
        uri: 'file:///m',
      });
      router.clock.advance(3600);
      await worker.tell(`jobs/${job_id}/complete`, { lease_token });
      assert.deepEqual(receiptsOf(held), [
        `${type} created 10.00`,
        'job_leased 0.00',
        'worker_job_accepted 0.00',
        'artifact_reported 0.00',
        'worker_job_completed 5.00',
        `${type} completed 5.00`,
      ]);
      const { member_id } = await router.get(`/jobs/${job_id}`);
      for (const receipt of router.receipts().filter((receipt) => receipt.job_id === job_id)) {
        assert.equal(receipt.member_id, member_id);
        assert.deepEqual(receipt.dataset_ids, ['ds_a', 'ds_b']);
      }
    }
  });
});
