/**
 * The rules for jobs once more (docs/spec.md §20, §21, §9.2), as a table a person can check, written
 * from the contract and not from the router. It knows nothing of databases, files or crashes.
 */
export type Status = 'queued' | 'leased' | 'running' | 'completed' | 'failed' | 'canceled';

export interface Token {
  worker: number;
  /** Null: the router crashed before it told. */
  text: string | null;
  job: ModelJob;
}

export interface ModelJob {
  id: string;
  type: string;
  sku: string;
  priority: number;
  max_attempts: number;
  status: Status;
  attempt: number;
  lease: Token | null;
  /** Milliseconds since 1970. */
  lease_until: number;
  started_at: number | null;
  cost: string | null;
  /** As `inShort` says them. */
  receipts: string[];
}

/** What a worker said last and was told last; null: never declared. */
export interface ModelWorker {
  skus: string[] | null;
  types: string[] | null;
  most: number | null;
  status: WorkerStatus;
  drained: boolean;
}
export type WorkerStatus = 'registered' | 'online' | 'busy' | 'draining' | 'maintenance' | 'offline';
export type Capabilities = { gpu_skus?: string[]; supports?: string[]; max_concurrent_jobs?: number };

export type Outcome = { ok: Status } | { refused: 400 | 404 | 409; code: string };

const LEASE_MS = 600_000;
const CENTS_PER_HOUR: Record<string, bigint> = { rtx6000_blackwell_96gb: 500n, rog_astral_5090_32gb: 200n };

export class Model {
  readonly jobs: ModelJob[] = [];
  readonly past: Token[] = [];
  readonly workers: ModelWorker[] = [];

  register(capabilities: Capabilities): void {
    this.workers.push({ skus: null, types: null, most: null, status: 'registered', drained: false });
    this.declare(this.workers.length - 1, capabilities);
  }

  /** What is not mentioned stays as it was declared. */
  declare(n: number, { gpu_skus, supports, max_concurrent_jobs }: Capabilities): void {
    const worker = this.workers[n]!;
    worker.skus = gpu_skus ?? worker.skus;
    worker.types = supports ?? worker.types;
    worker.most = max_concurrent_jobs ?? worker.most;
  }

  /** Resumed, a worker that said it drains is online again. */
  order(n: number, order: 'drain' | 'resume'): void {
    const worker = this.workers[n]!;
    worker.drained = order === 'drain';
    if (order === 'resume' && worker.status === 'draining') worker.status = 'online';
  }

  /** The jobs whose lease the worker holds and whose time is not over. */
  live(n: number, now: number): ModelJob[] {
    return this.jobs.filter((job) => job.lease?.worker === n && !isOver(job) && job.lease_until > now);
  }

  create(id: string, job: Pick<ModelJob, 'type' | 'sku' | 'priority' | 'max_attempts'>, hours: number): ModelJob {
    const created: ModelJob = {
      ...job,
      id,
      status: 'queued',
      attempt: 0,
      lease: null,
      lease_until: 0,
      started_at: null,
      cost: null,
      receipts: [],
    };
    created.receipts.push(`${ownType(created)} created ${cost(job.sku, BigInt(hours) * 3_600_000n)}`);
    this.jobs.push(created);
    return created;
  }

  start(job: ModelJob, now: number): Outcome {
    if (job.status === 'running') return { ok: 'running' };
    if (job.status !== 'queued') return CONFLICT;
    job.started_at = now;
    job.receipts.push(`${ownType(job)} started 0.00`);
    return to(job, 'running');
  }

  complete(job: ModelJob, now: number): Outcome {
    if (job.status === 'completed' && job.lease === null) return { ok: 'completed' };
    const free = job.status === 'queued' || (job.status === 'running' && job.lease === null);
    if (!free) return CONFLICT;
    job.cost = cost(job.sku, billed(now - (job.started_at ?? now), null));
    job.receipts.push(`${ownType(job)} completed ${job.cost}`);
    return to(job, 'completed');
  }

  cancel(job: ModelJob): Outcome {
    if (isOver(job)) return CONFLICT;
    job.receipts.push(`${ownType(job)} canceled 0.00`);
    return to(job, 'canceled');
  }

