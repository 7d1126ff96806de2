/** What happened to a job, in order. */
import type { Queries } from '@rcpt/service/db/db.ts';
import type { EventDraft } from '../domain/job.ts';
import { pageOf } from './page-of-job.ts';

const EVENT_COLUMNS = {
  job_id: 'text',
  id: 'text',
  event_type: 'text',
  message: 'text',
  payload: 'text',
  worker_id: 'text',
  created_at: 'text',
} as const;

export interface StoredEvent extends EventDraft {
  job_id: string;
  id: string;
  created_at: string;
}

export async function insertEvents(tx: Queries, events: StoredEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.insert(
    'job_events',
    EVENT_COLUMNS,
    events.map((e) => [e.job_id, e.id, e.event_type, e.message, JSON.stringify(e.payload), e.worker_id, e.created_at]),
  );
}

export async function listEvents(db: Queries, job_id: string, after: string, limit: number): Promise<StoredEvent[]> {
  const size = 'octet_length(message) + octet_length(payload)';
  const { rows } = await pageOf<Omit<StoredEvent, 'payload'> & { payload: string }>(
    db,
    'job_events',
    size,
    job_id,
    after,
    limit,
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as StoredEvent['payload'] }));
}
