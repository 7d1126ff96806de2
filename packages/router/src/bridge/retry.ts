/** A person sends a job to the ledger again. */
import { refuse } from '../problems.ts';
import type { Router } from '../router.ts';
import { sendAgain } from '../store/bridge.ts';
import { eventOf } from './event.ts';

/** Throws `nothing_to_deliver`. */
export async function retryDelivery({ db, now }: Pick<Router, 'db' | 'now'>, job_id: string): Promise<void> {
  const event = eventOf(job_id, 'ledger_retried', 'It is sent to the ledger again.', now());
  if (!(await sendAgain(db, event)))
    throw refuse('nothing_to_deliver', `The job ${job_id} opens no Run in a ledger, so there is nothing to send.`);
}
