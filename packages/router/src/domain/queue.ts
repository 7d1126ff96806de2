/** A queue holds the queued jobs of one SKU and one job type. */
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';

export interface Queue {
  readonly gpu_sku: string;
  readonly job_type: JobType;
}

const queues = new Map<string, Map<JobType, Queue>>();

/**
 * The same object for the same SKU and type, so that a queue can be the key of a map. It is kept for good: asked only for SKUs
 * that jobs may have (`Router.skus`), of which there are few.
 */
export function queueOf(gpu_sku: string, job_type: JobType): Queue {
  const known = queues.get(gpu_sku)?.get(job_type);
  if (known !== undefined) return known;
  const queue = { gpu_sku, job_type };
  queues.set(gpu_sku, (queues.get(gpu_sku) ?? new Map()).set(job_type, queue));
  return queue;
}

export function queueOfJob({ requested_gpu_sku, job_type }: { requested_gpu_sku: string; job_type: JobType }): Queue {
  return queueOf(requested_gpu_sku, job_type);
}

/** Every queue of these SKUs and types, each once. */
export function queuesOf(gpu_skus: string[], job_types: JobType[]): Queue[] {
  return [...new Set(gpu_skus.flatMap((sku) => job_types.map((type) => queueOf(sku, type))))];
}
