/** The ledger has opened a Run for a job: stored for the bridge and as an event of the job, in one transaction. */
import type { Db } from '@rcpt/service/db/db.ts';
import { insertEvents, type StoredEvent } from './job-events.ts';

export async function keepOpenedRun(db: Db, run_id: string, event: StoredEvent): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(`update bridge_outbox set run_id = $2, stage = 'opened' where job_id = $1`, [event.job_id, run_id]);
    await insertEvents(tx, [event]);
  });
}
