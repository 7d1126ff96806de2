/** The workers as this process knows them: enough to say why a job waits, without reading them all for every job. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { listWorkerSummaries, type WorkerSummary } from '../store/workers.ts';

/** Heartbeats that other processes received are known here after so long at most. */
const KEPT_MS = 1_000;

/** By id; it changes with every heartbeat. */
type Known = ReadonlyMap<string, WorkerSummary>;

export interface Fleet {
  workers(): Promise<Known>;
  /** A worker sent a heartbeat to this process. */
  update(id: string, said: Partial<WorkerSummary>): void;
  /** A worker registered, or was given an order. */
  changed(): void;
}

export function createFleet(db: Queries): Fleet {
  let known: Promise<Map<string, WorkerSummary>> | null = null;
  let until = 0;

  function read(): Promise<Map<string, WorkerSummary>> {
    until = performance.now() + KEPT_MS;
    const reading = listWorkerSummaries(db).then((workers) => new Map(workers.map((worker) => [worker.id, worker])));
    reading.catch(() => {
      if (known === reading) known = null;
    });
    return reading;
  }

  return {
    async workers() {
      if (known === null || performance.now() >= until) known = read();
      return known;
    },
    update(id, said) {
      known?.then(
        (workers) => {
          const worker = workers.get(id);
          if (worker !== undefined) workers.set(id, { ...worker, ...said });
        },
        () => undefined,
      );
    },
    changed() {
      known = null;
    },
  };
}
