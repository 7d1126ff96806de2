/**
 * PDFs and cards are drawn in one thread of their own: it starts with the first job, is started anew after a crash, and never holds
 * the event loop or the process.
 */
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { Refusal } from '@rcpt/service/error.ts';
import type { Answer, Form, Job } from './printer-worker.ts';
import type { Rendered } from './reading.ts';

/** What a new thread may take to load its code and faces, on top of its first job. */
const START_MS = 20_000;

export interface Printer {
  /** Throws `overloaded` when the queue is full, and after `close`; a plain error when a receipt cannot be drawn in time. */
  pdf(input: Rendered): Promise<Buffer>;
  /** A PNG, 1200 × 630. Throws what `pdf` throws. */
  card(input: Rendered): Promise<Buffer>;
  /** Takes no more jobs, finishes those it took, ends the thread. */
  close(): Promise<void>;
}

export interface PrinterOptions {
  queue_length?: number;
  job_timeout_ms?: number;
  remembered_bytes?: number;
}

interface Waiting {
  key: string;
  as: Form;
  input: Rendered;
  resolve(file: Buffer): void;
  reject(error: Error): void;
}

export function createPrinter(options: PrinterOptions = {}): Printer {
  const { queue_length = 64, job_timeout_ms = 10_000, remembered_bytes = 16 * 1024 * 1024 } = options;
  const finished = createMemory(remembered_bytes);
  const drawing = new Map<string, Promise<Buffer>>();
  const queue: Waiting[] = [];
  let worker: Worker | null = null;
  let current: { id: number; job: Waiting; timer: NodeJS.Timeout } | null = null;
  let last_id = 0;
  let closed = false;
  let idle: (() => void) | null = null;

  const next = () => {
    if (current) return;
    const job = queue.shift();
    if (!job) {
      // Nothing to wait for: the thread alone must not keep the process alive.
      worker?.unref();
      idle?.();
      return;
    }
    const patience = job_timeout_ms + (worker ? 0 : START_MS);
    worker ??= start();
    worker.ref();
    last_id += 1;
    const timer = setTimeout(() => giveUp(`a receipt took longer than ${patience} ms to draw`), patience);
    current = { id: last_id, job, timer };
    try {
      worker.postMessage({ id: last_id, as: job.as, input: job.input } satisfies Job);
    } catch (error) {
      settle(() => job.reject(error as Error));
    }
  };

  const settle = (how: (job: Waiting) => void) => {
    if (!current) return;
    const { job, timer } = current;
    clearTimeout(timer);
    current = null;
    how(job);
    next();
  };

  /** A thread that crashed or hangs is thrown away with the job it had; the next job starts another. */
  const giveUp = (reason: string) => {
    const lost = worker;
    worker = null;
    lost?.removeAllListeners();
    lost?.on('error', () => {});
    void lost?.terminate();
    settle((job) => job.reject(new Error(reason)));
  };

  const start = (): Worker => {
    // Receipts come from outside: a runaway layout ends its thread, not the service.
    const fresh = new Worker(new URL('./printer-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 48 },
      execArgv: [],
    });
    fresh.on('message', (answer: Answer) => {
      if (answer.id !== current?.id) return;
      settle((job) => {
        if ('error' in answer) return job.reject(new Error(answer.error));
        const file = Buffer.from(answer.file.buffer, answer.file.byteOffset, answer.file.byteLength);
        finished.put(job.key, file);
        job.resolve(file);
      });
    });
    fresh.on('error', (error) => giveUp(`the printing thread failed: ${error.message}`));
    fresh.on('exit', (code) => giveUp(`the printing thread ended with ${code}`));
    return fresh;
  };

  const draw = (key: string, as: Form, input: Rendered): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      queue.push({ key, as, input, resolve, reject });
      next();
    });

  const render = async (as: Form, input: Rendered): Promise<Buffer> => {
    const key = keyOf(as, input);
    const known = finished.get(key) ?? drawing.get(key);
    if (known) return known;
    if (closed || queue.length >= queue_length)
      throw new Refusal('overloaded', 'More is being asked for than can be drawn just now. Try again shortly.');
    const drawn = draw(key, as, input).finally(() => drawing.delete(key));
    drawing.set(key, drawn);
    return drawn;
  };

  return {
    pdf: (input) => render('pdf', input),
    card: (input) => render('card', input),
    async close() {
      closed = true;
      if (current || queue.length > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
      const ending = worker;
      worker = null;
      ending?.removeAllListeners();
      await ending?.terminate();
    },
  };
}

/**
 * The stored hash alone is not enough: altered bytes keep it. The bytes themselves are hashed, with all else that is drawn.
 */
function keyOf(as: Form, { bytes, verified, share_url }: Rendered): string {
  return createHash('sha256').update(`${as} ${verified} ${share_url}\n`).update(bytes).digest('base64');
}

/** The files asked for most recently, up to a number of bytes. */
function createMemory(limit: number) {
  const entries = new Map<string, Buffer>();
  let held = 0;
  return {
    get(key: string): Buffer | undefined {
      const found = entries.get(key);
      if (found) {
        entries.delete(key);
        entries.set(key, found);
      }
      return found;
    },
    put(key: string, file: Buffer): void {
      if (file.byteLength > limit / 4) return;
      entries.set(key, file);
      held += file.byteLength;
      for (const [oldest, old] of entries) {
        if (held <= limit) break;
        entries.delete(oldest);
        held -= old.byteLength;
      }
    },
  };
}
