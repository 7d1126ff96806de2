/**
 * One commit's worth of commands. Jobs are read once, changed by the pure rules in the order the commands came, and written once:
 * what the rules say is recorded here and nowhere else.
 *   members' and registry work → new jobs → commands on jobs and heartbeats → leases, which see all of that
 */
import type { Capabilities } from '@rcpt/contract/router/workers.ts';
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { Clock, Effect, Job } from '../domain/job.ts';
import { isLive } from '../domain/lease.ts';
import { cutLog, hasRoom, type LogQuota, logQuota } from '../domain/log-quota.ts';
import { type Audience, type Changes, concernOthers, noChanges, publish, queueKey } from '../notifier.ts';
import type { ReceiptBatch } from '../receipts/batch.ts';
import { insertArtifact, type StoredArtifact } from '../store/artifacts.ts';
import { type BridgeEntry, insertBridgeEntries } from '../store/bridge.ts';
import { insertEvents, type StoredEvent } from '../store/job-events.ts';
import { insertJobs, lockJobs, updateJobs } from '../store/jobs.ts';
import {
  addMemberLogs,
  type Chunk,
  findChunks,
  insertLogs,
  lockMemberLogs,
  nameOf,
  type StoredLog,
} from '../store/log-chunks.ts';
import {
  type Availabilities,
  type Availability,
  type HeartbeatRow,
  lockAvailabilities,
  recordHeartbeats,
} from '../store/workers.ts';
import {
  availabilityOf,
  enqueue,
  type Granted,
  headsOf,
  type LeaseCommand,
  leaseTogether,
  seeContended,
} from './lease.ts';

export type Command<T> = StoreCommand<T> | CreateCommand | JobCommand<T> | HeartbeatCommand<T> | LeaseCommand;

/** Anything that is not about jobs: refuses before it writes, and every statement tolerates a conflict. */
export interface StoreCommand<T> {
  kind: 'store';
  run(tx: Queries, batch: ReceiptBatch, changes: Changes): Promise<T>;
}

/** A new job, with the receipt it is created with; answered with the job. */
export interface CreateCommand {
  kind: 'create';
  create(batch: ReceiptBatch): { job: Job; event: StoredEvent };
}

/** One command on one job. `perform` is called with the job as the commands before left it; it records, or throws a refusal. */
export interface JobCommand<T> {
  kind: 'job';
  job_id: string;
  /** Of the log, with a sequence, as which it may have come before; null: something else that its quota counts. */
  reports?: { stream: string; sequence: number } | null;
  perform(job: Job, record: Recorder, clock: Clock): T;
}

/** A heartbeat: the worker's own row, and the leases it lists. */
export interface HeartbeatCommand<T> {
  kind: 'heartbeat';
  worker_id: string;
  /** @param declared what the worker declared before: what it does not mention now holds on */
  beat(at: string, declared: Capabilities): HeartbeatRow;
  /** Others see the worker differently from now on. */
  changes_worker: boolean;
  /** It says what it can do. */
  declares: boolean;
  job_ids: string[];
  perform(availability: Availability, jobs: (id: string) => Job | undefined, record: Recorder, clock: Clock): T;
}

/** What a command leaves behind, stored with the commit. */
export interface Recorder {
  /** The job as it is now, with receipts and events. Returns the events' ids. */
  effect(effect: Effect): string[];
  log(log: Omit<StoredLog, 'id' | 'created_at'>): string;
  /** The id of a chunk that came before. */
  known(chunk: Chunk): string | undefined;
  /** The job with so many bytes more of log and events. Throws `log_quota`, and then its log is cut. */
  spend(job: Job, bytes: number): Job;
  artifact(artifact: Omit<StoredArtifact, 'id' | 'created_at'>): string;
  /** Opens a ledger Run once this is committed. */
  bridge(entry: BridgeEntry): void;
}

export interface Commit {
  /** Decides: an answer or a `Refusal` per command, in the order of the commands. */
  perform(commands: Command<unknown>[]): Promise<unknown[]>;
  /** Writes what was decided. */
  write(): Promise<void>;
  publish(): Promise<void>;
  changes: Changes;
}

