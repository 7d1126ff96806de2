/**
 * How a job finds its worker. Workers that ask together are served together: for every SKU and type they ask for, the head
 * of that queue is locked, the heads are merged oldest first within priority, and each worker gets the first of what it
 * declared, as many as it declared. A job is leased by changing its own row, so there is one lease or none. Rows that another
 * process is leasing are left out; how the workers stand is read under a lock of their rows.
 */
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import type { LeaseAnswer } from '@rcpt/contract/router/workers.ts';
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import type { Clock, Job } from '../domain/job.ts';
import { lease } from '../domain/lease.ts';
import { offers, roomOf, supports, takesWork } from '../domain/worker.ts';
import { queueKey } from '../notifier.ts';
import { workerRevoked } from '../problems.ts';
import { hasQueued, lockQueued } from '../store/jobs.ts';
import type { Availabilities, Availability } from '../store/workers.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export interface LeaseCommand {
  kind: 'lease';
  worker_id: string;
  node_id: string;
  /** The queues it asks for: only such as there are (`Router.skus`). */
  pairs: Pair[];
  max_jobs: number;
  /** False once nobody waits for the answer any more: nothing is leased for it. */
  wanted(): boolean;
}

/** What one queue holds. */
export interface Pair {
  gpu_sku: string;
  job_type: JobType;
  key: string;
}

/** What a worker that asked is given. */
export interface Granted {
  /** It takes nothing new, as it said or was told. */
  resting: boolean;
  /** It holds as many as it declared. */
  full: boolean;
  /** The queues it is leased from now: of those it asks for, those it declared. */
  keys: string[];
  /** Nothing, because another process has the jobs in its hands: some of them may be put back without any news. */
  contended: boolean;
  leases: Leased[];
}
type Leased = z.infer<typeof LeaseAnswer>['leases'][number];

/** What each command is given, in the order of the commands; whether it is contended is seen later. */
export function leaseTogether(
  commands: LeaseCommand[],
  availabilities: Availabilities,
  queues: Queues,
  unit: UnitOfWork,
  clock: Clock,
): (Granted | Refusal)[] {
  return commands.map((command) => {
    const availability = availabilities.get(command.worker_id);
    if (availability === undefined || availability.revoked_at !== null) return workerRevoked();
    const resting = !takesWork(availability);
    const room = roomOf(availability, availability.held + unit.heldMore(command.worker_id));
    const keys = resting || room === 0 ? [] : declaredOf(command, availability);
    const leases = command.wanted() ? take(command, keys, Math.min(command.max_jobs, room), queues, unit, clock) : [];
    return { resting, full: room === 0, keys, contended: false, leases };
  });
}

/** Of the queues a worker asks for, those of what it declared. */
function declaredOf({ pairs }: LeaseCommand, availability: Availability): string[] {
  const declared = pairs.filter(
    ({ gpu_sku, job_type }) => offers(availability, gpu_sku) && supports(availability, job_type),
  );
  return declared.map(({ key }) => key);
}

/** Throws `worker_revoked` for one that was let in before. */
export function availabilityOf(availabilities: Availabilities, worker_id: string): Availability {
  const availability = availabilities.get(worker_id);
  if (availability === undefined || availability.revoked_at !== null) throw workerRevoked();
  return availability;
}

/**
 * Marks those who went empty-handed although such jobs are queued: another process holds them. Asked behind what this commit
 * writes, by which all that it could lock has left their queues.
 */
export async function seeContended(tx: Queries, granted: (Granted | Refusal)[]): Promise<void> {
  if (tx.dialect.forUpdateSkipLocked === '') return;
  const empty = granted.filter((given) => !(given instanceof Refusal) && given.leases.length === 0) as Granted[];
  const asked = [...new Set(empty.flatMap(({ keys }) => keys))].map(async (key) => {
    const [gpu_sku, job_type] = key.split(' ') as [string, string];
    if (!(await hasQueued(tx, gpu_sku, job_type))) return;
    for (const given of empty) given.contended ||= given.keys.includes(key);
  });
  await together(...asked);
}

function take(
  command: LeaseCommand,
  keys: string[],
  most: number,
  queues: Queues,
  unit: UnitOfWork,
  clock: Clock,
): Leased[] {
  const leases: Leased[] = [];
  const open = keys.map((key) => queues.get(key) ?? []);
  while (leases.length < most) {
    const next = open.reduce<Job[]>((best, queue) => (isBefore(queue[0], best[0]) ? queue : best), []);
    const job = next.shift();
    if (job === undefined) break;
    leases.push(leaseTo(command, job, unit, clock));
  }
  return leases;
}

/** The locked heads of queues, by `sku type`. */
export type Queues = Map<string, Job[]>;

/** The first jobs of every queue that is asked for, as many as all askers together could take. */
export async function headsOf(tx: Queries, commands: LeaseCommand[]): Promise<Queues> {
  const wanted = new Map<string, number>();
  for (const command of commands)
    if (command.wanted())
      for (const { key } of command.pairs) wanted.set(key, (wanted.get(key) ?? 0) + command.max_jobs);
  const heads = [...wanted].map(async ([key, limit]): Promise<[string, Job[]]> => {
    const [gpu_sku, job_type] = key.split(' ') as [string, string];
    return [key, await lockQueued(tx, gpu_sku, job_type, limit)];
  });
  return new Map(await together(...heads));
}

/** New jobs take their places in the queues before they are stored: one that is leased at once is stored as leased. */
export function enqueue(queues: Queues, jobs: Job[]): void {
  for (const job of jobs) queues.get(queueKey(job.requested_gpu_sku, job.job_type))?.push(job);
  if (jobs.length > 0) for (const queue of queues.values()) queue.sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

export function pairsOf(gpu_skus: string[], job_types: JobType[]): Pair[] {
  return [...new Set(gpu_skus)].flatMap((gpu_sku) =>
    [...new Set(job_types)].map((job_type) => ({ gpu_sku, job_type, key: queueKey(gpu_sku, job_type) })),
  );
}

/** Higher priority first, then the older one: ids sort by the instant they were made. */
function isBefore(a: Job | undefined, b: Job | undefined): boolean {
  if (a === undefined) return false;
  if (b === undefined) return true;
  return a.priority !== b.priority ? a.priority > b.priority : a.id < b.id;
}

function leaseTo({ worker_id, node_id }: LeaseCommand, job: Job, unit: UnitOfWork, clock: Clock): Leased {
  const lease_id = newId('lease');
  const lease_token = `dlease_${newSecret()}`;
  const effect = lease(job, { worker_id, node_id, lease_id, lease_sha256: secretSha256(lease_token) }, clock);
  unit.hold(job);
  unit.effect(effect);
  const {
    id,
    job_type,
    requested_gpu_sku,
    estimated_hours,
    input_dataset_ids,
    datasets,
    payload,
    attempt,
    lease_expires_at,
  } = effect.job;
  return {
    lease_id,
    lease_token,
    expires_at: lease_expires_at!,
    job: {
      id,
      job_type,
      requested_gpu_sku,
      estimated_hours: Number(estimated_hours),
      input_dataset_ids,
      datasets,
      payload,
      attempt,
    },
  };
}
