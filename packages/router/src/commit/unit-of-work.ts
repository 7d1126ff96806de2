/**
 * The unit of work of one commit. Jobs are read once, changed by the pure rules in the order the commands came, and written
 * once: what the rules say is recorded here and nowhere else.
 */
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { Clock, Effect, Job } from '../domain/job.ts';
import { cutLog, type LogQuota, logQuota } from '../domain/log-quota.ts';
import type { Changes } from '../notifier.ts';
import type { ReceiptBatch } from '../receipts/batch.ts';
import { artifactKey, findArtifacts, insertArtifact, type StoredArtifact } from '../store/artifacts.ts';
import { type BridgeEntry, insertBridgeEntries } from '../store/bridge.ts';
import { insertEvents, type StoredEvent } from '../store/job-events.ts';
import { insertJobs, lockJobs, updateJobs } from '../store/jobs.ts';
import type { Chunk, StoredLog } from '../store/log-chunks.ts';
import { type Availabilities, availabilityOf, type HeartbeatRow, recordHeartbeats } from '../store/workers.ts';
import type { CreateCommand, HeartbeatCommand, JobCommand, Recorder, ReportedArtifact } from './command.ts';
import { JobChanges } from './job-changes.ts';
import { JobLogs } from './job-logs.ts';

export class UnitOfWork implements Recorder {
  readonly #tx: Queries;
  readonly #batch: ReceiptBatch;
  readonly #changes: Changes;
  readonly #log_quota: LogQuota;
  readonly #logs: JobLogs;
  readonly #of_jobs: JobChanges;
  /** Jobs as they are stored, and as they are now. */
  #stored = new Map<string, Job>();
  #jobs = new Map<string, Job>();
  /** Not stored yet. */
  #created = new Set<string>();
  #events: StoredEvent[] = [];
  /** Ids by `artifactKey`: those that are stored or come with this commit. */
  #known_artifacts = new Map<string, string>();
  #artifacts: StoredArtifact[] = [];
  #bridged: BridgeEntry[] = [];
  #heartbeats = new Map<string, HeartbeatRow>();

  constructor(tx: Queries, batch: ReceiptBatch, changes: Changes, log_quota: LogQuota) {
    this.#tx = tx;
    this.#batch = batch;
    this.#changes = changes;
    this.#log_quota = log_quota;
    this.#logs = new JobLogs(tx, log_quota);
    this.#of_jobs = new JobChanges(changes, batch.at);
  }

  /** Stored jobs came to a queue or left one: that has to be written before the queues are read. */
  get movesQueues(): boolean {
    return this.#of_jobs.move_queues;
  }

  /** Live leases that this commit gave the worker, less those that it ended. */
  leasesAdded(worker_id: string): number {
    return this.#of_jobs.leasesAdded(worker_id);
  }

