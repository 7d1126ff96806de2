/** The logs of one commit: the chunks that are stored or come with it, and the bytes of each member. */

import { type Queries, together } from '@rcpt/service/db/db.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { Job } from '../domain/job.ts';
import { hasRoom, type LogQuota } from '../domain/log-quota.ts';
import {
  addMemberLogs,
  type Chunk,
  findChunks,
  insertLogs,
  lockMemberLogs,
  nameOf,
  type StoredLog,
} from '../store/log-chunks.ts';
import type { JobCommand } from './command.ts';

export class JobLogs {
  readonly #tx: Queries;
  readonly #quota: LogQuota;
  /** Ids by `nameOf`. */
  #chunks = new Map<string, string>();
  #member_bytes = new Map<string, number>();
  #added: StoredLog[] = [];
  #added_bytes = new Map<string, number>();

  constructor(tx: Queries, quota: LogQuota) {
    this.#tx = tx;
    this.#quota = quota;
  }

  /** Once the jobs are locked: until the commit no other transaction adds to their logs. */
  async read(commands: JobCommand<unknown>[]): Promise<void> {
    const reporting = commands.filter(({ reports }) => reports?.chunk !== undefined);
    if (reporting.length === 0) return;
    const chunks = reporting.flatMap(({ job_id, reports }) => (reports?.chunk ? [{ job_id, ...reports.chunk }] : []));
    const ids = reporting.map(({ job_id }) => job_id);
    [this.#member_bytes, this.#chunks] = await together(lockMemberLogs(this.#tx, ids), findChunks(this.#tx, chunks));
  }

  known(chunk: Chunk): string | undefined {
    return this.#chunks.get(nameOf(chunk));
  }

  add(log: Omit<StoredLog, 'id' | 'created_at'>, created_at: string): string {
    const id = newId('event');
    this.#added.push({ ...log, id, created_at });
    if (log.sequence !== null) this.#chunks.set(nameOf({ ...log, sequence: log.sequence }), id);
    return id;
  }

  /** The job with so many bytes more; null when the quota has no room for them. */
  spend(job: Job, bytes: number): Job | null {
    const { member_id } = job;
    const of_member = this.#member_bytes.get(member_id) ?? 0;
    if (!hasRoom(job, of_member, bytes, this.#quota)) return null;
    this.#member_bytes.set(member_id, of_member + bytes);
    this.#added_bytes.set(member_id, (this.#added_bytes.get(member_id) ?? 0) + bytes);
    return { ...job, log_bytes: job.log_bytes + bytes };
  }

  /** Sent off at once; what is added from then on belongs to the next time. */
  write(): Promise<unknown> {
    const written = together(insertLogs(this.#tx, this.#added), addMemberLogs(this.#tx, this.#added_bytes));
    this.#added = [];
    this.#added_bytes = new Map();
    return written;
  }
}
