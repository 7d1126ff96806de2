/** The worker contract, version 0.2. */
import { z } from 'zod';
import { bounded, JsonObject, jsonBytes, Line, Prose, Sha256, text } from '../wire.ts';
import { ChosenId, GrantedDataset } from './members.ts';
import { ArtifactType, idOf, JobType, OffsetInstant, secretOf, WorkerStatus } from './vocabulary.ts';

export const WORKER_CONTRACT = '0.2';
/** Of what a worker tells about itself: all workers are shown in one answer. */
const TOLD_BYTES = 16_384;
/** Of what stands beside an event or an artifact. */
const BESIDE_BYTES = 65_536;
const Beside = bounded(JsonObject, BESIDE_BYTES);
const Skus = z.array(z.string().max(100)).max(100);

/** What a worker declares it can do: it is leased nothing beyond it. Whatever else it tells about itself is kept beside. */
const Declared = z.looseObject({
  gpu_skus: Skus.describe('The SKUs it is leased; not declared: any that it asks for').optional(),
  supports: z.array(JobType).max(20).describe('The job types it is leased; not declared: any').optional(),
  max_concurrent_jobs: z
    .int()
    .min(1)
    .max(1000)
    .describe('How many jobs it is leased at once; not declared: no limit')
    .optional(),
});
export const Capabilities = bounded(Declared, TOLD_BYTES);
export type Capabilities = z.infer<typeof Capabilities>;

/** What a heartbeat does not mention stays as it was declared; but of what the router does not go by, no more than fits. */
export function declaredAnew(before: Capabilities, said: Capabilities): Capabilities {
  const all = { ...before, ...said };
  if (jsonBytes(all) <= TOLD_BYTES) return all;
  const { gpu_skus, supports, max_concurrent_jobs } = before;
  return { gpu_skus, supports, max_concurrent_jobs, ...said };
}

export const Registration = z.object({
  node_id: ChosenId,
  name: Line,
  hostname: Line,
  endpoint_url: text(2000).optional(),
  capabilities: Capabilities.optional(),
  tags: z.array(z.string().max(100)).max(100).optional(),
  version: text(100).optional(),
  heartbeat_interval_seconds: z.int().min(1).max(3600).optional(),
});
/** `worker_token` is shown here once. */
export const Registered = z.object({
  worker_id: idOf('worker'),
  worker_token: secretOf('dwrk'),
  status: z.literal('registered'),
  contract_version: z.literal(WORKER_CONTRACT),
});

const LeaseToken = z.string().max(200);
const WaitSeconds = z.number().min(0).max(30);

export const Heartbeat = z.object({
  status: WorkerStatus,
  capabilities: Capabilities.optional(),
  current_jobs: z.int().min(0).max(1000).optional(),
  metrics: bounded(JsonObject, TOLD_BYTES).optional(),
  leases: z
    .array(z.object({ job_id: text(100), lease_token: LeaseToken }))
    .max(1000)
    .optional(),
  /** Holds the answer until something about this worker changes. */
  wait_seconds: WaitSeconds.optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

export const LeaseState = z.enum(['active', 'canceled', 'expired']);
export const HeartbeatAnswer = z.object({
  ok: z.literal(true),
  worker_id: z.string(),
  server_time: OffsetInstant,
  next_heartbeat_seconds: z.number(),
  desired: z.enum(['run', 'drain']),
  leases: z.array(z.object({ job_id: z.string(), state: LeaseState, expires_at: OffsetInstant.nullable() })),
});

export const LeaseRequest = z.object({
  supported_job_types: z.array(JobType).max(20),
  supported_gpu_skus: Skus,
  max_jobs: z.int().min(1).max(100).optional(),
  wait_seconds: WaitSeconds.optional(),
});

export const LeasedJob = z.object({
  id: idOf('job'),
  job_type: JobType,
  requested_gpu_sku: z.string(),
  estimated_hours: z.number(),
  input_dataset_ids: z.array(z.string()),
  datasets: z
    .array(GrantedDataset)
    .default(() => [])
    .describe('Where the granted ones of its datasets are, as they were when the job was created'),
  payload: JsonObject,
  attempt: z.int().min(1),
});
const Lease = { lease_id: idOf('lease'), lease_token: secretOf('dlease'), job: LeasedJob, expires_at: OffsetInstant };
/** Without a job everything but `message` is null and `leases` is empty. */
export const LeaseAnswer = z.object({
  lease_id: z.string().nullable(),
  lease_token: z.string().nullable(),
  job: LeasedJob.nullable(),
  expires_at: OffsetInstant.nullable(),
  message: z.string(),
  leases: z.array(z.object(Lease)),
});

const holding = { lease_token: LeaseToken };
/** Events the router records itself, and counts: no worker may say that a lease ran out, or that a job is over. */
export const ROUTER_EVENTS: readonly string[] = [
  'created',
  'started',
  'leased',
  'accepted',
  'completed',
  'failed',
  'canceled',
  'lease_expired',
  'log_cut',
  'ledger_run_opened',
  'ledger_evidence_left_out',
  'ledger_refused',
  'ledger_retried',
];

export const Accept = z.object(holding);
export const StatusReport = z.object({
  ...holding,
  event_type: z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,79}$/, 'must be a lower-case word such as epoch_finished')
    .refine((type) => !ROUTER_EVENTS.includes(type), 'is one that only the router records'),
  message: Prose.optional(),
  payload: Beside.optional(),
});
export const LogReport = z
  .object({
    ...holding,
    message: z.string().max(1_000_000).optional(),
    lines: z.array(z.string().max(100_000)).max(10_000).optional(),
    stream: z
      .string()
      .regex(/^[a-z]{1,20}$/)
      .optional(),
    sequence: z.int().min(0).optional(),
  })
  .refine((log) => log.message !== undefined || log.lines !== undefined, {
    path: ['lines'],
    message: 'message or lines is required',
  });
export const EventRecorded = z.object({ event_id: z.string() });

export const ArtifactReport = z.object({
  ...holding,
  artifact_type: ArtifactType,
  name: Line,
  uri: z.string().min(1).max(2000),
  checksum_sha256: Sha256.optional(),
  size_bytes: z.int().nonnegative().optional(),
  metadata: Beside.optional(),
});
export const ArtifactRecorded = z.object({ artifact_id: z.string() });

export const Completion = z.object({
  ...holding,
  output_uri: text(2000).optional(),
  metrics: z.looseObject({ duration_seconds: z.number().min(0).max(31_622_400).optional() }).optional(),
  final_message: Prose.optional(),
});
export const Failure = z.object({
  ...holding,
  error_code: z.string().max(200).optional(),
  message: Prose,
  payload: Beside.optional(),
});

export const Worker = z.object({
  id: z.string(),
  node_id: z.string(),
  name: z.string(),
  hostname: z.string(),
  endpoint_url: z.string().nullable(),
  status: WorkerStatus,
  desired: z.enum(['run', 'drain']),
  capabilities: JsonObject,
  tags: z.array(z.string()),
  version: z.string().nullable(),
  current_jobs: z.int(),
  metrics: JsonObject,
  heartbeat_interval_seconds: z.int(),
  last_heartbeat_at: OffsetInstant.nullable(),
  /** Since when its token is no credential any more. */
  revoked_at: OffsetInstant.nullable(),
  created_at: OffsetInstant,
});
export type Worker = z.infer<typeof Worker>;
