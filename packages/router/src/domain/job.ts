/**
 * A job, and what every transition of it is made of. The transitions themselves are in by-hand.ts and lease.ts. They are pure:
 * a job, a command and an instant go in; the changed job, its receipts and its events go out, or a coded refusal. All of that
 * is stored, or nothing.
 */
import { decimal, formatDecimal, hoursOfSeconds } from '@rcpt/contract/money.ts';
import type { GrantedDataset } from '@rcpt/contract/router/members.ts';
import type { JobStatus, JobType } from '@rcpt/contract/router/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { refuse } from '../problems.ts';
import type { Metered } from './metering.ts';
import { meteredCents } from './price.ts';
import type { ReceiptDraft } from './receipt.ts';
import { instant, millisOf } from './time.ts';

export interface Job {
  id: string;
  member_id: string;
  job_type: JobType;
  requested_gpu_sku: string;
  status: JobStatus;
  priority: number;
  /** A decimal as the caller wrote it. */
  estimated_hours: string;
  estimated_cents: number;
  /** The rate it was estimated at. It is charged at the same, also when the price table has changed. */
  hourly_rate_usd: string;
  input_dataset_ids: string[];
  /** The granted ones of them, as they were when the job was created. */
  datasets: GrantedDataset[];
  payload: JsonObject;
  max_attempts: number;
  /** Of the receipt written when the job was created. */
  receipt_id: string;
  created_at: string;
  output_uri: string | null;
  assigned_node_id: string | null;
  attempt: number;
  actual_started_at: string | null;
  actual_finished_at: string | null;
  actual_hours: string | null;
  actual_cents: number | null;
  worker_id: string | null;
  lease_id: string | null;
  /** Stays after the end, so that a repeated complete or fail is recognized. */
  lease_sha256: string | null;
  lease_expires_at: string | null;
  past_leases: string[];
  /** Bytes of log and events that its workers sent. */
  log_bytes: number;
  /** Since when more of it was refused; null: the log is whole. */
  log_cut_at: string | null;
}

export interface EventDraft {
  event_type: string;
  message: string;
  payload: JsonObject;
  worker_id: string | null;
}

/** What a transition does. `job` is the same object when nothing changes. */
export interface Effect {
  job: Job;
  receipts: ReceiptDraft[];
  events: EventDraft[];
}

export interface Clock {
  /** Milliseconds since 1970. */
  now: number;
  lease_seconds: number;
}

export const same = (job: Job): Effect => ({ job, receipts: [], events: [] });

export function isFinal({ status }: Job): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

export function conflict(job: Job, verb: string, needed: string) {
  return refuse('job_state_conflict', `The job is ${job.status}; ${verb} needs it ${needed}.`, {
    status_of_job: job.status,
  });
}

export function finish(job: Job, { billed_seconds }: Metered, now: number): Job {
  return {
    ...job,
    status: 'completed',
    actual_started_at: job.actual_started_at ?? instant(now),
    actual_finished_at: instant(now),
    actual_hours: formatDecimal(hoursOfSeconds(decimal(billed_seconds))),
    actual_cents: meteredCents(job.hourly_rate_usd, billed_seconds),
  };
}

/** With the rate, the amount can be computed again from the receipt alone. */
export function inReceipt({ hourly_rate_usd }: Job, metered: Metered): JsonObject {
  return { hourly_rate_usd, ...metered };
}

/** Never negative, also when the clock was set back meanwhile. */
export function millisSince(at: string | null, now: number): number {
  return at === null ? 0 : Math.max(0, now - millisOf(at));
}

export function event(
  event_type: string,
  message: string,
  worker_id: string | null = null,
  payload: JsonObject = {},
): EventDraft {
  return { event_type, message, payload, worker_id };
}

export function receipt(
  job: Job,
  receipt_type: ReceiptDraft['receipt_type'],
  amount_cents: number,
  metadata: JsonObject,
): ReceiptDraft {
  return {
    receipt_type,
    member_id: job.member_id,
    job_id: job.id,
    dataset_ids: job.input_dataset_ids,
    amount_cents,
    metadata,
  };
}

/** The job's own receipt type, with the phase it reached. */
export function phase(
  job: Job,
  reached: 'created' | 'started' | 'completed' | 'canceled',
  amount_cents: number,
  more: JsonObject = {},
): ReceiptDraft {
  const type = job.job_type === 'fine_tune' ? 'fine_tune_job' : 'compute_job';
  return receipt(job, type, amount_cents, {
    phase: reached,
    job_type: job.job_type,
    requested_gpu_sku: job.requested_gpu_sku,
    ...more,
  });
}