export interface CommitSettings {
  lease_seconds: number;
  log_quota: LogQuota;
  /** Names this process to the others. */
  notifier_id: string;
  /** Whether anybody looks at what changes; asked once per commit. */
  audience?(): Audience;
}

export function createCommit(tx: Queries, batch: ReceiptBatch, settings: CommitSettings): Commit {
  const { lease_seconds, log_quota, notifier_id, audience } = settings;
  const clock: Clock = { now: batch.now, lease_seconds };
  const changes = noChanges(audience?.());
  const unit = new UnitOfWork(tx, batch, changes, log_quota);
  let leases: LeaseCommand[] = [];
  let granted: (Granted | Refusal)[] = [];
  return {
    changes,
    async write() {
      await together(unit.write(), seeContended(tx, granted));
    },
    async perform(commands) {
      const outcomes = new Array<unknown>(commands.length);
      for (const [i, command] of commands.entries())
        if (command.kind === 'store') outcomes[i] = await command.run(tx, batch, changes).catch(refusal);
      for (const [i, command] of commands.entries())
        if (command.kind === 'create') outcomes[i] = attempt(() => unit.create(command));
      leases = commands.filter((command) => command.kind === 'lease');
      // The named jobs come first: only for their locks is anybody waited, and nothing may be held meanwhile.
      const [, availabilities, heads] = await together(
        unit.read(commands.flatMap(jobsOf)),
        lockAvailabilities(tx, [...new Set(commands.flatMap(workersOf))], askedOf(commands, leases), batch.at),
        headsOf(tx, leases),
        unit.readLogs(commands.filter((command) => command.kind === 'job')),
      );
      for (const [i, command] of commands.entries()) {
        if (command.kind === 'job')
          outcomes[i] = attempt(() => command.perform(unit.load(command.job_id), unit, clock));
        else if (command.kind === 'heartbeat') outcomes[i] = attempt(() => unit.beat(command, availabilities, clock));
      }
      if (leases.length > 0) {
        const queues = unit.changesQueues ? (await together(unit.write(), headsOf(tx, leases)))[1] : heads;
        enqueue(queues, unit.created());
        granted = leaseTogether(leases, availabilities, queues, unit, clock);
        for (const [i, command] of commands.entries())
          if (command.kind === 'lease') outcomes[i] = granted[leases.indexOf(command)];
      }
      return outcomes;
    },
    async publish() {
      if (concernOthers(changes)) await publish(tx, notifier_id, changes);
    },
  };
}

/** A heartbeat that only says that the worker is still there. */
export function tellsNothingNew(command: Command<unknown>): boolean {
  return command.kind === 'heartbeat' && !command.changes_worker && command.job_ids.length === 0;
}

function jobsOf(command: Command<unknown>): string[] {
  if (command.kind === 'job') return [command.job_id];
  return command.kind === 'heartbeat' ? command.job_ids : [];
}

function workersOf(command: Command<unknown>): string[] {
  return command.kind === 'heartbeat' || command.kind === 'lease' ? [command.worker_id] : [];
}

/** A heartbeat with capabilities may declare a limit that a lease of the same commit is held to. */
function askedOf(
  commands: Command<unknown>[],
  leases: LeaseCommand[],
): { declaring: Set<string>; leasing: Set<string> } {
  const declaring = commands.filter(
    (command) => command.kind === 'heartbeat' && command.declares,
  ) as HeartbeatCommand<unknown>[];
  const idsOf = (of: { worker_id: string }[]) => new Set(of.map((command) => command.worker_id));
  return { declaring: idsOf(declaring), leasing: idsOf(leases) };
}

