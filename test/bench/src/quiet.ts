/** Nothing else may be going on while a yardstick is read. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '@rcpt/service/db/db.ts';
import type { LedgerProcess } from './ledger-process.ts';

const LOOK_MS = 200;
const QUIET_SHARE = 0.1;
const PATIENCE_MS = 15_000;

/** Drops the copies that are still to be made, and waits until the ledger rests. */
export async function quiet(ledger: LedgerProcess, db: Db): Promise<void> {
  await db.run('delete from outbox');
  for (const began = performance.now(); performance.now() - began < PATIENCE_MS; ) {
    const before = ledger.cpu().all_us;
    await sleep(LOOK_MS);
    if (ledger.cpu().all_us - before < LOOK_MS * 1000 * QUIET_SHARE) return;
  }
}
