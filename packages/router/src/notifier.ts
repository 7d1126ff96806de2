/** What changed that somebody may be waiting for: told within the process at once, and to other processes by the database. */
import { EventEmitter } from 'node:events';
import type { Db, Queries } from '@rcpt/service/db/db.ts';

export interface Changes {
  /** `sku type` pairs that have new queued jobs, with how many. */
  queued: Map<string, number>;
  /** Workers whose leases, orders or declarations changed. */
  workers: Set<string>;
  /** Workers that hold fewer leases than before. Told within the process only: a word per completion would be dear. */
  freed: Set<string>;
  /** What people look at; null while nobody does, and then nothing is gathered. */
  visible: { jobs: Set<string>; workers: boolean; elsewhere: boolean } | null;
}

/** What changed of what people look at. `jobs` null: any of them. */
export interface VisibleChanges {
  jobs: string[] | null;
  workers: boolean;
}

const CHANNEL = 'router_news';
/** PostgreSQL takes payloads below 8000 bytes. */
const PAYLOAD_BYTES = 7_000;
/** A process in which somebody looks says so this often, and the others tell it for a while after. */
const LOOK_AGAIN_MS = 5_000;
const LOOKED_AT_MS = 15_000;

export const queueKey = (gpu_sku: string, job_type: string) => `${gpu_sku} ${job_type}`;

export function noChanges(audience: Audience = null): Changes {
  const visible =
    audience === null ? null : { jobs: new Set<string>(), workers: false, elsewhere: audience === 'elsewhere' };
  return { queued: new Map(), workers: new Set(), freed: new Set(), visible };
}

/** Whether anybody looks at jobs and workers: in other processes (too), in this one only, or nobody. */
export type Audience = 'elsewhere' | 'here' | null;

/** For other processes. */
export function concernOthers({ queued, workers, visible }: Changes): boolean {
  return queued.size > 0 || workers.size > 0 || (visible?.elsewhere === true && isVisible(visible));
}

function isVisible({ jobs, workers }: NonNullable<Changes['visible']>): boolean {
  return jobs.size > 0 || workers;
}

/** One notification per commit, never one per job; delivered with the commit. */
export async function publish(tx: Queries, from: string, changes: Changes): Promise<void> {
  if (!concernOthers(changes)) return;
  const queued = [...changes.queued];
  const seen = changes.visible?.elsewhere ? shown(changes.visible) : null;
  const payload = JSON.stringify({ from, queued, workers: [...changes.workers], seen } satisfies Message);
  const any = { from, queued, workers: null, seen: seen && { ...seen, jobs: null } } satisfies Message;
  await tx.notify(CHANNEL, payload.length < PAYLOAD_BYTES ? payload : JSON.stringify(any));
}

function shown({ jobs, workers }: NonNullable<Changes['visible']>): VisibleChanges {
  return { jobs: [...jobs], workers };
}

export interface Notifier {
  /** Names this process, so that it does not hear itself twice. */
  id: string;
  tell(changes: Changes): void;
  /** Returns the cancellation. */
  onQueued(listener: (key: string, jobs: number) => void): () => void;
  /** `worker_id` null: any worker may be meant. */
  onWorker(listener: (worker_id: string | null) => void): () => void;
  /** Within this process. */
  onFreed(listener: (worker_id: string) => void): () => void;
  /** Until it is canceled, what changes is gathered in all processes. Returns the cancellation. */
  onVisible(listener: (visible: VisibleChanges) => void): () => void;
  audience(): Audience;
  close(): Promise<void>;
}

/** Between processes, also of the version before. */
interface Message {
  from: string;
  queued: [string, number][];
  /** Null: any worker may be meant. */
  workers: string[] | null;
  seen: VisibleChanges | null;
  /** That process has an audience. */
  looks?: boolean;
}

export async function openNotifier(db: Db, id: string): Promise<Notifier> {
  const events = new EventEmitter<{
    queued: [string, number];
    worker: [string | null];
    freed: [string];
    visible: [VisibleChanges];
  }>();
  events.setMaxListeners(0);
  let elsewhere_until = 0;
  let looking: NodeJS.Timeout | undefined;

  const tell = (
    queued: Iterable<[string, number]>,
    workers: Iterable<string> | null,
    visible: VisibleChanges | null,
  ) => {
    for (const [key, jobs] of queued) events.emit('queued', key, jobs);
    if (workers === null) events.emit('worker', null);
    else for (const worker_id of workers) events.emit('worker', worker_id);
    if (visible !== null) events.emit('visible', visible);
  };
  const stop = await db.listen(CHANNEL, (payload) => {
    const { from, queued, workers, seen, looks } = JSON.parse(payload) as Message;
    if (from === id) return;
    if (looks) elsewhere_until = performance.now() + LOOKED_AT_MS;
    tell(queued, workers, seen);
  });
  /** Best effort: whoever looks also looks again by the clock. */
  const look = () => {
    const looks = JSON.stringify({ from: id, queued: [], workers: [], seen: null, looks: true } satisfies Message);
    db.notify(CHANNEL, looks).catch(() => undefined);
  };

  return {
    id,
    tell({ queued, workers, freed, visible }) {
      for (const worker_id of freed) events.emit('freed', worker_id);
      tell(queued, workers, visible !== null && isVisible(visible) ? shown(visible) : null);
    },
    onQueued(listener) {
      events.on('queued', listener);
      return () => void events.off('queued', listener);
    },
    onWorker(listener) {
      events.on('worker', listener);
      return () => void events.off('worker', listener);
    },
    onFreed(listener) {
      events.on('freed', listener);
      return () => void events.off('freed', listener);
    },
    onVisible(listener) {
      events.on('visible', listener);
      if (looking === undefined) {
        look();
        looking = setInterval(look, LOOK_AGAIN_MS);
      }
      return () => {
        events.off('visible', listener);
        if (events.listenerCount('visible') > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
    audience() {
      if (performance.now() < elsewhere_until) return 'elsewhere';
      return events.listenerCount('visible') > 0 ? 'here' : null;
    },
    async close() {
      clearInterval(looking);
      await stop();
    },
  };
}
