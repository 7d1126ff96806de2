/** What a worker is, seen from its last heartbeat; and why a queued job waits. */
import type { JobType, WaitingFor, WorkerStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import { millisOf } from './time.ts';

/** Heartbeats a worker may miss before it counts as offline. */
const MISSED = 3;

export interface Seen {
  status: WorkerStatus;
  desired: 'run' | 'drain';
  heartbeat_interval_seconds: number;
  last_heartbeat_at: string | null;
  created_at: string;
  capabilities: Capabilities;
}

/** The state others see: silence counts more than what was last said, and an order to drain more than being busy. */
export function stateOf(worker: Seen, now: number): WorkerStatus {
  const last = millisOf(worker.last_heartbeat_at ?? worker.created_at);
  if (now - last > MISSED * worker.heartbeat_interval_seconds * 1000) return 'offline';
  return worker.desired === 'drain' ? 'draining' : worker.status;
}

export function offers({ capabilities: { gpu_skus } }: Seen, gpu_sku: string): boolean {
  return gpu_skus === undefined || gpu_skus.includes(gpu_sku);
}

export function supports({ capabilities: { supports: types } }: Seen, job_type: JobType): boolean {
  return types === undefined || types.includes(job_type);
}

const TAKING = new Set<WorkerStatus>(['registered', 'online', 'busy']);

/** Among the workers that take work now. */
export function waitingFor(
  job: { requested_gpu_sku: string; job_type: JobType },
  workers: Iterable<Seen>,
  now: number,
): WaitingFor {
  let offered = false;
  for (const worker of workers) {
    if (!offers(worker, job.requested_gpu_sku) || !TAKING.has(stateOf(worker, now))) continue;
    if (supports(worker, job.job_type)) return 'all_busy';
    offered = true;
  }
  return offered ? 'no_worker_for_type' : 'no_worker_for_sku';
}
