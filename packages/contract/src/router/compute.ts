/** Nodes, quotes and jobs on the router's wire. Rates are the server's: a caller's are not members of any request. */
import { z } from 'zod';
import { JsonObject, Line, PageSize, Sha256, text } from '../wire.ts';
import { ChosenId } from './members.ts';
import { ArtifactType, JobStatus, JobType, NodeStatus, OffsetInstant, WaitingFor } from './vocabulary.ts';

const Tags = z.array(z.string().max(100)).max(100);

export const NewNode = z.object({
  id: ChosenId.optional(),
  hostname: Line,
  gpu_type: z.string().max(100),
  max_concurrent_jobs: z.int().min(1).max(1000).optional(),
  tags: Tags.optional(),
});
export const Node = z.object({
  id: z.string(),
  hostname: z.string(),
  gpu_type: z.string(),
  gpu_name: z.string(),
  /** Null, as its rate, while its type has no price. */
  vram_gb: z.number().nullable(),
  hourly_rate_usd: z.number().nullable(),
  status: NodeStatus,
  max_concurrent_jobs: z.int(),
  current_jobs: z.int(),
  tags: Tags,
  created_at: OffsetInstant,
});
export type Node = z.infer<typeof Node>;

/** At most a year; six places are 3.6 milliseconds. */
const Hours = z.number().positive().max(8784);

export const QuoteRequest = z.object({
  member_id: text(100),
  requested_gpu_sku: z.string().max(100),
  estimated_hours: Hours,
  job_type: JobType,
});
export const Quote = z.object({
  member_id: z.string(),
  requested_gpu_sku: z.string(),
  gpu_display_name: z.string(),
  hourly_rate_usd: z.number(),
  estimated_hours: z.number(),
  estimated_cost_usd: z.number(),
  job_type: JobType,
  receipt_id: z.string(),
});
export type Quote = z.infer<typeof Quote>;

export const NewJob = z.object({
  member_id: text(100),
  job_type: JobType,
  requested_gpu_sku: z.string().max(100),
  estimated_hours: Hours,
  input_dataset_ids: z
    .array(text(100))
    .max(100)
    .describe(
      'One that is registered takes a grant that the member holds: its worker is told where it is. Any other is a label of the member’s own, passed on as it is.',
    )
    .optional(),
  output_uri: text(2000).optional(),
  payload: JsonObject.optional(),
  /** Higher goes first. */
  priority: z.int().min(-1000).max(1000).optional(),
  max_attempts: z.int().min(1).max(100).optional(),
});
export type NewJob = z.infer<typeof NewJob>;

/** How the Run stands that a finished job becomes in the ledger. */
export const JobLedger = z.object({
  state: z
    .enum(['waiting', 'delivered', 'refused'])
    .describe('`refused`: for good; it is sent again by POST /jobs/{id}/ledger/retry'),
  /** Null before it was opened. */
  run_id: z.string().nullable(),
  reason: z.string().nullable().describe('Why it waits or was refused, or what the delivered Run is without'),
});
export type JobLedger = z.infer<typeof JobLedger>;

export const Job = z.object({
  id: z.string(),
  member_id: z.string(),
  job_type: JobType,
  requested_gpu_sku: z.string(),
  assigned_node_id: z.string().nullable(),
  status: JobStatus,
  estimated_hours: z.number(),
  estimated_cost_usd: z.number(),
  hourly_rate_usd: z.number().describe('The rate it was estimated at and is charged at'),
  actual_started_at: OffsetInstant.nullable(),
  actual_finished_at: OffsetInstant.nullable(),
  actual_hours: z.number().nullable(),
  actual_cost_usd: z.number().nullable(),
  input_dataset_ids: z.array(z.string()),
  output_uri: z.string().nullable(),
  /** Of the receipt written when the job was created. */
  receipt_id: z.string(),
  attempt: z.int(),
  max_attempts: z.int(),
  priority: z.int(),
  /** Why a queued job waits; null otherwise. */
  waiting_for: WaitingFor.nullable(),
  log_bytes: z.int().describe('Of log and of events that its workers sent, as they are stored'),
  log_cut_at: OffsetInstant.nullable().describe(
    'Since when the log goes on elsewhere only: its quota, or its member’s, is used up; null: the log is whole',
  ),
  ledger: JobLedger.nullable().describe('Null for a job that has nothing to deliver to a ledger'),
  created_at: OffsetInstant,
});
export type Job = z.infer<typeof Job>;

export const JobQuery = z.object({
  status: JobStatus.optional(),
  member_id: text(100).optional(),
  ledger: z.enum(['waiting', 'refused']).describe('On its way into the ledger, or refused by it').optional(),
  limit: PageSize,
  /** The id of the last job of the page before; newest first. */
  after: text(100).optional(),
});

export const JobEvent = z.object({
  id: z.string(),
  job_id: z.string(),
  event_type: z.string(),
  message: z.string(),
  payload: JsonObject,
  worker_id: z.string().nullable(),
  created_at: OffsetInstant,
});
export type JobEvent = z.infer<typeof JobEvent>;

export const JobLog = z.object({
  id: z.string(),
  stream: z.string(),
  sequence: z.int().nullable(),
  lines: z.array(z.string()),
  created_at: OffsetInstant,
});
export type JobLog = z.infer<typeof JobLog>;

export const Artifact = z.object({
  id: z.string(),
  job_id: z.string(),
  artifact_type: ArtifactType,
  name: z.string(),
  uri: z.string(),
  checksum_sha256: Sha256.nullable(),
  size_bytes: z.int().nullable(),
  metadata: JsonObject,
  created_at: OffsetInstant,
});
export type Artifact = z.infer<typeof Artifact>;
