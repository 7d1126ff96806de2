/** An event of a job about its delivery to the ledger. */
import { newId } from '@rcpt/service/ids.ts';
import { instant } from '../domain/time.ts';
import type { StoredEvent } from '../store/job-events.ts';

export function eventOf(job_id: string, event_type: string, message: string, now: number): StoredEvent {
  return { id: newId('event'), job_id, event_type, message, payload: {}, worker_id: null, created_at: instant(now) };
}
