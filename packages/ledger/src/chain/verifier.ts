/** Where chains are verified: in threads, beside the event loop, in turns of the organizations. */
import type { ChainReport } from '@rcpt/proof/chain.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import { createPool } from '../threads/pool.ts';
import type { VerifyingJobs } from '../threads/verifying.ts';
import type { Progress } from './verify.ts';

export interface Verifier {
  /**
   * As `verifyChain`. Throws `rate_limited`, `overloaded`, `database_unavailable`, and `request_timeout` when `signal` aborts
   * before the end: the thread is then ended, and with it its snapshot.
   */
  verify(organization_id: string, signal: AbortSignal, progress?: Progress): Promise<ChainReport>;
  /** The same, as `verifyActivity`. */
  verifyActivity: Verifier['verify'];
  close(): Promise<void>;
}

/** @param timeout_ms without any progress; longer than the database may take to answer one statement */
export function openVerifier(database_url: string, logger: Pick<Logger, 'error'>, timeout_ms = 90_000): Verifier {
  const pool = createPool<VerifyingJobs>(new URL('../threads/verifying.ts', import.meta.url), {
    threads: 2,
    idle_ms: 60_000,
    each: 1,
    waiting_each: 11,
    waiting: 32,
    what: 'verifications of this organization',
    timeout_ms,
    onFault: (error) => logger.error({ err: error }, 'a thread that verifies was ended'),
  });
  const walking =
    (job: keyof VerifyingJobs): Verifier['verify'] =>
    (organization_id, signal, progress) =>
      pool.run(job, organization_id, { database_url, organization_id }, { signal, progress });
  return {
    verify: walking('walk'),
    verifyActivity: walking('walkActivity'),
    close: () => pool.close(),
  };
}
