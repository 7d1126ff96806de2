/** What follows from a worker's last heartbeat: its state, the jobs it takes, and why a queued job waits. */
import type { JobType, NodeStatus, WaitingFor, WorkerStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import { millisOf } from './time.ts';

/** Heartbeats a worker may miss before it counts as offline. */
const MISSED = 3;

/** The last heartbeat of a worker, and the last order to it. */
export interface Declared {
  status: WorkerStatus;
  desired: 'run' | 'drain';
  capabilities: Capabilities;
  revoked_at: string | null;
}

export interface Observed extends Declared {
  heartbeat_interval_seconds: number;
  last_heartbeat_at: string | null;
  created_at: string;
}

/** The state that is shown: offline after missed heartbeats, then draining when ordered so, else as its last heartbeat said. */
export function stateOf(worker: Observed, now: number): WorkerStatus {
  if (worker.revoked_at !== null) return 'offline';
  const last = millisOf(worker.last_heartbeat_at ?? worker.created_at);
  if (now - last > MISSED * worker.heartbeat_interval_seconds * 1000) return 'offline';
  return worker.desired === 'drain' ? 'draining' : worker.status;
}

/** A worker that declared no SKUs is leased what it asks for; `supports` is alike. */
export function offers({ capabilities: { gpu_skus } }: Declared, gpu_sku: string): boolean {
  return gpu_skus === undefined || gpu_skus.includes(gpu_sku);
}

export function supports({ capabilities: { supports: types } }: Declared, job_type: JobType): boolean {
  return types === undefined || types.includes(job_type);
}

const TAKING = new Set<WorkerStatus>(['registered', 'online', 'busy']);

/** Whether it takes new work: as it last said, unless an order to drain stands or it was revoked. */
export function takesWork({ status, desired, revoked_at }: Declared): boolean {
  return revoked_at === null && desired === 'run' && TAKING.has(status);
}

/** How many more jobs it may be leased while it holds `held`. */
export function roomOf({ capabilities: { max_concurrent_jobs } }: Declared, held: number): number {
  return max_concurrent_jobs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, max_concurrent_jobs - held);
}

/**
 * A node is what its live workers are: `offline` without any, `maintenance` while none of them takes new work (draining ones
 * among them), `busy` when it holds as many jobs as it, or those that take work, declared.
 */
export function nodeState(
  max_concurrent_jobs: number,
  current_jobs: number,
  workers: readonly Observed[],
  now: number,
): NodeStatus {
  const live = workers.filter((worker) => stateOf(worker, now) !== 'offline');
  if (live.length === 0) return 'offline';
  const taking = live.filter(takesWork);
  if (taking.length === 0) return 'maintenance';
  const room = taking.reduce((sum, worker) => sum + roomOf(worker, 0), 0);
  return current_jobs >= Math.min(max_concurrent_jobs, room) ? 'busy' : 'available';
}

/** Why a queued job waits, judged by the workers that take work now. */
export function waitingFor(
  job: { requested_gpu_sku: string; job_type: JobType },
  workers: Iterable<Observed>,
  now: number,
): WaitingFor {
  let offered = false;
  for (const worker of workers) {
    if (!offers(worker, job.requested_gpu_sku) || !takesWork(worker) || stateOf(worker, now) === 'offline') continue;
    if (supports(worker, job.job_type)) return 'all_busy';
    offered = true;
  }
  return offered ? 'no_worker_for_type' : 'no_worker_for_sku';
}