/** Jobs between being read and being written, and everything recorded on the way. */
export class UnitOfWork implements Recorder {
  readonly #tx: Queries;
  readonly #batch: ReceiptBatch;
  readonly #changes: Changes;
  /** Stored jobs came to a queue or left one: that has to be written before the queues are read. */
  changesQueues = false;
  #read = new Map<string, Job>();
  #now = new Map<string, Job>();
  /** Not stored yet. */
  #created = new Set<string>();
  #events: StoredEvent[] = [];
  #logs: StoredLog[] = [];
  #artifacts: StoredArtifact[] = [];
  #bridged: BridgeEntry[] = [];
  #beats = new Map<string, HeartbeatRow>();
  #held_more = new Map<string, number>();
  readonly #log_quota: LogQuota;
  /** Of logs that are stored or come with this commit: the chunks by name, and the bytes of each member. */
  #chunks = new Map<string, string>();
  #member_bytes = new Map<string, number>();
  #added_bytes = new Map<string, number>();
  /** Queued within this commit. */
  #queued = new Set<string>();

  constructor(tx: Queries, batch: ReceiptBatch, changes: Changes, log_quota: LogQuota) {
    this.#log_quota = log_quota;
    this.#tx = tx;
    this.#batch = batch;
    this.#changes = changes;
  }

