/** A thread's side of a pool (pool.ts): one job at a time, named by its function. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { Refusal } from '@rcpt/service/error.ts';

/**
 * The functions of a thread by name: each takes one value and returns one, both of which can be cloned. What takes long tells
 * how far it is.
 */
export type JobTable = Record<string, (input: never, tell: (progress: unknown) => void) => unknown>;

export interface Job {
  what: string;
  input: unknown;
}

/** Told any number of times before the answer. */
export interface Told {
  progress: unknown;
}

/** An unknown error travels as its stack only. */
export type Answer =
  | 'ready'
  | { output: unknown }
  | { refusal: Pick<Refusal, 'code' | 'detail' | 'members' | 'cause'> }
  | { error: string };

/** Of 19; the event loop has 0, so that a small request goes before what is drawn and decided here. */
const NICENESS = 5;

/** @param niceness more gives way to other threads, too */
export function serve(table: JobTable, niceness = NICENESS): void {
  giveWay(niceness);
  const tell = (progress: unknown) => parentPort!.postMessage({ progress } satisfies Told);
  parentPort!.on('message', async ({ what, input }: Job) => {
    const answer = await (async () => table[what]!(input as never, tell))().then(
      (output): Answer => ({ output }),
      (error: unknown): Answer =>
        error instanceof Refusal
          ? { refusal: { code: error.code, detail: error.detail, members: error.members, cause: causeOf(error) } }
          : { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    );
    parentPort!.postMessage(answer);
  });
  parentPort!.postMessage('ready' satisfies Answer);
}

/** For the log. Errors can be cloned, other values perhaps not. */
function causeOf({ cause }: Refusal): Error | undefined {
  return cause instanceof Error ? cause : undefined;
}

/** Linux gives each thread a priority of its own, by its number; elsewhere all have the same. */
function giveWay(niceness: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
  } catch {
    return;
  }
}
