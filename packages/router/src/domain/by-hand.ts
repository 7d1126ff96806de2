/** What a member does with a job, without a worker (docs/spec.md §20: start, complete, cancel). */
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
  same,
} from './job.ts';
import { meter } from './metering.ts';
import { instant } from './time.ts';

/** A member starts a job by hand, without a worker. */
export function start(job: Job, { now }: Clock): Effect {
  if (job.status === 'running') return same(job);
  if (job.status !== 'queued') throw conflict(job, 'start', 'queued');
  const started: Job = { ...job, status: 'running', actual_started_at: instant(now) };
  return { job: started, receipts: [phase(job, 'started', 0)], events: [event('started', 'Started by the member.')] };
}

/** A member completes a job that no worker has leased; metered from its start. A repeat changes nothing. */
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
