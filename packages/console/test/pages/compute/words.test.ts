/** What the compute pages say about jobs, workers and prices. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Job, JobEvent } from '@rcpt/contract/router/compute.ts';
import { waitingWords } from '../../../src/pages/compute/format.ts';
import { type Bucket, labelWords, sumOf, today, whenWords } from '../../../src/pages/compute/history.ts';
import { datesOf, metricsOf, runOf, stepsOf, workerOf } from '../../../src/pages/compute/job/steps.ts';
import { declared, gpusOf, machineOf } from '../../../src/pages/compute/machine.ts';
import { costOf, hoursOf, offersOf, payloadOf } from '../../../src/pages/compute/price.ts';
import { reasonsOf } from '../../../src/pages/compute/waiting.ts';

const at = (clock: string, date = '2026-05-29') => `${date}T${clock}.000+00:00`;

describe('a job', () => {
  const job = (change: Partial<Job>): Job => ({
    id: 'job_1',
    member_id: 'mem_1',
    job_type: 'fine_tune',
    requested_gpu_sku: 'rog_astral_5090_32gb',
    assigned_node_id: null,
    status: 'queued',
    estimated_hours: 1,
    estimated_cost_usd: 2,
    hourly_rate_usd: 2,
    actual_started_at: null,
    actual_finished_at: null,
    actual_hours: null,
    actual_cost_usd: null,
    input_dataset_ids: [],
    output_uri: null,
    receipt_id: 'rcpt_1',
    attempt: 0,
    max_attempts: 3,
    priority: 0,
    waiting_for: null,
    log_bytes: 0,
    log_cut_at: null,
    ledger: null,
    created_at: at('23:59:00'),
    ...change,
  });
  const event = (event_type: string, created_at: string, more: Partial<JobEvent> = {}): JobEvent => ({
    id: `event_${created_at}`,
    job_id: 'job_1',
    event_type,
    message: '',
    payload: {},
    worker_id: null,
    created_at,
    ...more,
  });
  const inShort = (steps: ReturnType<typeof stepsOf>) => steps.map(({ word, state }) => `${word}: ${state}`);

  test('that waits has everything ahead', () => {
    assert.deepEqual(inShort(stepsOf(job({}), [])), [
      'Queued: now',
      'Leased: ahead',
      'Running: ahead',
      'Completed: ahead',
    ]);
  });

  test('counts the attempt that is under way, and after a lost lease waits again', () => {
    const events = [event('leased', at('10:00:00')), event('lease_expired', at('10:10:00'))];
    assert.deepEqual(stepsOf(job({ attempt: 1 }), events)[1], {
      status: 'leased',
      word: 'Leased',
      at: null,
      state: 'ahead',
    });
    const again = [...events, event('leased', at('10:11:00'))];
    assert.equal(stepsOf(job({ status: 'leased', attempt: 2 }), again)[1]!.at, at('10:11:00'));
  });

  test('that was started by hand was never leased; one canceled in the queue never ran', () => {
    const byHand = job({ status: 'running', actual_started_at: at('10:00:00') });
    assert.deepEqual(inShort(stepsOf(byHand, [])), [
      'Queued: done',
      'Leased: left out',
      'Running: now',
      'Completed: ahead',
    ]);
    const canceled = job({ status: 'canceled', actual_finished_at: at('10:00:00') });
    assert.deepEqual(inShort(stepsOf(canceled, [])), [
      'Queued: done',
      'Leased: left out',
      'Running: left out',
      'Canceled: now',
    ]);
  });

  test('has its receipts under every date on which something happened', () => {
    const events = [event('leased', at('00:01:00', '2026-05-30'))];
    assert.deepEqual(datesOf(job({ actual_finished_at: at('00:00:00', '2026-06-01') }), events), [
      '2026-05-29',
      '2026-05-30',
      '2026-06-01',
    ]);
  });

  test('tells by its events who ran it, what was measured, and which Run was opened', () => {
    const events = [
      event('leased', at('10:00:00'), { worker_id: 'worker_1' }),
      event('completed', at('10:01:00'), { worker_id: 'worker_1', payload: { metrics: { loss: 0.2 } } }),
      event('ledger_run_opened', at('10:02:00'), { payload: { run_id: 'run_1' } }),
    ];
    assert.equal(workerOf(events), 'worker_1');
    assert.deepEqual(metricsOf(events), [['loss', 0.2]]);
    assert.equal(runOf(events), 'run_1');
    assert.deepEqual([workerOf([]), metricsOf([]), runOf([])], [null, [], null]);
  });
});

describe('the queue', () => {
  test('gives each reason once, with what nobody will take first', () => {
    const waits = (waiting_for: 'all_busy' | 'no_worker_for_sku' | null, job_type: 'eval' | 'batch' = 'eval') => ({
      job_type,
      requested_gpu_sku: 'sku',
      waiting_for,
    });
    const reasons = reasonsOf([
      waits('all_busy'),
      waits('all_busy'),
      waits('no_worker_for_sku'),
      waits('no_worker_for_sku', 'batch'),
      waits('no_worker_for_sku', 'batch'),
      waits(null),
    ]);
    assert.deepEqual(
      reasons.map(({ waiting_for, job_type, jobs }) => `${jobs} ${job_type} ${waiting_for}`),
      ['2 batch no_worker_for_sku', '1 eval no_worker_for_sku', '2 eval all_busy'],
    );
    assert.equal(
      waitingWords('no_worker_for_type', 'RTX', 'fine_tune'),
      'Workers offer RTX, but none of them runs fine-tune jobs.',
    );
  });
});

describe('prices', () => {
  test('are exact, whatever a binary float makes of the hours', () => {
    const cost = (hourly_rate_usd: number, hours: number) => costOf({ hourly_rate_usd }, hours);
    assert.equal(cost(5, 0.1), '0.50');
    assert.equal(cost(2, 2.5), '5.00');
    assert.equal(cost(2, 0.0025), '0.00');
    assert.equal(cost(0.07, 3), '0.21');
  });

  test('of what is there go first', () => {
    const row = (gpu_type: string) => ({ gpu_type, gpu_name: gpu_type, vram_gb: 0, hourly_rate_usd: 1 });
    assert.deepEqual(
      offersOf([row('a'), row('b'), row('c')], [{ gpu_type: 'c' }, { gpu_type: 'gone' }]).map(
        ({ gpu_type, there }) => `${gpu_type} ${there}`,
      ),
      ['c true', 'a false', 'b false'],
    );
  });

  test('take hours as people type them', () => {
    assert.deepEqual(['2', ' 0.5 ', '1,25', '8784'].map(hoursOf), [2, 0.5, 1.25, 8784]);
    assert.deepEqual(['', ' ', '0', '-1', '8785', 'two', 'NaN', 'Infinity'].map(hoursOf), Array(8).fill(null));
  });

  test('a payload is an object, or one is told what is wrong', () => {
    assert.deepEqual(payloadOf('  '), { payload: {} });
    assert.deepEqual(payloadOf('{"a": [1]}'), { payload: { a: [1] } });
    for (const typed of ['[1]', 'null', '1', '{"a": ']) assert.ok('wrong' in payloadOf(typed), typed);
  });
});

describe('history', () => {
  const bucket = (instant: string, more: Partial<Bucket> = {}): Bucket => ({
    at: instant,
    ...{ created: 0, completed: 0, failed: 0, canceled: 0, spend_usd: 0, queued: 0 },
    ...more,
  });

  test('is summed to the cent, and today begins at midnight UTC', () => {
    const buckets = [
      bucket(at('23:00:00', '2026-05-28'), { failed: 5 }),
      bucket(at('00:00:00'), { failed: 1, spend_usd: 0.1 }),
      bucket(at('01:00:00'), { failed: 2, spend_usd: 0.2 }),
    ];
    const sums = sumOf(today(buckets, Date.parse(at('01:30:00'))));
    assert.deepEqual([sums.failed, sums.spend_usd], [3, 0.3]);
  });

  test('names hours by the clock and days by the calendar', () => {
    assert.equal(whenWords(bucket(at('23:00:00')), 3600), '29 May, 23:00–00:00 UTC');
    assert.equal(whenWords(bucket(at('00:00:00')), 86_400), '29 May UTC');
    assert.equal(labelWords(bucket(at('14:00:00')), 3600), '14:00');
    assert.equal(labelWords(bucket(at('00:00:00')), 3600), '29 May');
  });
});

describe('what a worker says about itself', () => {
  test('is taken as far as it makes sense', () => {
    const [gpu, odd] = gpusOf({ gpus: [{ name: 'RTX', utilization_percent: 140, memory_mib: 32 }, {}, null, 'x'] });
    assert.deepEqual([gpu!.name, gpu!.utilization_percent, gpu!.memory_used_mib], ['RTX', 100, null]);
    assert.equal(odd!.name, 'GPU');
    for (const gpus of [undefined, null, 'two', 2, {}]) assert.deepEqual(gpusOf({ gpus }), []);
    const machine = machineOf({ cpu: 7, cpu_count: 8 }, { load_1m: Number.NaN, memory_bytes: -1 });
    assert.deepEqual([machine.cpu, machine.cpu_count, machine.load_1m, machine.memory_bytes], [null, 8, null, null]);
    assert.deepEqual(declared({ supports: ['eval', 3] }, 'supports'), ['eval']);
    assert.equal(declared({}, 'supports'), null);
  });
});
