/** What changed that somebody may be waiting for: told within the process at once, and to other processes by the database. */
import { EventEmitter } from 'node:events';
import type { Db, Queries } from '@rcpt/service/db/db.ts';

export interface News {
  /** `sku type` pairs that have new queued jobs, with how many. */
  queued: Map<string, number>;
  /** Workers whose leases, orders or declarations changed. */
  workers: Set<string>;
  /** Workers that hold fewer leases than before. Told within the process only: a word per completion would be dear. */
  freed: Set<string>;
  /** What people look at; null while nobody does, and then nothing is gathered. */
  seen: { jobs: Set<string>; workers: boolean; elsewhere: boolean } | null;
}

/** What changed of what people look at. `jobs` null: any of them. */
export interface Seen {
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

export function noNews(watched: Watched = null): News {
  const seen =
    watched === null ? null : { jobs: new Set<string>(), workers: false, elsewhere: watched === 'elsewhere' };
  return { queued: new Map(), workers: new Set(), freed: new Set(), seen };
}

/** Whether anybody looks at jobs and workers: in other processes (too), in this one only, or nobody. */
export type Watched = 'elsewhere' | 'here' | null;

/** For other processes. */
export function isNews({ queued, workers, seen }: News): boolean {
  return queued.size > 0 || workers.size > 0 || (seen?.elsewhere === true && isSeen(seen));
}

function isSeen({ jobs, workers }: NonNullable<News['seen']>): boolean {
  return jobs.size > 0 || workers;
}

/** One notification per commit, never one per job; delivered with the commit. */
export async function announce(tx: Queries, from: string, news: News): Promise<void> {
  if (!isNews(news)) return;
  const queued = [...news.queued];
  const seen = news.seen?.elsewhere ? { jobs: [...news.seen.jobs], workers: news.seen.workers } : null;
  const payload = JSON.stringify({ from, queued, workers: [...news.workers], seen });
  const any = { from, queued, workers: null, seen: seen && { ...seen, jobs: null } };
  await tx.notify(CHANNEL, payload.length < PAYLOAD_BYTES ? payload : JSON.stringify(any));
}

export interface NewsDesk {
  /** Names this process, so that it does not hear itself twice. */
  id: string;
  tell(news: News): void;
  /** Returns the cancellation. */
  onQueued(listener: (key: string, jobs: number) => void): () => void;
  /** `worker_id` null: any worker may be meant. */
  onWorker(listener: (worker_id: string | null) => void): () => void;
  /** Within this process. */
  onFreed(listener: (worker_id: string) => void): () => void;
  /** Until it is canceled, what changes is gathered in all processes. Returns the cancellation. */
  onSeen(listener: (seen: Seen) => void): () => void;
  watched(): Watched;
  close(): Promise<void>;
}

interface Told {
  queued: Iterable<[string, number]>;
  workers: Iterable<string> | null;
  seen: Seen | null;
}
/** What other processes say. */
interface Heard extends Told {
  from: string;
  /** Somebody looks there. */
  looks?: boolean;
}

export async function openNewsDesk(db: Db, id: string): Promise<NewsDesk> {
  const events = new EventEmitter<{
    queued: [string, number];
    worker: [string | null];
    freed: [string];
    seen: [Seen];
  }>();
  events.setMaxListeners(0);
  let elsewhere_until = 0;
  let looking: NodeJS.Timeout | undefined;

  const tell = ({ queued, workers, seen }: Told) => {
    for (const [key, jobs] of queued) events.emit('queued', key, jobs);
    if (workers === null) events.emit('worker', null);
    else for (const worker_id of workers) events.emit('worker', worker_id);
    if (seen !== null) events.emit('seen', seen);
  };
  const stop = await db.listen(CHANNEL, (payload) => {
    const heard = JSON.parse(payload) as Heard;
    if (heard.from === id) return;
    if (heard.looks) elsewhere_until = performance.now() + LOOKED_AT_MS;
    tell(heard);
  });
  /** Best effort: whoever looks also looks again by the clock. */
  const look = () => {
    const looks = JSON.stringify({ from: id, queued: [], workers: [], seen: null, looks: true } satisfies Heard);
    db.notify(CHANNEL, looks).catch(() => undefined);
  };

  return {
    id,
    tell({ queued, workers, freed, seen }) {
      for (const worker_id of freed) events.emit('freed', worker_id);
      const changed = seen !== null && isSeen(seen) ? { jobs: [...seen.jobs], workers: seen.workers } : null;
      tell({ queued, workers, seen: changed });
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
    onSeen(listener) {
      events.on('seen', listener);
      if (looking === undefined) {
        look();
        looking = setInterval(look, LOOK_AGAIN_MS);
      }
      return () => {
        events.off('seen', listener);
        if (events.listenerCount('seen') > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
    watched() {
      if (performance.now() < elsewhere_until) return 'elsewhere';
      return events.listenerCount('seen') > 0 ? 'here' : null;
    },
    async close() {
      clearInterval(looking);
      await stop();
    },
  };
}
