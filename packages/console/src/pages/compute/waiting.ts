/** Why the queue waits, the same reasons together. Pure. */
import type { JobType, WaitingFor } from '@rcpt/contract/router/vocabulary.ts';

interface Waiting {
  job_type: JobType;
  requested_gpu_sku: string;
  waiting_for: WaitingFor | null;
}
interface Reason extends Waiting {
  waiting_for: WaitingFor;
  jobs: number;
}

/** What no worker will take first, then what most jobs wait for. */
export function reasonsOf(queue: readonly Waiting[]): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const { job_type, requested_gpu_sku, waiting_for } of queue) {
    if (waiting_for === null) continue;
    const key = `${waiting_for} ${requested_gpu_sku} ${job_type}`;
    const reason = reasons.get(key) ?? { job_type, requested_gpu_sku, waiting_for, jobs: 0 };
    reasons.set(key, { ...reason, jobs: reason.jobs + 1 });
  }
  const busyLast = ({ waiting_for }: Reason) => (waiting_for === 'all_busy' ? 1 : 0);
  return [...reasons.values()].sort((a, b) => busyLast(a) - busyLast(b) || b.jobs - a.jobs);
}
