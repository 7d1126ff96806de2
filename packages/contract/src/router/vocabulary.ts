/** The closed word lists of the router's wire (docs/spec.md §20, §21). */
import { z } from 'zod';
import { JOB_STATUSES, JOB_TYPES } from '../words.ts';

export const JobType = z.enum(JOB_TYPES);
export type JobType = z.infer<typeof JobType>;

export const JobStatus = z.enum(JOB_STATUSES);
export type JobStatus = z.infer<typeof JobStatus>;

export const WaitingFor = z.enum(['no_worker_for_sku', 'no_worker_for_type', 'all_busy']);
export type WaitingFor = z.infer<typeof WaitingFor>;

export const WorkerStatus = z.enum(['registered', 'online', 'busy', 'draining', 'maintenance', 'offline']);
export type WorkerStatus = z.infer<typeof WorkerStatus>;

export const NodeStatus = z.enum(['available', 'busy', 'offline', 'maintenance']);
export type NodeStatus = z.infer<typeof NodeStatus>;
export const ArtifactType = z.enum(['log', 'model', 'dataset', 'report', 'receipt', 'metrics', 'checkpoint', 'other']);

/** `job_…`: holds neither a separator nor a dot, because a receiver makes paths and addresses of it. */
export const idOf = (prefix: 'job' | 'worker' | 'lease') =>
  z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,100}$`), `must be an id such as ${prefix}_019e1c2a`);
/** A secret that a router gives out; it goes into headers as it is. */
export const secretOf = (prefix: 'dwrk' | 'dlease') =>
  z.string().regex(new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,190}$`), `must be a token such as ${prefix}_…`);

/** `2026-05-29T20:00:00.000+00:00` */
export const OffsetInstant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/, 'must be an ISO 8601 timestamp with offset +00:00');
