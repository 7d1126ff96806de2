/**
 * The commands of one commit, decided kind by kind, and within a kind in the order they came:
 *   members, datasets, nodes, workers → new jobs → commands on jobs and heartbeats → leases, which see all of that
 */
import { type Queries, together } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Clock } from '../domain/job.ts';
import type { LogQuota } from '../domain/log-quota.ts';
import { type Audience, type Changes, noChanges, publish } from '../notifier.ts';
import type { ReceiptBatch } from '../receipts/batch.ts';
import { lockAvailabilities } from '../store/workers.ts';
import type { Command } from './command.ts';
import { enqueue, findContended, type Granted, grant, headsOf } from './lease.ts';
import { UnitOfWork } from './unit-of-work.ts';

interface Commit {
  /** An answer or a `Refusal` per command, in the order of the commands. */
  decide(commands: Command<unknown>[]): Promise<unknown[]>;
  /** Writes what was decided. */
  write(): Promise<unknown>;
  /** Tells other processes, with the commit. */
  publish(): Promise<void>;
  changes: Changes;
}

export interface CommitSettings {
  lease_seconds: number;
  log_quota: LogQuota;
  /** Names this process to the others. */
  notifier_id: string;
  /** Asked once per commit. */
  audience?(): Audience;
}

export function createCommit(tx: Queries, batch: ReceiptBatch, settings: CommitSettings): Commit {
  const { lease_seconds, log_quota, notifier_id, audience } = settings;
  const clock: Clock = { now: batch.now, lease_seconds };
  const changes = noChanges(audience?.());
  const unit = new UnitOfWork(tx, batch, changes, log_quota);
  const granted: Granted[] = [];

  async function decide(commands: Command<unknown>[]): Promise<unknown[]> {
    const outcomes = new Array<unknown>(commands.length);
    for (const [i, command] of commands.entries())
      if (command.kind === 'store') outcomes[i] = await command.run(tx, batch, changes).catch(refusalIn);
    for (const [i, command] of commands.entries())
      if (command.kind === 'create') outcomes[i] = attempt(() => unit.create(command));

    const leases = commands.filter((command) => command.kind === 'lease');
    // The named jobs come first: only for their locks is another transaction waited for, and no lock may be held meanwhile.
    const [, availabilities, heads] = await together(
      unit.lock(commands.flatMap(jobsOf)),
      lockAvailabilities(tx, workersOf(commands), batch.at),
      headsOf(tx, leases),
      unit.readReports(commands.filter((command) => command.kind === 'job')),
    );
    for (const [i, command] of commands.entries())
      if (command.kind === 'job') outcomes[i] = attempt(() => command.perform(unit.load(command.job_id), unit, clock));
      else if (command.kind === 'heartbeat')
        outcomes[i] = attempt(() => unit.heartbeat(command, availabilities, clock));
    if (leases.length === 0) return outcomes;

    const queues = unit.movesQueues ? (await together(unit.write(), headsOf(tx, leases)))[1] : heads;
    enqueue(queues, unit.created());
    for (const [i, command] of commands.entries())
      if (command.kind === 'lease')
        outcomes[i] = attempt(() => {
          const given = grant(command, availabilities, queues, unit, clock);
          granted.push(given);
          return given;
        });
    return outcomes;
  }

  return {
    decide,
    write: () => together(unit.write(), findContended(tx, granted)),
    publish: () => publish(tx, notifier_id, changes),
    changes,
  };
}

function jobsOf(command: Command<unknown>): string[] {
  if (command.kind === 'job') return [command.job_id];
  return command.kind === 'heartbeat' ? command.job_ids : [];
}

function workersOf(commands: Command<unknown>[]) {
  const beating = commands.filter((command) => command.kind === 'heartbeat');
  const leasing = commands.filter((command) => command.kind === 'lease');
  const idsOf = (those: { worker_id: string }[]) => new Set(those.map(({ worker_id }) => worker_id));
  // A heartbeat with capabilities may declare a limit that a lease of the same commit is held to.
  const declaring = idsOf(beating.filter(({ declares }) => declares));
  return { all: idsOf([...beating, ...leasing]), declaring, leasing: idsOf(leasing) };
}

function attempt<T>(perform: () => T): T | Refusal {
  try {
    return perform();
  } catch (error) {
    return refusalIn(error);
  }
}

function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
