/** What changed that somebody may be waiting for: told within the process at once, and to other processes by the database. */
import { EventEmitter } from 'node:events';
import type { Db, Queries } from '@rcpt/service/db.ts';

export interface News {
  /** `sku type` pairs that have new queued jobs, with how many. */
  queued: Map<string, number>;
  /** Workers whose leases or orders changed. */
  workers: Set<string>;
}

const CHANNEL = 'router_news';
/** PostgreSQL takes payloads below 8000 bytes. */
const PAYLOAD_BYTES = 7_000;

export const queueKey = (gpu_sku: string, job_type: string) => `${gpu_sku} ${job_type}`;

export function noNews(): News {
  return { queued: new Map(), workers: new Set() };
}

export function isNews({ queued, workers }: News): boolean {
  return queued.size > 0 || workers.size > 0;
}

/** One notification per commit, never one per job; delivered with the commit. */
export async function announce(tx: Queries, from: string, news: News): Promise<void> {
  if (!isNews(news)) return;
  const payload = JSON.stringify({ from, queued: [...news.queued], workers: [...news.workers] });
  await tx.notify(
    CHANNEL,
    payload.length < PAYLOAD_BYTES ? payload : JSON.stringify({ from, queued: [...news.queued], workers: null }),
  );
}

export interface NewsDesk {
  /** Names this process, so that it does not hear itself twice. */
  id: string;
  tell(news: News): void;
  /** Returns the cancellation. */
  onQueued(listener: (key: string, jobs: number) => void): () => void;
  /** `worker_id` null: any worker may be meant. */
  onWorker(listener: (worker_id: string | null) => void): () => void;
  close(): Promise<void>;
}

export async function openNewsDesk(db: Db, id: string): Promise<NewsDesk> {
  const events = new EventEmitter<{ queued: [string, number]; worker: [string | null] }>().setMaxListeners(0);
  const tell = ({ queued, workers }: { queued: Iterable<[string, number]>; workers: Iterable<string> | null }) => {
    for (const [key, jobs] of queued) events.emit('queued', key, jobs);
    if (workers === null) events.emit('worker', null);
    else for (const worker_id of workers) events.emit('worker', worker_id);
  };
  const stop = await db.listen(CHANNEL, (payload) => {
    const heard = JSON.parse(payload) as { from: string; queued: [string, number][]; workers: string[] | null };
    if (heard.from !== id) tell(heard);
  });
  return {
    id,
    tell,
    onQueued(listener) {
      events.on('queued', listener);
      return () => void events.off('queued', listener);
    },
    onWorker(listener) {
      events.on('worker', listener);
      return () => void events.off('worker', listener);
    },
    close: stop,
  };
}
