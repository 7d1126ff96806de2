/**
 * A job and its transition table (docs/spec.md §20). Pure: a job, an act and an instant go in; the
 * changed job and what is to be recorded go out, or a coded refusal. Whoever stores it stores all of it or nothing.
 */
import { timingSafeEqual } from 'node:crypto';
import { decimal, formatDecimal, hoursOfSeconds } from '@rcpt/contract/money.ts';
import type { GrantedDataset } from '@rcpt/contract/router/members.ts';
import type { JobStatus, JobType } from '@rcpt/contract/router/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { refuse } from '../problems.ts';
import { type Metered, type Metering, meter } from './metering.ts';
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
  /** The rate it was estimated at; it is charged at the same, whatever the price table says by then. */
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
  /** Kept after the end, so that a repeated complete or fail is recognized. */
  lease_sha256: string | null;
  lease_expires_at: string | null;
  past_leases: string[];
  /** Of log and of events that its workers sent. */
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

/** What an act does. `job` is the same object when nothing changes. */
export interface Effect {
  job: Job;
  receipts: ReceiptDraft[];
  events: EventDraft[];
}

/** Who acts under a lease. */
export interface Holder {
  worker_id: string;
  /** SHA-256 of the presented lease token. */
  lease_sha256: string;
}

export interface Clock {
  /** Milliseconds since 1970. */
  now: number;
  lease_seconds: number;
}

const same = (job: Job): Effect => ({ job, receipts: [], events: [] });

/** A member starts a job by hand, without a worker. */
export function start(job: Job, { now }: Clock): Effect {
  if (job.status === 'running') return same(job);
  if (job.status !== 'queued') throw conflict(job, 'start', 'queued');
  const started: Job = { ...job, status: 'running', actual_started_at: instant(now) };
  return { job: started, receipts: [phase(job, 'started', 0)], events: [event('started', 'Started by the member.')] };
}

/** A member completes what no worker holds; metered from its start. A repeat changes nothing. */
export function completeByHand(job: Job, { now }: Clock): Effect {
  if (job.status === 'completed' && job.lease_id === null) return same(job);
  const held = job.status === 'running' && job.lease_id !== null;
  if (held || (job.status !== 'queued' && job.status !== 'running'))
    throw conflict(job, 'complete', 'queued or running without a lease');
  const metered = meter(millisSince(job.actual_started_at, now), undefined, 'measured');
  const finished = finish(job, metered, now);
  return {
    job: finished,
    receipts: [phase(finished, 'completed', finished.actual_cents!, inReceipt(finished, metered))],
    events: [event('completed', 'Completed by the member.')],
  };
}

/** The lease of a canceled job is void: its worker is told with its next call. */
export function cancel(job: Job, { now }: Clock): Effect {
  if (isFinal(job)) throw conflict(job, 'cancel', 'queued, leased or running');
  return {
    job: { ...job, status: 'canceled', actual_finished_at: instant(now) },
    receipts: [phase(job, 'canceled', 0)],
    events: [event('canceled', 'Canceled on request.')],
  };
}

export interface NewLease extends Holder {
  lease_id: string;
  node_id: string;
}

/** Queued → leased. The caller has made sure that the job is queued and matches. */
export function lease(job: Job, { worker_id, node_id, lease_id, lease_sha256 }: NewLease, clock: Clock): Effect {
  const attempt = job.attempt + 1;
  const lease_expires_at = expiry(clock);
  return {
    job: {
      ...job,
      status: 'leased',
      attempt,
      worker_id,
      assigned_node_id: node_id,
      lease_id,
      lease_sha256,
      lease_expires_at,
    },
    receipts: [receipt(job, 'job_leased', 0, { worker_id, node_id, lease_id, attempt, lease_expires_at })],
    events: [event('leased', `Leased to ${worker_id}, attempt ${attempt} of ${job.max_attempts}.`, worker_id)],
  };
}

