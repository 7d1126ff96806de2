/** The way of a job in four steps, as far as it came. Pure. */
import type { Job, JobEvent } from '@rcpt/contract/router/compute.ts';
import type { JobStatus } from '@rcpt/contract/router/vocabulary.ts';
import { isOver, JOB_LOOK } from '../format.ts';

export interface Step {
  status: JobStatus;
  word: string;
  /** Null while it is ahead, and for what was left out. */
  at: string | null;
  state: 'done' | 'now' | 'ahead' | 'left out';
}

/** Of the attempt that counts: the last one. */
export function stepsOf(job: Job, events: readonly JobEvent[]): Step[] {
  const leased = job.status === 'queued' ? null : (events.findLast((event) => event.event_type === 'leased') ?? null);
  const over = isOver(job.status);
  const end: JobStatus = over ? job.status : 'completed';
  const instants: [JobStatus, string | null][] = [
    ['queued', job.created_at],
    ['leased', leased?.created_at ?? null],
    ['running', job.actual_started_at],
    [end, job.actual_finished_at],
  ];
  const now = instants.findIndex(([status]) => status === job.status);
  return instants.map(([status, at], place) => ({
    status,
    word: JOB_LOOK[status].word,
    at,
    state: place > now ? 'ahead' : place === now ? 'now' : at === null ? 'left out' : 'done',
  }));
}

/** What was tried before the attempt that counts, and how it ended. */
export function earlierAttempts(events: readonly JobEvent[]): JobEvent[] {
  return events.filter(({ event_type }) => event_type === 'lease_expired');
}

/** The UTC dates on which something happened: the receipts stand under them. */
export function datesOf(job: Job, events: readonly JobEvent[]): string[] {
  const instants = [job.created_at, job.actual_started_at, job.actual_finished_at, ...events.map((e) => e.created_at)];
  return [...new Set(instants.flatMap((at) => (at === null ? [] : [at.slice(0, 10)])))].sort().slice(-MOST_DATES);
}

const MOST_DATES = 14;

/** The worker that holds the job, or held it last. */
export function workerOf(events: readonly JobEvent[]): string | null {
  return events.findLast(({ worker_id }) => worker_id !== null)?.worker_id ?? null;
}

/** What the command measured, as reported with the completion. */
export function metricsOf(events: readonly JobEvent[]): [name: string, value: unknown][] {
  const metrics = events.findLast(({ event_type }) => event_type === 'completed')?.payload.metrics;
  return typeof metrics === 'object' && metrics !== null ? Object.entries(metrics) : [];
}

/** Why a failed job failed. */
export function failureOf(events: readonly JobEvent[]): JobEvent | null {
  return events.findLast(({ event_type }) => event_type === 'failed') ?? null;
}

/** The Run that the router opened in the ledger for it. */
export function runOf(events: readonly JobEvent[]): string | null {
  const run_id = events.findLast(({ event_type }) => event_type === 'ledger_run_opened')?.payload.run_id;
  return typeof run_id === 'string' ? run_id : null;
}
