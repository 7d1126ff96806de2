/**
 * Where checks and flight sheets are decided, large bodies are read, and what is approved of large Runs is fixed: in threads, in turns of
 * the organizations.
 */
import type { Logger } from '@rcpt/service/process/log.ts';
import type { DecidingJobs } from '../threads/deciding.ts';
import { createPool, type Pool } from '../threads/pool.ts';

export type Deciders = Pool<DecidingJobs>;

/** @param timeout_ms many times what the dearest job takes: work is bounded by its count, and time ends only a fault */
export function openDeciders(logger: Pick<Logger, 'error'>, timeout_ms = 20_000): Deciders {
  return createPool<DecidingJobs>(new URL('../threads/deciding.ts', import.meta.url), {
    threads: 2,
    each: 1,
    waiting_each: 64,
    waiting: 512,
    what: 'checks, flight sheets and large requests of this organization',
    timeout_ms,
    onFault: (error) => logger.error({ err: error }, 'a thread that decides was ended'),
  });
}
