/** The words of jobs and workers, and how each stands. */
import type { JobStatus, JobType, WaitingFor, WorkerStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Worker } from '@rcpt/contract/router/workers.ts';
import type { StatusIconName, Tone } from '../../components/tones.ts';
import { sentence } from '../../format/vocabulary.ts';

/** In the order they are offered: what is asked for most, first. */
export const OFFERED_JOB_TYPES = [
  'fine_tune',
  'inference',
  'eval',
  'embedding',
  'batch',
  'dataset_build',
] as const satisfies readonly JobType[];

interface Look {
  word: string;
  mark: StatusIconName;
  tone: Tone;
}

export const JOB_LOOK: Record<JobStatus, Look> = {
  queued: { word: 'Queued', mark: 'ring', tone: 'neutral' },
  leased: { word: 'Leased', mark: 'half', tone: 'neutral' },
  running: { word: 'Running', mark: 'half', tone: 'accent' },
  completed: { word: 'Completed', mark: 'tick', tone: 'good' },
  failed: { word: 'Failed', mark: 'cross', tone: 'bad' },
  canceled: { word: 'Canceled', mark: 'dash', tone: 'neutral' },
};

const WORKER_LOOK: Record<WorkerStatus, Look> = {
  registered: { word: 'Registered', mark: 'ring', tone: 'neutral' },
  online: { word: 'Online', mark: 'tick', tone: 'good' },
  busy: { word: 'Busy', mark: 'half', tone: 'accent' },
  draining: { word: 'Draining', mark: 'dash', tone: 'caution' },
  maintenance: { word: 'Maintenance', mark: 'warning', tone: 'caution' },
  offline: { word: 'Offline', mark: 'cross', tone: 'bad' },
};

/** A revoked worker is offline for good. */
export function lookOf({ status, revoked_at }: Pick<Worker, 'status' | 'revoked_at'>): Look {
  return revoked_at === null ? WORKER_LOOK[status] : { word: 'Revoked', mark: 'cross', tone: 'bad' };
}

const TYPE_WORDS: Partial<Record<JobType, string>> = { fine_tune: 'Fine-tune', eval: 'Evaluation' };

/** `fine_tune` → `Fine-tune`. */
export function typeWord(job_type: string): string {
  return TYPE_WORDS[job_type as JobType] ?? sentence(job_type);
}

/** Why a queued job waits: a whole sentence. */
export function waitingWords(reason: WaitingFor, gpu: string, job_type: JobType): string {
  switch (reason) {
    case 'no_worker_for_sku':
      return `No worker that takes work offers ${gpu}.`;
    case 'no_worker_for_type':
      return `Workers offer ${gpu}, but none of them runs ${typeWord(job_type).toLowerCase()} jobs.`;
    case 'all_busy':
      return 'Every worker that could take it is busy.';
  }
}

/** A job that will not change any more. */
export function isOver(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

/** The part of an id that tells it from its neighbours: its end, for its beginning is the time. */
export function shortId(id: string): string {
  return id.slice(-8);
}
