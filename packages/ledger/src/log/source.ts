/** What a log is made of: the entries of a chain, and the peaks that were kept as it grew. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { listActivity, readActivityTreeEnd } from '../store/activity.ts';
import { payloadsAfter, readTreeEnd, takeInPeaks } from '../store/chains.ts';
import type { LogName } from '../store/logs.ts';

export interface LogSource {
  readonly log: LogName;
  /** As of now; `peaks` null: the chain is older than its tree. */
  end(db: Queries, organization_id: string): Promise<{ size: number; peaks: string | null }>;
  /** From this position on, as stored, in order: at most `limit`, fewer when they are large, none only at the end. */
  entries(db: Queries, organization_id: string, from: number, limit: number): Promise<string[]>;
  /** Where the chain still ends there and has no peaks yet. */
  takeIn(tx: Queries, organization_id: string, size: number, peaks: string): Promise<void>;
}

export const RECEIPTS: LogSource = {
  log: 'receipts',
  end: readTreeEnd,
  entries: async (db, organization_id, from, limit) =>
    inOrder(await payloadsAfter(db, organization_id, from - 1, limit), from),
  takeIn: takeInPeaks,
};

export const ACTIVITY: LogSource = {
  log: 'activity',
  end: readActivityTreeEnd,
  entries: async (db, organization_id, from, limit) =>
    inOrder((await listActivity(db, organization_id, { order: 'oldest', after_seq: from - 1, limit })).rows, from),
  // None is older than its tree.
  takeIn: async () => {},
};

/** What comes after a missing one is not an entry at its place. */
export function inOrder(rows: { org_seq: number; payload: string }[], from: number): string[] {
  const gap = rows.findIndex(({ org_seq }, i) => org_seq !== from + i);
  return (gap === -1 ? rows : rows.slice(0, gap)).map(({ payload }) => payload);
}
