/** What a job's changes mean to others: to queues, to the workers that hold leases, and to open pages. */
import type { Job } from '../domain/job.ts';
import { isLive } from '../domain/lease.ts';
import { queueOfJob } from '../domain/queue.ts';
import type { Changes } from '../notifier.ts';

export class JobChanges {
  /** Stored jobs came to a queue or left one: that has to be written before the queues are read. */
  move_queues = false;
  readonly #changes: Changes;
  readonly #at: string;
  /** Jobs that were queued within this commit. */
  readonly #queued = new Set<string>();
  readonly #leases = new Map<string, number>();

  constructor(changes: Changes, at: string) {
    this.#changes = changes;
    this.#at = at;
  }

  /** Live leases that this commit gave the worker, less those that it ended. */
  leasesAdded(worker_id: string): number {
    return this.#leases.get(worker_id) ?? 0;
  }

  created(job: Job): void {
    this.#enter(job);
    this.shown(job.id);
  }

  /** Its page changes. */
  shown(job_id: string): void {
    this.#changes.visible?.jobs.add(job_id);
  }

  changed(before: Job | undefined, job: Job): void {
    if (job.status === before?.status) return;
    this.#countLeases(before, job);
    if (job.status === 'queued' || before?.status === 'queued') this.move_queues = true;
    if (job.status === 'queued') this.#enter(job);
    else if (this.#queued.delete(job.id)) this.#count(job, -1);
    if (job.status === 'canceled' && before?.worker_id) this.#changes.workers.add(before.worker_id);
  }

  #enter(job: Job): void {
    this.#queued.add(job.id);
    this.#count(job, 1);
  }

  #count(job: Job, change: 1 | -1): void {
    const queue = queueOfJob(job);
    const jobs = (this.#changes.queued.get(queue) ?? 0) + change;
    if (jobs > 0) this.#changes.queued.set(queue, jobs);
    else this.#changes.queued.delete(queue);
  }

  #countLeases(before: Job | undefined, job: Job): void {
    const from = before !== undefined && isLive(before, this.#at) ? before.worker_id : null;
    const to = isLive(job, this.#at) ? job.worker_id : null;
    if (from === to) return;
    if (to !== null) this.#leases.set(to, this.leasesAdded(to) + 1);
    if (from === null) return;
    this.#leases.set(from, this.leasesAdded(from) - 1);
    this.#changes.freed.add(from);
  }
}
