/** The change feed: what a commit changed, told to listeners in this process at once, and to other processes by the database. */
import { EventEmitter } from 'node:events';
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import { type Queue, queueOf } from './domain/queue.ts';

export interface Changes {
  /** Queues that have new jobs, with how many. */
  queued: Map<Queue, number>;
  /** Workers whose leases, orders or declarations changed. */
  workers: Set<string>;
  /** Workers that hold fewer leases than before. Told within the process only: a notification per completion costs too much. */
  freed: Set<string>;
  /** For open pages; null while no page is open, and then nothing is gathered. */
  visible: { jobs: Set<string>; workers: boolean; elsewhere: boolean } | null;
}

/** What changed of what pages show. `jobs` null: any of them. */
export interface VisibleChanges {
  jobs: string[] | null;
  workers: boolean;
}

/** Where pages are open that show jobs and workers: in other processes (too), in this one only, or nowhere. */
export type Audience = 'elsewhere' | 'here' | null;

export function noChanges(audience: Audience = null): Changes {
  const visible =
    audience === null ? null : { jobs: new Set<string>(), workers: false, elsewhere: audience === 'elsewhere' };
  return { queued: new Map(), workers: new Set(), freed: new Set(), visible };
}

const CHANNEL = 'router_news';
/** PostgreSQL takes payloads below 8000 bytes. */
const PAYLOAD_BYTES = 7_000;
/** A process with an audience says so this often, and the others tell it for a while after. */
const SAY_AUDIENCE_MS = 5_000;
const AUDIENCE_MS = 15_000;

/** Between processes, which may run the version before or after this one. */
interface Message {
  from: string;
  /** A queue is written as `sku type`. */
  queued: [string, number][];
  /** Null: any worker may be meant. */
  workers: string[] | null;
  seen: VisibleChanges | null;
  /** That process has an audience. */
  looks?: boolean;
}

/** One notification per commit, never one per job; delivered with the commit. */
export async function publish(tx: Queries, from: string, changes: Changes): Promise<void> {
  const { workers } = changes;
  const seen = changes.visible?.elsewhere ? shown(changes.visible) : null;
  if (changes.queued.size === 0 && workers.size === 0 && seen === null) return;
  const queued = [...changes.queued].map(([queue, jobs]): [string, number] => [nameOf(queue), jobs]);
  const payload = JSON.stringify({ from, queued, workers: [...workers], seen } satisfies Message);
  const any = { from, queued, workers: null, seen: seen && { ...seen, jobs: null } } satisfies Message;
  await tx.notify(CHANNEL, payload.length < PAYLOAD_BYTES ? payload : JSON.stringify(any));
}

function nameOf({ gpu_sku, job_type }: Queue): string {
  return `${gpu_sku} ${job_type}`;
}

function queueNamed(name: string): Queue {
  const space = name.lastIndexOf(' ');
  return queueOf(name.slice(0, space), name.slice(space + 1) as JobType);
}

/** Null when nothing that a page shows has changed. */
function shown({ jobs, workers }: NonNullable<Changes['visible']>): VisibleChanges | null {
  return jobs.size > 0 || workers ? { jobs: [...jobs], workers } : null;
}

export interface Notifier {
  /** Names this process, so that it does not hear itself twice. */
  id: string;
  tell(changes: Changes): void;
  /** Returns the cancellation. */
  onQueued(listener: (queue: Queue, jobs: number) => void): () => void;
  /** `worker_id` null: any worker may be meant. */
  onWorker(listener: (worker_id: string | null) => void): () => void;
  /** Within this process. */
  onFreed(listener: (worker_id: string) => void): () => void;
  /** Until it is canceled, what changes is gathered in all processes. Returns the cancellation. */
  onVisible(listener: (visible: VisibleChanges) => void): () => void;
  audience(): Audience;
  close(): Promise<void>;
}

interface Events {
  queued: [Queue, number];
  worker: [string | null];
  freed: [string];
  visible: [VisibleChanges];
}

export async function openNotifier(db: Db, id: string): Promise<Notifier> {
  const events = new EventEmitter<Events>();
  events.setMaxListeners(0);
  let elsewhere_until = 0;
  let saying: NodeJS.Timeout | undefined;

  function tell(
    queued: Iterable<[Queue, number]>,
    workers: Iterable<string | null>,
    visible: VisibleChanges | null,
  ): void {
    for (const [queue, jobs] of queued) events.emit('queued', queue, jobs);
    for (const worker_id of workers) events.emit('worker', worker_id);
    if (visible !== null) events.emit('visible', visible);
  }
  const stop = await db.listen(CHANNEL, (payload) => {
    const { from, queued, workers, seen, looks } = JSON.parse(payload) as Message;
    if (from === id) return;
    if (looks) elsewhere_until = performance.now() + AUDIENCE_MS;
    const named = queued.map(([name, jobs]): [Queue, number] => [queueNamed(name), jobs]);
    tell(named, workers ?? [null], seen);
  });
  /** Best effort: a page also reads again by the clock. */
  const sayAudience = () => {
    const message = { from: id, queued: [], workers: [], seen: null, looks: true } satisfies Message;
    db.notify(CHANNEL, JSON.stringify(message)).catch(() => undefined);
  };
  const on = (event: keyof Events, listener: (...args: never[]) => void) => {
    events.on(event, listener as () => void);
    return () => void events.off(event, listener as () => void);
  };

  return {
    id,
    tell({ queued, workers, freed, visible }) {
      for (const worker_id of freed) events.emit('freed', worker_id);
      tell(queued, workers, visible === null ? null : shown(visible));
    },
    onQueued: (listener) => on('queued', listener),
    onWorker: (listener) => on('worker', listener),
    onFreed: (listener) => on('freed', listener),
    onVisible(listener) {
      const off = on('visible', listener);
      if (saying === undefined) {
        sayAudience();
        saying = setInterval(sayAudience, SAY_AUDIENCE_MS);
      }
      return () => {
        off();
        if (events.listenerCount('visible') > 0) return;
        clearInterval(saying);
        saying = undefined;
      };
    },
    audience() {
      if (performance.now() < elsewhere_until) return 'elsewhere';
      return events.listenerCount('visible') > 0 ? 'here' : null;
    },
    async close() {
      clearInterval(saying);
      await stop();
    },
  };
}
