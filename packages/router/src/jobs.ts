/** Jobs as members see them, and how one is made. */
import type { PriceTable } from '@rcpt/contract/prices.ts';
import type { JobLedger, NewJob, Job as PublicJob } from '@rcpt/contract/router/compute.ts';
import type { GrantedDataset } from '@rcpt/contract/router/members.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Created } from '@rcpt/service/http/idempotency.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { CreateCommand } from './commit/command.ts';
import { type Job, phase } from './domain/job.ts';
import { priceOf, quoteCents, usdNumber } from './domain/price.ts';
import { queueOfJob } from './domain/queue.ts';
import { estimateInReceipt } from './domain/receipt.ts';
import { waitingFor } from './domain/worker.ts';
import { grantedDatasets } from './members.ts';
import type { Changes } from './notifier.ts';
import type { ReceiptBatch } from './receipts/batch.ts';
import type { Router } from './router.ts';
import { deliveriesOf } from './store/bridge.ts';
import { insertEvents } from './store/job-events.ts';
import { insertJobs } from './store/jobs.ts';
import type { WorkerSummary } from './store/workers.ts';

const ATTEMPTS = 3;

/** The caller has checked that the member is active and was granted `datasets`. Throws `gpu_unpriced`. */
export function newJob(body: NewJob, prices: PriceTable, datasets: GrantedDataset[] = []): CreateCommand {
  const { hourly_rate_usd } = priceOf(prices, body.requested_gpu_sku);
  const estimated_cents = quoteCents(hourly_rate_usd, body.estimated_hours);
  return {
    kind: 'create',
    create(batch) {
      const job: Job = {
        id: newId('job'),
        member_id: body.member_id,
        job_type: body.job_type,
        requested_gpu_sku: body.requested_gpu_sku,
        status: 'queued',
        priority: body.priority ?? 0,
        estimated_hours: String(body.estimated_hours),
        estimated_cents,
        hourly_rate_usd,
        input_dataset_ids: body.input_dataset_ids ?? [],
        datasets,
        payload: body.payload ?? {},
        max_attempts: body.max_attempts ?? ATTEMPTS,
        receipt_id: '',
        created_at: batch.at,
        output_uri: body.output_uri ?? null,
        assigned_node_id: null,
        attempt: 0,
        actual_started_at: null,
        actual_finished_at: null,
        actual_hours: null,
        actual_cents: null,
        worker_id: null,
        lease_id: null,
        lease_sha256: null,
        lease_expires_at: null,
        past_leases: [],
        log_bytes: 0,
        log_cut_at: null,
      };
      const receipt_id = batch.add(phase(job, 'created', estimated_cents, estimateInReceipt(body.estimated_hours)));
      const event = {
        id: newId('event'),
        job_id: job.id,
        event_type: 'created',
        message: 'Queued.',
        payload: {},
        worker_id: null,
        created_at: batch.at,
      };
      return { job: { ...job, receipt_id }, event };
    },
  };
}

/** A job without datasets and without an idempotency key: it can be leased with the commit that creates it. */
export async function createJob(
  router: Pick<Router, 'db' | 'fleet' | 'writer' | 'now'>,
  command: CreateCommand,
): Promise<Created> {
  const job = await router.writer.execute<Job>(command);
  return answerOf(router, job, router.now());
}

/** Any other job: its datasets are looked up, and its answer is kept, in the transaction that stores it. */
export async function insertJob(
  router: Pick<Router, 'db' | 'fleet' | 'prices'>,
  body: NewJob,
  tx: Queries,
  batch: ReceiptBatch,
  changes: Changes,
): Promise<Created> {
  const datasets = await grantedDatasets(tx, body.member_id, body.input_dataset_ids ?? [], batch.now);
  const { job, event } = newJob(body, router.prices, datasets).create(batch);
  await insertJobs(tx, [job]);
  await insertEvents(tx, [event]);
  const queue = queueOfJob(job);
  changes.queued.set(queue, (changes.queued.get(queue) ?? 0) + 1);
  changes.visible?.jobs.add(job.id);
  return answerOf(router, job, batch.now);
}

async function answerOf(router: Pick<Router, 'db' | 'fleet'>, job: Job, now: number): Promise<Created> {
  return { body: (await showJobs(router, [job], now))[0]!, location: `/jobs/${job.id}` };
}

/** For jobs that are not queued. */
export const NO_WORKERS: ReadonlyMap<string, WorkerSummary> = new Map();

type Place = Pick<Router, 'db' | 'fleet'>;

/** Workers are read only for queued jobs, which show why they wait; deliveries only for jobs that may have one. */
export async function showJobs({ db, fleet }: Place, jobs: Job[], now: number): Promise<PublicJob[]> {
  const workers = jobs.some((job) => job.status === 'queued') ? await fleet.workers() : NO_WORKERS;
  const delivering = jobs.filter(mayDeliver).map(({ id }) => id);
  const deliveries = delivering.length === 0 ? NO_DELIVERIES : await deliveriesOf(db, delivering);
  return jobs.map((job) => showJob(job, workers, now, deliveries.get(job.id) ?? null));
}

const NO_DELIVERIES: ReadonlyMap<string, JobLedger> = new Map();

/** Whether the bridge may deliver it to a ledger. */
export function mayDeliver({ status, job_type }: Job): boolean {
  return status === 'completed' && (job_type === 'fine_tune' || job_type === 'eval');
}

export function showJob(
  job: Job,
  workers: ReadonlyMap<string, WorkerSummary>,
  now: number,
  ledger: JobLedger | null = null,
): PublicJob {
  return {
    id: job.id,
    member_id: job.member_id,
    job_type: job.job_type,
    requested_gpu_sku: job.requested_gpu_sku,
    assigned_node_id: job.assigned_node_id,
    status: job.status,
    estimated_hours: Number(job.estimated_hours),
    estimated_cost_usd: usdNumber(job.estimated_cents),
    hourly_rate_usd: Number(job.hourly_rate_usd),
    actual_started_at: job.actual_started_at,
    actual_finished_at: job.actual_finished_at,
    actual_hours: job.actual_hours === null ? null : Number(job.actual_hours),
    actual_cost_usd: job.actual_cents === null ? null : usdNumber(job.actual_cents),
    input_dataset_ids: job.input_dataset_ids,
    output_uri: job.output_uri,
    receipt_id: job.receipt_id,
    attempt: job.attempt,
    max_attempts: job.max_attempts,
    priority: job.priority,
    waiting_for: job.status === 'queued' ? waitingFor(job, workers.values(), now) : null,
    log_bytes: job.log_bytes,
    log_cut_at: job.log_cut_at,
    ledger,
    created_at: job.created_at,
  };
}
