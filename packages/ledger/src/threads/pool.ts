/**
 * Threads for what a tenant can make dear. The event loop only asks and waits; organizations have their turns; a thread that
 * does not come back is ended, and with it the one job it had.
 */
import { Worker } from 'node:worker_threads';
import { Refusal } from '@rcpt/service/error.ts';
import { createTurns, type TurnLimits } from '../turns.ts';
import type { Answer, Job, JobTable } from './serve.ts';

export interface PoolSettings extends Omit<TurnLimits, 'at_once'> {
  /** Threads at most. Each is started with the first job that finds the others busy, and kept. */
  threads: number;
  /** What one job may take, in milliseconds; loading the thread's code not included. */
  patience_ms: number;
  /** Hears of threads that failed or were ended. */
  onFault(error: Error): void;
}

export interface Pool<Table extends JobTable> {
  /**
   * Throws what the job throws as a Refusal, and what taking a turn throws. A thread that fails or takes too long is a fault:
   * `overloaded`, of which nothing is kept. An unknown error of the job is thrown as an Error.
   * @param input what is large is loaded when its turn has come, by a function: those who wait hold nothing
   */
  run<What extends keyof Table & string>(
    what: What,
    organization_id: string,
    input: Parameters<Table[What]>[0] | (() => Promise<Parameters<Table[What]>[0]>),
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<Table[What]>>>;
  /** Starts a thread before it is needed; never fails. */
  warm(): void;
  /** Finishes the jobs that run or wait, takes no more, ends the threads. */
  close(): Promise<void>;
}

/** @param module what runs in the threads; it calls `serve` with its table */
export function createPool<Table extends JobTable>(module: URL, settings: PoolSettings): Pool<Table> {
  const turns = createTurns({ ...settings, at_once: settings.threads });
  const idle: Thread[] = [];
  const running = new Set<Promise<unknown>>();
  let closed = false;

  /** One may have failed while it had nothing to do. */
  function takeIdle(): Thread | undefined {
    const thread = idle.pop();
    return thread === undefined || thread.isAlive ? thread : takeIdle();
  }

  async function work(what: string, organization_id: string, input: unknown, signal?: AbortSignal): Promise<unknown> {
    const giveBack = await turns.take(organization_id, signal);
    try {
      return await inThread({ what, input: typeof input === 'function' ? await input() : input });
    } finally {
      giveBack();
    }
  }

  async function inThread(job: Job): Promise<unknown> {
    const thread = takeIdle() ?? new Thread(module);
    try {
      return await thread.run(job, settings.patience_ms);
    } catch (error) {
      if (!(error instanceof ThreadFault)) throw error;
      settings.onFault(error);
      throw new GivenUp(error);
    } finally {
      if (thread.isAlive) idle.push(thread);
    }
  }

  return {
    run(what, organization_id, input, signal) {
      if (closed) return Promise.reject(new Refusal('overloaded', 'The service is stopping. Try again shortly.'));
      const job = work(what, organization_id, input, signal);
      const ended = job.catch(() => undefined).finally(() => running.delete(ended));
      running.add(ended);
      return job as never;
    },
    warm() {
      if (idle.length === 0 && running.size === 0) idle.push(new Thread(module));
    },
    async close() {
      closed = true;
      await Promise.all(running);
      await Promise.all(idle.splice(0).map((thread) => thread.end()));
    },
  };
}

/** A thread failed or took too long; its job is lost with it. */
class ThreadFault extends Error {}

/** What the caller of such a job is told. */
export class GivenUp extends Refusal<'overloaded'> {
  constructor(cause: ThreadFault) {
    super('overloaded', 'This took longer than it may. Nothing was done; try again shortly.');
    this.cause = cause;
  }
}

class Thread {
  isAlive = true;
  readonly #worker: Worker;
  readonly #ready: Promise<void>;
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | null = null;

  constructor(module: URL) {
    // What is worked on comes from outside: what runs away ends its thread, not the service.
    this.#worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 48 },
      execArgv: [],
    });
    this.#worker.on('message', (answer: Answer) => this.#settle?.resolve(answer));
    this.#worker.on('error', (error) => this.#fail(`a thread failed: ${error.message}`));
    this.#worker.on('exit', (code) => this.#fail(`a thread ended with ${code}`));
    this.#ready = this.#next().then(() => undefined);
    this.#ready.catch(() => undefined);
    // A thread with nothing to do must not keep the process alive.
    this.#worker.unref();
  }

  /** Throws `ThreadFault`; the thread is then gone. */
  async run(job: Job, patience_ms: number): Promise<unknown> {
    this.#worker.ref();
    try {
      await this.#ready;
      const answer = await this.#within(patience_ms, job);
      if (answer === 'ready') throw new ThreadFault('a thread answered out of turn');
      if ('output' in answer) return answer.output;
      if ('refusal' in answer) {
        const { code, detail, members } = answer.refusal;
        throw new Refusal(code, detail, members);
      }
      throw new Error(answer.error);
    } finally {
      this.#worker.unref();
    }
  }

  async end(): Promise<void> {
    this.isAlive = false;
    await this.#worker.terminate();
  }

  async #within(patience_ms: number, job: Job): Promise<Answer> {
    const timer = setTimeout(() => this.#fail(`a job (${job.what}) took longer than ${patience_ms} ms`), patience_ms);
    try {
      const answer = this.#next();
      this.#worker.postMessage(job);
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  #next(): Promise<Answer> {
    if (!this.isAlive) return Promise.reject(new ThreadFault('a thread has ended'));
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #fail(reason: string): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#settle?.reject(new ThreadFault(reason));
    void this.#worker.terminate();
  }
}