  async lock(job_ids: string[]): Promise<void> {
    for (const job of await lockJobs(this.#tx, job_ids)) this.hold(job);
  }

  /** After `lock`: what the commands report that may have been stored before. */
  async readReports(commands: JobCommand<unknown>[]): Promise<void> {
    const artifacts = commands.flatMap(({ reports }) => (reports?.artifact ? [reports.artifact] : []));
    const [known] = await together(findArtifacts(this.#tx, artifacts), this.#logs.read(commands));
    this.#known_artifacts = known;
  }

  /** A job that is locked and as it is stored. */
  hold(job: Job): void {
    if (this.#created.has(job.id)) return;
    this.#stored.set(job.id, job);
    this.#jobs.set(job.id, job);
  }

  /** Throws `not_found`. */
  load(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new Refusal('not_found', `There is no job ${id}.`);
    return job;
  }

  /** The jobs that are new in this commit and not stored yet. */
  created(): Job[] {
    return [...this.#created].map((id) => this.#jobs.get(id)!);
  }

  create({ create }: CreateCommand): Job {
    const { job, event } = create(this.#batch);
    this.#created.add(job.id);
    this.#jobs.set(job.id, job);
    this.#events.push(event);
    this.#of_jobs.created(job);
    return job;
  }

  /** Leases of the same commit go by what the heartbeat says. Throws `worker_revoked`. */
  heartbeat<T>(command: HeartbeatCommand<T>, availabilities: Availabilities, clock: Clock): T {
    const { worker_id } = command;
    const before = availabilityOf(availabilities, worker_id);
    const beat = command.beat(this.#batch.at, before.capabilities);
    const capabilities = beat.capabilities === null ? before.capabilities : JSON.parse(beat.capabilities);
    const availability = { ...before, status: beat.said?.status ?? before.status, capabilities };
    availabilities.set(worker_id, availability);
    // Of several in one commit each keeps what only it has said.
    const earlier = this.#heartbeats.get(worker_id);
    const said = beat.said ?? earlier?.said ?? null;
    this.#heartbeats.set(worker_id, {
      ...beat,
      said,
      capabilities: beat.capabilities ?? earlier?.capabilities ?? null,
    });
    if (beat.capabilities !== null && beat.capabilities !== JSON.stringify(before.capabilities))
      this.#changes.workers.add(worker_id);
    if (command.changes_worker && this.#changes.visible !== null) this.#changes.visible.workers = true;
    return command.perform(availability, (id) => this.#jobs.get(id), this, clock);
  }

  effect({ job, receipts, events }: Effect): string[] {
    const before = this.#jobs.get(job.id);
    this.#jobs.set(job.id, job);
    this.#of_jobs.changed(before, job);
    for (const receipt of receipts) this.#batch.add(receipt);
    if (events.length > 0) this.#of_jobs.shown(job.id);
    return events.map((event) => {
      const id = newId('event');
      this.#events.push({ ...event, id, job_id: job.id, created_at: this.#batch.at });
      return id;
    });
  }

  log(log: Omit<StoredLog, 'id' | 'created_at'>): string {
    this.#of_jobs.shown(log.job_id);
    return this.#logs.add(log, this.#batch.at);
  }

  knownChunk(chunk: Chunk): string | undefined {
    return this.#logs.known(chunk);
  }

  spend(job: Job, bytes: number): Job {
    const spent = this.#logs.spend(job, bytes);
    if (spent !== null) return spent;
    this.effect(cutLog(job, this.#batch.at));
    throw logQuota(this.#log_quota);
  }

  artifact(artifact: ReportedArtifact): string {
    const id = newId('art');
    this.#artifacts.push({ ...artifact, id, created_at: this.#batch.at });
    this.#known_artifacts.set(artifactKey(artifact), id);
    this.#of_jobs.shown(artifact.job_id);
    return id;
  }

  knownArtifact(artifact: ReportedArtifact): string | undefined {
    return this.#known_artifacts.get(artifactKey(artifact));
  }

  bridge(entry: BridgeEntry): void {
    this.#bridged.push(entry);
  }

  /** Sends everything off at once; what is recorded from then on belongs to the next time. */
  async write(): Promise<void> {
    const tx = this.#tx;
    const updates = [...this.#stored].flatMap(([id, from]) => {
      const to = this.#jobs.get(id)!;
      return from === to ? [] : [{ from, to }];
    });
    const written = together(
      insertJobs(tx, this.created()),
      updateJobs(tx, updates),
      insertEvents(tx, this.#events),
      this.#logs.write(),
      ...this.#artifacts.map((artifact) => insertArtifact(tx, artifact)),
      insertBridgeEntries(tx, this.#bridged, this.#batch.at),
      recordHeartbeats(tx, [...this.#heartbeats.values()]),
    );
    this.#stored = new Map(this.#jobs);
    this.#created = new Set();
    this.#events = [];
    this.#artifacts = [];
    this.#bridged = [];
    this.#heartbeats = new Map();
    await written;
  }
}