  /** The jobs a worker is to be given of those it asks for, in order. */
  due(n: number, types: string[], skus: string[], most: number, now: number): ModelJob[] {
    const worker = this.workers[n]!;
    const takes = !worker.drained && ['registered', 'online', 'busy'].includes(worker.status);
    const room = (worker.most ?? Number.POSITIVE_INFINITY) - this.live(n, now).length;
    const may = (job: ModelJob) =>
      (worker.types === null || worker.types.includes(job.type)) &&
      (worker.skus === null || worker.skus.includes(job.sku));
    return this.jobs
      .filter((job) => job.status === 'queued' && types.includes(job.type) && skus.includes(job.sku) && may(job))
      .map((job, age) => ({ job, age }))
      .sort((a, b) => b.job.priority - a.job.priority || a.age - b.age)
      .slice(0, takes ? Math.max(0, Math.min(most, room)) : 0)
      .map(({ job }) => job);
  }

  lease(job: ModelJob, worker: number, text: string | null, now: number): void {
    job.attempt++;
    job.lease = { worker, text, job };
    job.lease_until = now + LEASE_MS;
    job.receipts.push('job_leased 0.00');
    to(job, 'leased');
  }

  /** Every call that carries a token, as far as the table decides it. */
  underLease(
    job: ModelJob,
    worker: number,
    token: string,
    verb: string,
    reported_seconds: number | null,
    now: number,
  ): Outcome {
    if (this.past.some((past) => past.job === job && past.text === token)) return EXPIRED;
    if (job.lease === null || job.lease.worker !== worker || job.lease.text !== token) return INVALID;
    if (job.status === 'canceled') return CANCELED;
    if (isOver(job)) return job.status === ENDS[verb] ? { ok: job.status } : CONFLICT;
    if (job.lease_until <= now) return EXPIRED;
    job.lease_until = now + LEASE_MS;
    if (verb === 'accept' && job.status === 'leased') {
      job.started_at = now;
      job.receipts.push('worker_job_accepted 0.00');
      return to(job, 'running');
    }
    if (verb === 'artifacts') job.receipts.push('artifact_reported 0.00');
    if (verb === 'complete') {
      job.cost = cost(job.sku, billed(now - (job.started_at ?? now), reported_seconds));
      job.receipts.push(`worker_job_completed ${job.cost}`, `${ownType(job)} completed ${job.cost}`);
      return to(job, 'completed');
    }
    if (verb === 'fail') {
      job.receipts.push('worker_job_failed 0.00');
      return to(job, 'failed');
    }
    return { ok: job.status };
  }

  /** What a heartbeat says of a lease. */
  beat(job: ModelJob, worker: number, token: string, now: number): 'active' | 'canceled' | 'expired' {
    if (job.lease === null || job.lease.worker !== worker || job.lease.text !== token) return 'expired';
    if (job.status === 'canceled') return 'canceled';
    if (isOver(job) || job.lease_until <= now) return 'expired';
    job.lease_until = now + LEASE_MS;
    return 'active';
  }

  sweep(now: number): void {
    for (const job of this.jobs) {
      if (job.lease === null || isOver(job) || job.lease_until > now) continue;
      this.past.push(job.lease);
      job.lease = null;
      job.receipts.push('lease_expired 0.00');
      if (job.attempt < job.max_attempts) {
        job.started_at = null;
        to(job, 'queued');
      } else {
        job.receipts.push('worker_job_failed 0.00');
        to(job, 'failed');
      }
    }
  }
}

const ENDS: Record<string, Status> = { complete: 'completed', fail: 'failed' };
const CONFLICT: Outcome = { refused: 409, code: 'job_state_conflict' };
const CANCELED: Outcome = { refused: 409, code: 'job_canceled' };
const EXPIRED: Outcome = { refused: 409, code: 'lease_expired' };
const INVALID: Outcome = { refused: 400, code: 'lease_invalid' };

export function isOver({ status }: ModelJob): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}

function to(job: ModelJob, status: Status): Outcome {
  job.status = status;
  return { ok: status };
}

function ownType({ type }: Pick<ModelJob, 'type'>): string {
  return type === 'fine_tune' ? 'fine_tune_job' : 'compute_job';
}

/** Milliseconds of whole seconds: of the smaller time, at least one. */
function billed(measured_ms: number, reported_seconds: number | null): bigint {
  const seconds = Math.min(measured_ms / 1000, reported_seconds ?? Number.POSITIVE_INFINITY);
  return BigInt(Math.max(1, Math.floor(seconds))) * 1000n;
}

/** Hours to six places, then to the cent, each half to even, on whole numbers. */
export function cost(sku: string, milliseconds: bigint): string {
  const micro_hours = halfEven(milliseconds * 1_000_000n, 3_600_000n);
  const cents = halfEven(CENTS_PER_HOUR[sku]! * micro_hours, 1_000_000n);
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function halfEven(a: bigint, b: bigint): bigint {
  const floor = a / b;
  const twice = (a % b) * 2n;
  return twice > b || (twice === b && floor % 2n === 1n) ? floor + 1n : floor;
}