export function accept(job: Job, holder: Holder, clock: Clock): Effect {
  requireLease(job, holder, clock);
  const renewed = renew(job, clock);
  if (job.status === 'running') return same(renewed);
  return {
    job: { ...renewed, status: 'running', actual_started_at: instant(clock.now) },
    receipts: [
      receipt(job, 'worker_job_accepted', 0, {
        worker_id: holder.worker_id,
        lease_id: job.lease_id,
        attempt: job.attempt,
      }),
    ],
    events: [event('accepted', 'The worker has accepted the job.', holder.worker_id)],
  };
}

/** Status, logs and artifacts: allowed while the lease lives, which they renew. */
export function touch(job: Job, holder: Holder, clock: Clock): Job {
  requireLease(job, holder, clock);
  return renew(job, clock);
}

export interface Completion {
  output_uri?: string | undefined;
  metrics?: ({ duration_seconds?: number | undefined } & JsonObject) | undefined;
  final_message?: string | undefined;
}

/** @param metering `measured` ignores the seconds the worker reports */
export function completeByWorker(job: Job, holder: Holder, done: Completion, metering: Metering, clock: Clock): Effect {
  if (job.status === 'completed' && holds(job, holder)) return same(job);
  requireLease(job, holder, clock, 'complete');
  const metered = meterWork(job, done.metrics?.duration_seconds, metering, clock.now);
  const finished = finish({ ...job, output_uri: done.output_uri ?? job.output_uri }, metered, clock.now);
  const metadata = {
    worker_id: holder.worker_id,
    lease_id: job.lease_id,
    attempt: job.attempt,
    ...inReceipt(finished, metered),
  };
  return {
    job: finished,
    receipts: [
      receipt(finished, 'worker_job_completed', finished.actual_cents!, metadata),
      phase(finished, 'completed', finished.actual_cents!, metadata),
    ],
    events: [event('completed', done.final_message ?? 'Completed.', holder.worker_id, { metrics: done.metrics ?? {} })],
  };
}

/** What a worker's job is charged for: measured from accept to `now`. */
export function meterWork(job: Job, reported_seconds: number | undefined, metering: Metering, now: number): Metered {
  return meter(millisSince(job.actual_started_at, now), reported_seconds, metering);
}

/** Failed, and nothing is charged. */
export function fail(
  job: Job,
  holder: Holder,
  {
    message,
    error_code = '',
    payload = {},
  }: { message: string; error_code?: string | undefined; payload?: JsonObject | undefined },
  clock: Clock,
): Effect {
  if (job.status === 'failed' && holds(job, holder)) return same(job);
  requireLease(job, holder, clock, 'fail');
  return {
    job: { ...job, status: 'failed', actual_finished_at: instant(clock.now) },
    receipts: [
      receipt(job, 'worker_job_failed', 0, {
        worker_id: holder.worker_id,
        lease_id: job.lease_id,
        attempt: job.attempt,
        error_code,
        message,
      }),
    ],
    events: [event('failed', message, holder.worker_id, { error_code, ...payload })],
  };
}

/** A lease ran out: the job is given back. Null while it lives. */
export function expire(job: Job, { now }: Clock): Effect | null {
  if (!isHeld(job) || millisOf(job.lease_expires_at!) > now) return null;
  return giveBack(job, now, { message: (of) => `The lease of attempt ${of} ran out.` });
}

/** Its worker was revoked: the lease ends now, as if its time were over. Null when somebody else holds the job, or nobody. */
export function freeFrom(worker_id: string, job: Job, { now }: Clock): Effect | null {
  if (!isHeld(job) || job.worker_id !== worker_id) return null;
  const message = (of: string) => `The worker was revoked, and with it the lease of attempt ${of}.`;
  return giveBack(job, now, { message, reason: 'worker_revoked' });
}

interface Ending {
  message(attempt_of: string): string;
  /** Stands in the receipt; a lease whose time is over needs none. */
  reason?: string;
}

