/** A job under a lease (docs/spec.md §20: lease, accept, worker complete and fail, lease expires). */
import { timingSafeEqual } from 'node:crypto';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { refuse } from '../problems.ts';
import {
  type Clock,
  conflict,
  type Effect,
  event,
  finish,
  inReceipt,
  isFinal,
  type Job,
  millisSince,
  phase,
  receipt,
  same,
} from './job.ts';
import { type Metered, type Metering, meter } from './metering.ts';
import { instant, millisOf } from './time.ts';

/** The worker that presents a lease token. */
export interface Holder {
  worker_id: string;
  /** SHA-256 of the presented lease token. */
  lease_sha256: string;
}

interface NewLease extends Holder {
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

/** The lease ran out: the job is given back. Null while it is live. */
export function expire(job: Job, { now }: Clock): Effect | null {
  if (!isHeld(job) || millisOf(job.lease_expires_at!) > now) return null;
  return giveBack(job, now, { message: (of) => `The lease of attempt ${of} ran out.` });
}

/** Its worker was revoked: the lease ends now, as if its time were over. Null when the job is not leased to that worker. */
export function freeFrom(worker_id: string, job: Job, { now }: Clock): Effect | null {
  if (!isHeld(job) || job.worker_id !== worker_id) return null;
  const message = (of: string) => `The worker was revoked, and with it the lease of attempt ${of}.`;
  return giveBack(job, now, { message, reason: 'worker_revoked' });
}

interface Ending {
  message(attempt_of: string): string;
  /** For the receipt; a lease that ran out has none. */
  reason?: string;
}

/** Back to the queue, or failed when the attempts are used up. */
function giveBack(job: Job, now: number, { message, ...reason }: Ending): Effect {
  const { worker_id, lease_id, attempt } = job;
  const expired = receipt(job, 'lease_expired', 0, { worker_id, lease_id, attempt, ...reason });
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

/** The answer to a heartbeat about one lease. */
export function leaseState(job: Job | undefined, holder: Holder, { now }: Clock): 'active' | 'canceled' | 'expired' {
  if (job === undefined || !holds(job, holder)) return 'expired';
  if (job.status === 'canceled') return 'canceled';
  return isHeld(job) && millisOf(job.lease_expires_at!) > now ? 'active' : 'expired';
}

export function renew(job: Job, clock: Clock): Job {
  return { ...job, lease_expires_at: expiry(clock) };
}

function isHeld(job: Job): boolean {
  return (job.status === 'leased' || job.status === 'running') && job.lease_id !== null;
}

/** Held, and its time is not over. @param at an instant */
export function isLive(job: Job, at: string): boolean {
  return isHeld(job) && job.lease_expires_at! > at;
}

/** Constant time: the hash is of a token that the caller chose. */
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

function expiry({ now, lease_seconds }: Clock): string {
  return instant(now + lease_seconds * 1000);
}
