/** How much of logs and events workers may send: per job, and per member over all their jobs. */
import { refuse } from '../problems.ts';
import type { Effect, Job } from './job.ts';

export interface LogQuota {
  job_bytes: number;
  member_bytes: number;
}

/** A log that was cut gets no more lines: it has an end, and no gaps. */
export function hasRoom(job: Job, member_bytes: number, bytes: number, quota: LogQuota): boolean {
  if (job.log_cut_at !== null) return false;
  return job.log_bytes + bytes <= quota.job_bytes && member_bytes + bytes <= quota.member_bytes;
}

/** The job goes on; its log says that it was cut. */
export function cutLog(job: Job, at: string): Effect {
  if (job.log_cut_at !== null) return { job, receipts: [], events: [] };
  const message = 'The log is cut here: the quota of this job or of its member is used up. The job goes on.';
  const event = { event_type: 'log_cut', message, payload: {}, worker_id: job.worker_id };
  return { job: { ...job, log_cut_at: at }, receipts: [], events: [event] };
}

export function logQuota({ job_bytes, member_bytes }: LogQuota) {
  return refuse(
    'log_quota',
    `Nothing was stored: a job has ${job_bytes} bytes for its log and events, a member ${member_bytes} for all jobs. Go on with the job and send no more of its log.`,
  );
}
