/** What the writer takes: one command per change of the router's state, and what a command may leave behind. */
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Clock, Effect, Job } from '../domain/job.ts';
import type { Queue } from '../domain/queue.ts';
import type { Changes } from '../notifier.ts';
import type { ReceiptBatch } from '../receipts/batch.ts';
import type { StoredArtifact } from '../store/artifacts.ts';
import type { BridgeEntry } from '../store/bridge.ts';
import type { StoredEvent } from '../store/job-events.ts';
import type { Chunk, StoredLog } from '../store/log-chunks.ts';
import type { Availability, HeartbeatRow } from '../store/workers.ts';

export type Command<T> = StoreCommand<T> | CreateCommand | JobCommand<T> | HeartbeatCommand<T> | LeaseCommand;

/** Members, datasets, nodes, workers: not about jobs. It refuses before it writes, and every statement tolerates a conflict. */
interface StoreCommand<T> {
  kind: 'store';
  run(tx: Queries, batch: ReceiptBatch, changes: Changes): Promise<T>;
}

/** A new job, with the receipt it is created with; answered with the job. */
export interface CreateCommand {
  kind: 'create';
  create(batch: ReceiptBatch): { job: Job; event: StoredEvent };
}

/** About one job. `perform` gets the job as earlier commands left it; it records, or throws a refusal. */
export interface JobCommand<T> {
  kind: 'job';
  job_id: string;
  reports?: Report;
  perform(job: Job, record: Recorder, clock: Clock): T;
}

/** What a worker sends about its job: counted by the log's quota, or sent once however often it comes. */
export interface Report {
  /** Null: an event, which the quota counts too. */
  chunk?: Omit<Chunk, 'job_id'> | null;
  artifact?: ReportedArtifact;
}
export type ReportedArtifact = Omit<StoredArtifact, 'id' | 'created_at'>;

/** A heartbeat: the worker's own row, and the leases it lists. */
export interface HeartbeatCommand<T> {
  kind: 'heartbeat';
  worker_id: string;
  /** @param declared what the worker declared before: what it does not mention now stays as it was */
  beat(at: string, declared: Capabilities): HeartbeatRow;
  /** The worker's page changes. */
  changes_worker: boolean;
  /** It says what it can do. */
  declares: boolean;
  job_ids: string[];
  perform(availability: Availability, jobs: (id: string) => Job | undefined, record: Recorder, clock: Clock): T;
}

/** A heartbeat that only says that the worker is still there. */
export function isQuiet(command: Command<unknown>): boolean {
  return command.kind === 'heartbeat' && !command.changes_worker && command.job_ids.length === 0;
}

/** A worker asks for jobs; answered with what it is granted (lease.ts). */
export interface LeaseCommand {
  kind: 'lease';
  worker_id: string;
  node_id: string;
  /** The queues it asks for: only such as there are (`Router.skus`). */
  queues: Queue[];
  max_jobs: number;
  /** False once the caller has hung up: nothing is leased for it. */
  wanted(): boolean;
}

/** Stored with the commit. */
export interface Recorder {
  /** The job as it is now, with receipts and events. Returns the events' ids. */
  effect(effect: Effect): string[];
  log(log: Omit<StoredLog, 'id' | 'created_at'>): string;
  /** The id of a chunk that was stored before. */
  knownChunk(chunk: Chunk): string | undefined;
  /** The job with so many bytes more of log and events. Throws `log_quota`, and then its log is cut. */
  spend(job: Job, bytes: number): Job;
  artifact(artifact: ReportedArtifact): string;
  /** The id of the same artifact, reported before. */
  knownArtifact(artifact: ReportedArtifact): string | undefined;
  /** Opens a ledger Run once this is committed. */
  bridge(entry: BridgeEntry): void;
}
