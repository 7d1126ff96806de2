/**
 * How a job finds its worker. Workers that ask together are served together: for every SKU and type they ask for, the head
 * of that queue is locked, the heads are merged oldest first within priority, and each worker gets the first of what it
 * declared, as many as it declared. A job is leased by changing its own row, so there is one lease or none. Rows that another
 * process is leasing are left out; how the workers stand is read under a lock of their rows.
 */
import type { LeaseAnswer } from '@rcpt/contract/router/workers.ts';
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import type { Clock, Job } from '../domain/job.ts';
import { lease } from '../domain/lease.ts';
import { type Queue, queueOfJob } from '../domain/queue.ts';
import { offers, roomOf, supports, takesWork } from '../domain/worker.ts';
import { hasQueued, lockQueued } from '../store/jobs.ts';
import { type Availabilities, type Availability, availabilityOf } from '../store/workers.ts';
import type { LeaseCommand } from './command.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** What a worker that asked is given. */
export interface Granted {
  /** It takes nothing new: it said so, or was ordered to drain. */
  resting: boolean;
  /** It holds as many as it declared. */
  full: boolean;
  /** The queues it is leased from now: of those it asks for, those it declared. */
  queues: Queue[];
  /** It was given nothing because another process holds the jobs. It may give some back without a notification. */
  contended: boolean;
  leases: Leased[];
}
type Leased = z.infer<typeof LeaseAnswer>['leases'][number];

/** What the worker is given now; whether that is contended is found out later. Throws `worker_revoked`. */
export function grant(
  command: LeaseCommand,
  availabilities: Availabilities,
  heads: Heads,
  unit: UnitOfWork,
  clock: Clock,
): Granted {
  const availability = availabilityOf(availabilities, command.worker_id);
  const resting = !takesWork(availability);
  const room = roomOf(availability, availability.held + unit.leasesAdded(command.worker_id));
  const queues = resting || room === 0 ? [] : declaredOf(command, availability);
  const most = command.wanted() ? Math.min(command.max_jobs, room) : 0;
  return {
    resting,
    full: room === 0,
    queues,
    contended: false,
    leases: take(command, queues, most, heads, unit, clock),
  };
}

/** Of the queues a worker asks for, those of what it declared. */
function declaredOf({ queues }: LeaseCommand, availability: Availability): Queue[] {
  return queues.filter(({ gpu_sku, job_type }) => offers(availability, gpu_sku) && supports(availability, job_type));
}

function take(
  command: LeaseCommand,
  queues: Queue[],
  most: number,
  heads: Heads,
  unit: UnitOfWork,
  clock: Clock,
): Leased[] {
  const leases: Leased[] = [];
  const open = queues.map((queue) => heads.get(queue) ?? []);
  while (leases.length < most) {
    const next = open.reduce<Job[]>((best, jobs) => (isBefore(jobs[0], best[0]) ? jobs : best), []);
    const job = next.shift();
    if (job === undefined) break;
    leases.push(leaseTo(command, job, unit, clock));
  }
  return leases;
}

/**
 * Marks the workers that were given nothing although such jobs are queued: another process holds those. Asked after this commit's
 * own statements, by which all that it could lock has left the queues.
 */
export async function findContended(tx: Queries, granted: Granted[]): Promise<void> {
  if (!tx.dialect.isShared) return;
  const empty = granted.filter(({ leases }) => leases.length === 0);
  const asked = [...new Set(empty.flatMap(({ queues }) => queues))].map(async (queue) => {
    if (!(await hasQueued(tx, queue))) return;
    for (const given of empty) given.contended ||= given.queues.includes(queue);
  });
  await together(...asked);
}

/** The first jobs of each queue, locked. */
type Heads = Map<Queue, Job[]>;

/** Of every queue that is asked for, as many as all who ask could take together. */
export async function headsOf(tx: Queries, commands: LeaseCommand[]): Promise<Heads> {
  const limits = new Map<Queue, number>();
  for (const { wanted, queues, max_jobs } of commands)
    if (wanted()) for (const queue of queues) limits.set(queue, (limits.get(queue) ?? 0) + max_jobs);
  const heads = [...limits].map(
    async ([queue, limit]): Promise<[Queue, Job[]]> => [queue, await lockQueued(tx, queue, limit)],
  );
  return new Map(await together(...heads));
}

/** New jobs take their places in the queues before they are stored: one that is leased at once is stored as leased. */
export function enqueue(heads: Heads, jobs: Job[]): void {
  for (const job of jobs) heads.get(queueOfJob(job))?.push(job);
  if (jobs.length > 0) for (const queue of heads.values()) queue.sort((a, b) => (isBefore(a, b) ? -1 : 1));
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
