/**
 * Job queues of others on the same PostgreSQL, used as their manuals say, one job at a time and in this process: no HTTP, no
 * validation, no receipts.
 */
import { EventEmitter } from 'node:events';
import { type JobHelpers, Logger, makeWorkerUtils, type Runner, run, type WorkerEvents } from 'graphile-worker';
import { Client, Pool } from 'pg';
import { PgBoss } from 'pg-boss';

export interface Peer {
  name: string;
  /** Jobs per second put into the queue, `loops` at a time. */
  enqueue(jobs: number, loops: number): Promise<number>;
  /** Jobs per second taken from the queue and completed, one by one. */
  work(jobs: number, loops: number): Promise<number>;
  close(): Promise<void>;
}

const QUEUE = 'bench';
const PAYLOAD = { prompt: 'What was measured?', temperature: 0.2 };

/** A database beside ours, on the same server. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new Client(url);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

export async function openPgBoss(url: string, connections: number): Promise<Peer> {
  const boss = new PgBoss({ connectionString: url, max: connections });
  boss.on('error', () => undefined);
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    name: 'pg-boss',
    enqueue: (jobs, loops) => rateOf(jobs, loops, () => boss.send(QUEUE, PAYLOAD)),
    work: (jobs, loops) =>
      rateOf(jobs, loops, async () => {
        const [job] = await boss.fetch(QUEUE);
        if (job === undefined) throw new Error('pg-boss has no more jobs');
        await boss.complete(QUEUE, job.id);
      }),
    close: () => boss.stop({ graceful: false }),
  };
}

const silent = new Logger(() => () => undefined);

export interface GraphileWorker extends Peer {
  /** Milliseconds from `addJob` to the start of the task, in a runner that is idle; one job at a time. */
  startLatencies(jobs: number, workers: number): Promise<number[]>;
}

/** A runner polls for a while when it finds nothing; only LISTEN is to wake it here. */
const POLL_MS = 60_000;

export async function openGraphileWorker(url: string, connections: number, workers: number): Promise<GraphileWorker> {
  const pgPool = new Pool({ connectionString: url, max: connections });
  pgPool.on('error', () => undefined);
  pgPool.on('connect', (client) => client.on('error', () => undefined));
  const utils = await makeWorkerUtils({ pgPool, logger: silent });
  await utils.migrate();
  const runner = (task: (helpers: JobHelpers) => void, events: WorkerEvents, concurrency: number): Promise<Runner> =>
    run({
      pgPool,
      logger: silent,
      concurrency,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      events,
      taskList: { [QUEUE]: async (_, helpers) => task(helpers) },
    });
  return {
    name: 'graphile-worker',
    enqueue: (jobs, loops) => rateOf(jobs, loops, () => utils.addJob(QUEUE, PAYLOAD)),
    async work(jobs) {
      const events = new EventEmitter() as WorkerEvents;
      let began = 0;
      let done = 0;
      const all = new Promise<number>((resolve) => {
        events.once('job:start', () => {
          began = performance.now();
        });
        events.on('job:complete', () => {
          if (++done === jobs) resolve(performance.now());
        });
      });
      const running = await runner(() => {}, events, workers);
      const ended = await all;
      await running.stop();
      return (jobs / (ended - began)) * 1000;
    },
    async startLatencies(jobs, idle) {
      let started: (at: number) => void = () => {};
      const completed = new EventEmitter() as WorkerEvents;
      const running = await runner(() => started(performance.now()), completed, idle);
      const latencies: number[] = [];
      for (let i = 0; i < jobs; i++) {
        const start = new Promise<number>((resolve) => {
          started = resolve;
        });
        const complete = new Promise((resolve) => completed.once('job:complete', resolve));
        const began = performance.now();
        await utils.addJob(QUEUE, PAYLOAD);
        latencies.push((await start) - began);
        await complete;
      }
      await running.stop();
      return latencies;
    },
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}

/** Per second, `loops` at a time. */
export async function rateOf(count: number, loops: number, act: (loop: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      while (next < count) {
        next++;
        await act(loop);
      }
    }),
  );
  return (count / (performance.now() - began)) * 1000;
}
