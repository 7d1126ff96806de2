/**
 * Threads for what a tenant can make dear. The event loop only asks and waits; organizations have their turns; a thread that
 * does not come back is ended, and with it the one job it had.
 */
import { Worker } from 'node:worker_threads';
import { Refusal } from '@rcpt/service/error.ts';
import { callerGone, createTurns, type TurnLimits } from '../turns/turns.ts';
import type { Answer, Job, JobTable, Told } from './serve.ts';

export interface PoolSettings extends Omit<TurnLimits, 'at_once'> {
  /** Threads at most. While there are fewer, one without a job is kept ready; with `idle_ms` each is started by the job that needs it. */
  threads: number;
  /** A thread with nothing to do for so long is ended, in milliseconds; without it each is kept. */
  idle_ms?: number;
  /** What one job may take, in milliseconds, and anew from each progress it tells; loading the thread's code not included. */
  timeout_ms: number;
  /** Hears of threads that failed or were ended. */
  onFault(error: Error): void;
}

export interface Caller<Progress = unknown> {
  /** Ends the job, and its thread when the job is running: `request_timeout`. */
  signal?: AbortSignal | undefined;
  progress?: ((told: Progress) => void) | undefined;
}

/** What a job tells before its answer. */
type ProgressOf<Job> = Job extends (input: never, tell: (progress: infer Progress) => void) => unknown
  ? Progress
  : never;

export interface Pool<Table extends JobTable> {
  /**
   * Throws what the job throws as a Refusal, and what taking a turn throws. A thread that fails or takes too long is a fault:
   * `overloaded`, of which nothing is kept. An unknown error of the job is thrown as an Error.
   * @param input a function loads a large input when its turn has come: a job that waits holds no memory
   */
  run<What extends keyof Table & string>(
    what: What,
    organization_id: string,
    input: Parameters<Table[What]>[0] | (() => Promise<Parameters<Table[What]>[0]>),
    caller?: Caller<ProgressOf<Table[What]>>,
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
  /** Threads that have a job. */
  let busy = 0;
  let closed = false;

  /** One may have failed while it had nothing to do. */
  function takeIdle(): Thread | undefined {
    const thread = idle.pop();
    return thread === undefined || thread.isAlive ? thread : takeIdle();
  }

  async function work(what: string, organization_id: string, input: unknown, caller: Caller): Promise<unknown> {
    const giveBack = await turns.take(organization_id, caller.signal);
    try {
      return await inThread({ what, input: typeof input === 'function' ? await input() : input }, caller);
    } finally {
      giveBack();
    }
  }

  /** Loading a thread's code takes half a second: no organization waits for that because another one is at work. */
  function keepOneReady(): void {
    if (settings.idle_ms === undefined && idle.length === 0 && busy < settings.threads) idle.push(new Thread(module));
  }

  async function inThread(job: Job, caller: Caller): Promise<unknown> {
    const thread = takeIdle() ?? new Thread(module);
    busy += 1;
    keepOneReady();
    try {
      return await thread.run(job, settings.timeout_ms, caller);
    } catch (error) {
      if (!(error instanceof ThreadFault)) throw error;
      settings.onFault(error);
      throw new GivenUp(error);
    } finally {
      busy -= 1;
      // The next in turn waits until its memory and its connections are free.
      if (!thread.isAlive) await thread.end();
      else idle.push(thread.rest(settings.idle_ms));
    }
  }

  return {
    run(what, organization_id, input, caller = {}) {
      if (closed) return Promise.reject(new Refusal('overloaded', 'The service is stopping. Try again shortly.'));
      const job = work(what, organization_id, input, caller as Caller);
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
  #heard: ((progress: unknown) => void) | null = null;
  #resting: NodeJS.Timeout | undefined;

  constructor(module: URL) {
    // What is worked on comes from outside: what runs away ends its thread, not the service.
    this.#worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 48 },
      execArgv: [],
    });
    this.#worker.on('message', (said: Answer | Told) => {
      if (typeof said === 'object' && 'progress' in said) this.#heard?.(said.progress);
      else this.#settle?.resolve(said);
    });
    this.#worker.on('error', (error) => this.#fail(new ThreadFault(`a thread failed: ${error.message}`)));
    this.#worker.on('exit', (code) => this.#fail(new ThreadFault(`a thread ended with ${code}`)));
    this.#ready = this.#next().then(() => undefined);
    this.#ready.catch(() => undefined);
    // A thread with nothing to do must not keep the process alive.
    this.#worker.unref();
  }

  /** Throws `ThreadFault`, and `request_timeout` when the signal aborts while the job runs; the thread is then gone. */
  async run(job: Job, timeout_ms: number, caller: Caller): Promise<unknown> {
    clearTimeout(this.#resting);
    this.#worker.ref();
    try {
      await this.#ready;
      const answer = await this.#within(timeout_ms, job, caller);
      if (answer === 'ready') throw new ThreadFault('a thread answered out of turn');
      if ('output' in answer) return answer.output;
      if ('refusal' in answer) {
        const { code, detail, members, cause } = answer.refusal;
        throw Object.assign(new Refusal(code, detail, members), { cause });
      }
      throw new Error(answer.error);
    } finally {
      this.#worker.unref();
    }
  }

  /** Ends with nothing to do for so long; undefined: never. */
  rest(idle_ms: number | undefined): this {
    if (idle_ms !== undefined) this.#resting = setTimeout(() => this.end(), idle_ms).unref();
    return this;
  }

  async end(): Promise<void> {
    this.isAlive = false;
    await this.#worker.terminate();
  }

  async #within(timeout_ms: number, job: Job, { signal, progress }: Caller): Promise<Answer> {
    if (signal?.aborted) throw callerGone();
    const late = () => this.#fail(new ThreadFault(`a job (${job.what}) took longer than ${timeout_ms} ms`));
    const timer = setTimeout(late, timeout_ms);
    this.#heard = (told) => {
      timer.refresh();
      progress?.(told);
    };
    const gone = () => this.#fail(callerGone());
    signal?.addEventListener('abort', gone);
    try {
      const answer = this.#next();
      this.#worker.postMessage(job);
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#heard = null;
      signal?.removeEventListener('abort', gone);
    }
  }

  #next(): Promise<Answer> {
    if (!this.isAlive) return Promise.reject(new ThreadFault('a thread has ended'));
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #fail(reason: Error): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#settle?.reject(reason);
    void this.#worker.terminate();
  }
}
