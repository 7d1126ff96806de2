/** Verification of one organization's activity chain (docs/spec.md §27): one snapshot, one pass. */
import type { ActivityReceipt } from '@rcpt/contract/activity.ts';
import { type ChainReport, ChainVerifier, MAX_VIOLATIONS } from '@rcpt/proof/chain.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import type { Progress } from '../chain/verify.ts';
import { type ActivityRow, activityRow, readActivityHead, SCAN_ACTIVITY } from '../store/activity.ts';
import { readStanding } from '../store/standing.ts';
import { activityIdOf } from './record.ts';
import { ToldByActivity } from './told.ts';

/** Lines between two words on how far the walk has come. */
const LINES = 1_000;

/**
 * Every line against its own bytes, its predecessor and the columns beside it; the end against the recorded head; and what the lines
 * tell of keys, members and settings against the tables. Throws `database_unavailable`.
 */
export function verifyActivity(
  db: Pick<Db, 'snapshot'>,
  organization_id: string,
  progress: Progress = () => {},
): Promise<ChainReport> {
  return db.snapshot(async (read) => {
    const head = await readActivityHead(read, organization_id);
    const verifier = new ChainVerifier(organization_id);
    const told = new ToldByActivity();
    const receipts = head === null ? 0 : head.org_seq + 1;
    let receipts_checked = 0;
    progress({ receipts_checked, receipts });
    for await (const batch of read.scan(SCAN_ACTIVITY, [organization_id]))
      for (const row of batch.map(activityRow)) {
        verifyLine(row, verifier, told);
        if (++receipts_checked % LINES === 0) progress({ receipts_checked, receipts });
      }
    // Of a chain that is not whole it is not known what it told.
    if (receipts_checked > 0 && verifier.isUnbroken && verifier.endsAt(head))
      for (const { org_seq, fault } of told
        .differences(await readStanding(read, organization_id))
        .slice(0, MAX_VIOLATIONS))
        verifier.blame({ org_seq, receipt_id: org_seq === null ? null : activityIdOf(org_seq) }, fault);
    return verifier.finish(head && { ...head, receipt_id: activityIdOf(head.org_seq) });
  });
}

function verifyLine(
  { payload, record, kind, by_id }: ActivityRow,
  verifier: ChainVerifier,
  told: ToldByActivity,
): void {
  verifier.push(payload, record);
  if (!verifier.isUnbroken || typeof payload !== 'string') return;
  const { org_seq, receipt_id, created_at, organization, activity } = JSON.parse(payload) as ActivityReceipt;
  const pin = { org_seq, receipt_id };
  for (const [name, expected, actual] of [
    ['kind', activity?.kind, kind],
    ['by', activity?.by?.id, by_id],
  ] as const)
    if (expected !== actual) {
      const detail = `stored beside the line, but not as sealed: ${name}`;
      verifier.blame(pin, { expected: expected ?? null, actual, detail });
      return;
    }
  told.line(activity, { org_seq, created_at, name: organization.name });
}