  create({ create }: CreateCommand): Job {
    const { job, event } = create(this.#batch);
    this.#created.add(job.id);
    this.#now.set(job.id, job);
    this.#changes.visible?.jobs.add(job.id);
    this.#events.push(event);
    this.#isQueued(job);
    return job;
  }

  async read(ids: string[]): Promise<void> {
    for (const job of await lockJobs(this.#tx, ids)) this.hold(job);
  }

  /** After `read`, which locks the jobs: no other transaction adds to their logs until the commit. */
  async readLogs(commands: JobCommand<unknown>[]): Promise<void> {
    const reporting = commands.filter(({ reports }) => reports !== undefined);
    if (reporting.length === 0) return;
    const chunks = reporting.flatMap(({ job_id, reports }) => (reports ? [{ job_id, ...reports }] : []));
    const ids = reporting.map(({ job_id }) => job_id);
    [this.#member_bytes, this.#chunks] = await together(lockMemberLogs(this.#tx, ids), findChunks(this.#tx, chunks));
  }

  /** The jobs that are new in this commit and not stored yet. */
  created(): Job[] {
    return [...this.#created].map((id) => this.#now.get(id)!);
  }

  /** A job that is locked and as it is stored. */
  hold(job: Job): void {
    if (this.#created.has(job.id)) return;
    this.#read.set(job.id, job);
    this.#now.set(job.id, job);
  }

  load(id: string): Job {
    const job = this.#now.get(id);
    if (job === undefined) throw new Refusal('not_found', `There is no job ${id}.`);
    return job;
  }

  /** From here on the worker stands as it says: leases of the same commit go by it. Throws `worker_revoked`. */
  beat<T>(command: HeartbeatCommand<T>, availabilities: Availabilities, clock: Clock): T {
    const before = availabilityOf(availabilities, command.worker_id);
    const beat = command.beat(this.#batch.at, before.capabilities);
    const capabilities = beat.capabilities === null ? before.capabilities : JSON.parse(beat.capabilities);
    const availability = { ...before, status: beat.said?.status ?? before.status, capabilities };
    availabilities.set(command.worker_id, availability);
    // Of several in one commit each keeps what only it has said.
    const earlier = this.#beats.get(beat.id);
    const said = beat.said ?? earlier?.said ?? null;
    this.#beats.set(beat.id, { ...beat, said, capabilities: beat.capabilities ?? earlier?.capabilities ?? null });
    if (beat.capabilities !== null && beat.capabilities !== JSON.stringify(before.capabilities))
      this.#changes.workers.add(beat.id);
    if (command.changes_worker && this.#changes.visible !== null) this.#changes.visible.workers = true;
    return command.perform(availability, (id) => this.#now.get(id), this, clock);
  }

  /** Live leases that this commit gave the worker, less those it took or saw end. */
  heldMore(worker_id: string): number {
    return this.#held_more.get(worker_id) ?? 0;
  }

  effect({ job, receipts, events }: Effect): string[] {
    const before = this.#now.get(job.id);
    this.#now.set(job.id, job);
    if (job.status !== before?.status) this.#countHeld(before, job);
    if (job.status !== before?.status && (job.status === 'queued' || before?.status === 'queued'))
      this.changesQueues = true;
    for (const receipt of receipts) this.#batch.add(receipt);
    if (events.length > 0) this.#changes.visible?.jobs.add(job.id);
    if (job.status === 'queued' && before?.status !== 'queued') this.#isQueued(job);
    if (job.status !== 'queued' && this.#queued.delete(job.id)) this.#count(job, -1);
    if (job.status === 'canceled' && before?.worker_id) this.#changes.workers.add(before.worker_id);
    return events.map((event) => {
      const id = newId('event');
      this.#events.push({ ...event, id, job_id: job.id, created_at: this.#batch.at });
      return id;
    });
  }

  log(log: Omit<StoredLog, 'id' | 'created_at'>): string {
    const id = newId('event');
    this.#logs.push({ ...log, id, created_at: this.#batch.at });
    if (log.sequence !== null) this.#chunks.set(nameOf({ ...log, sequence: log.sequence }), id);
    this.#changes.visible?.jobs.add(log.job_id);
    return id;
  }

  known(chunk: Chunk): string | undefined {
    return this.#chunks.get(nameOf(chunk));
  }

  spend(job: Job, bytes: number): Job {
    const { member_id } = job;
    const of_member = this.#member_bytes.get(member_id) ?? 0;
    if (!hasRoom(job, of_member, bytes, this.#log_quota)) {
      this.effect(cutLog(job, this.#batch.at));
      throw logQuota(this.#log_quota);
    }
    this.#member_bytes.set(member_id, of_member + bytes);
    this.#added_bytes.set(member_id, (this.#added_bytes.get(member_id) ?? 0) + bytes);
    return { ...job, log_bytes: job.log_bytes + bytes };
  }

  artifact(artifact: Omit<StoredArtifact, 'id' | 'created_at'>): string {
    const id = newId('art');
    this.#artifacts.push({ ...artifact, id, created_at: this.#batch.at });
    this.#changes.visible?.jobs.add(artifact.job_id);
    return id;
  }

  bridge(entry: BridgeEntry): void {
    this.#bridged.push(entry);
  }

  receipt(draft: Parameters<ReceiptBatch['add']>[0]): string {
    return this.#batch.add(draft);
  }

  /** Sends everything off at once; what is recorded from then on belongs to the next time. */
  async write(): Promise<void> {
    const tx = this.#tx;
    const updates = [...this.#read].flatMap(([id, from]) => {
      const to = this.#now.get(id)!;
      return from === to ? [] : [{ from, to }];
    });
    const written = together(
      insertJobs(tx, this.created()),
      updateJobs(tx, updates),
      insertEvents(tx, this.#events),
      insertLogs(tx, this.#logs),
      addMemberLogs(tx, this.#added_bytes),
      ...this.#artifacts.map((artifact) => insertArtifact(tx, artifact)),
      insertBridgeEntries(tx, this.#bridged, this.#batch.at),
      recordHeartbeats(tx, [...this.#beats.values()]),
    );
    this.#read = new Map(this.#now);
    this.#created = new Set();
    this.#events = [];
    this.#logs = [];
    this.#added_bytes = new Map();
    this.#artifacts = [];
    this.#bridged = [];
    this.#beats = new Map();
    await written;
  }

  #isQueued(job: Job): void {
    this.#queued.add(job.id);
    this.#count(job, 1);
  }

  #countHeld(before: Job | undefined, job: Job): void {
    const from = before !== undefined && isLive(before, this.#batch.at) ? before.worker_id : null;
    const to = isLive(job, this.#batch.at) ? job.worker_id : null;
    if (from === to) return;
    if (to !== null) this.#held_more.set(to, this.heldMore(to) + 1);
    if (from === null) return;
    this.#held_more.set(from, this.heldMore(from) - 1);
    this.#changes.freed.add(from);
  }

  #count(job: Job, change: 1 | -1): void {
    const key = queueKey(job.requested_gpu_sku, job.job_type);
    const jobs = (this.#changes.queued.get(key) ?? 0) + change;
    if (jobs > 0) this.#changes.queued.set(key, jobs);
    else this.#changes.queued.delete(key);
  }
}

function attempt<T>(perform: () => T): T | Refusal {
  try {
    return perform();
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