/** Back to the queue, or failed when the attempts are used up. */
function giveBack(job: Job, now: number, { message, ...why }: Ending): Effect {
  const { worker_id, lease_id, attempt } = job;
  const expired = receipt(job, 'lease_expired', 0, { worker_id, lease_id, attempt, ...why });
  const past_leases = [...job.past_leases, job.lease_sha256!];
  const freed = { ...job, past_leases, lease_id: null, lease_sha256: null, lease_expires_at: null, worker_id: null };
  const ended = event('lease_expired', message(`${attempt} of ${job.max_attempts}`), worker_id);
  if (attempt < job.max_attempts)
    return {
      job: { ...freed, status: 'queued', assigned_node_id: null, actual_started_at: null },
      receipts: [expired],
      events: [ended],
    };
  return {
    job: { ...freed, status: 'failed', actual_finished_at: instant(now) },
    receipts: [
      expired,
      receipt(job, 'worker_job_failed', 0, { worker_id, lease_id, attempt, error_code: 'attempts_used_up' }),
    ],
    events: [ended, event('failed', 'All attempts are used up.', worker_id)],
  };
}

/** What a worker is told of a lease it holds, with its heartbeat. */
export function leaseState(job: Job | undefined, holder: Holder, { now }: Clock): 'active' | 'canceled' | 'expired' {
  if (job === undefined || !holds(job, holder)) return 'expired';
  if (job.status === 'canceled') return 'canceled';
  return isHeld(job) && millisOf(job.lease_expires_at!) > now ? 'active' : 'expired';
}

export function renew(job: Job, clock: Clock): Job {
  return { ...job, lease_expires_at: expiry(clock) };
}

export function isHeld(job: Job): boolean {
  return (job.status === 'leased' || job.status === 'running') && job.lease_id !== null;
}

/** Held, and its time is not over. @param at an instant */
export function isLive(job: Job, at: string): boolean {
  return isHeld(job) && job.lease_expires_at! > at;
}

export function isFinal({ status }: Job): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** Constant time: the token's hash comes from whoever calls. */
function holds(job: Job, { worker_id, lease_sha256 }: Holder): boolean {
  return job.worker_id === worker_id && job.lease_sha256 !== null && equalHex(job.lease_sha256, lease_sha256);
}

function equalHex(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Throws `lease_invalid`, `lease_expired`, `job_canceled`, `job_state_conflict`. */
function requireLease(job: Job, holder: Holder, { now }: Clock, verb = 'change'): void {
  if (!holds(job, holder)) {
    if (job.past_leases.some((past) => equalHex(past, holder.lease_sha256)))
      throw refuse('lease_expired', 'The lease ran out and the job was given back. Stop working on it.');
    throw refuse('lease_invalid', 'This is not the token of your lease on this job.');
  }
  if (job.status === 'canceled') throw refuse('job_canceled', 'The job was canceled. Stop working on it.');
  if (isFinal(job)) throw conflict(job, verb, 'leased or running');
  if (millisOf(job.lease_expires_at!) <= now)
    throw refuse('lease_expired', 'The lease has run out. Stop working on the job.');
}

function conflict(job: Job, verb: string, needed: string) {
  return refuse('job_state_conflict', `The job is ${job.status}; ${verb} needs it ${needed}.`, {
    status_of_job: job.status,
  });
}

function finish(job: Job, { billed_seconds }: Metered, now: number): Job {
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
function inReceipt({ hourly_rate_usd }: Job, metered: Metered): JsonObject {
  return { hourly_rate_usd, ...metered };
}

/** Never negative, also when the clock was set back meanwhile. */
function millisSince(at: string | null, now: number): number {
  return at === null ? 0 : Math.max(0, now - millisOf(at));
}

function expiry({ now, lease_seconds }: Clock): string {
  return instant(now + lease_seconds * 1000);
}

function event(
  event_type: string,
  message: string,
  worker_id: string | null = null,
  payload: JsonObject = {},
): EventDraft {
  return { event_type, message, payload, worker_id };
}

function receipt(
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
