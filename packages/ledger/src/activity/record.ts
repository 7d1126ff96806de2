/**
 * How an act is recorded (docs/spec.md §27): in the transaction of the act itself, so that a crash leaves both or neither.
 *   lock the head of the organization's activity chain → seal on the receipt before → store → move the head, and its tree.
 * Lock order: the activity head is the last thing that a transaction locks. A story first changes what it changes, then records, and
 * takes no row afterwards that it does not hold already; acts of several organizations are recorded in the order of their ids. So no
 * two acts wait for each other in a ring, nor an act and a mint: a mint locks heads in `chains`, and no activity head.
 */
import { ACTIVITY_DETAILS, ACTIVITY_SCHEMA, type Act } from '@rcpt/contract/activity.ts';
import type { ActivityKind } from '@rcpt/contract/activity-kinds.ts';
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf } from '@rcpt/proof/log/peaks.ts';
import { seal } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { acts } from '../changes/transaction.ts';
import { decodeHashes, encodeHashes } from '../log/encoding.ts';
import { type ActivityHead, appendActivity, countCredentials, lockActivityHead } from '../store/activity.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { LEDGER_ACTS } from './actor.ts';

/**
 * The last statement of a story's transaction. What changes nothing is no act and is not recorded.
 * Throws `not_found` where there is no such organization.
 * @param at when the act was done, by the ledger's clock
 */
export async function recordActivity(tx: Queries, organization_id: string, act: Act, at: string): Promise<void> {
  let head = await lockActivityHead(tx, organization_id);
  if (head.org_seq === -1 && act.kind !== 'organization_created')
    head = await append(tx, head, await beginning(tx, organization_id), at);
  await append(tx, head, act, at);
  acts(tx, organization_id);
}

async function append(tx: Queries, from: ActivityHead, { by, kind, details }: Act, at: string): Promise<ActivityHead> {
  const { organization_id, receipt_sha256: parent_hash } = from;
  const org_seq = from.org_seq + 1;
  const { name } = await loadOrganization(tx, organization_id);
  const { receipt_sha256, canonical } = seal({
    schema: ACTIVITY_SCHEMA,
    receipt_id: activityIdOf(org_seq),
    org_seq,
    parent_hash,
    created_at: at,
    organization: { id: organization_id, name },
    // What is sealed is checked strictly: a member that slipped in would stay for ever.
    activity: { kind, by, details: ACTIVITY_DETAILS[kind satisfies ActivityKind].parse(details) },
    share_url: '',
  });
  const peaks = appendLeaf(decodeHashes(from.peaks), org_seq, leafHash(Buffer.from(canonical)));
  const head = { organization_id, org_seq, receipt_sha256, peaks: encodeHashes(peaks) };
  await appendActivity(tx, from, head, {
    organization_id,
    org_seq,
    parent_hash,
    receipt_sha256,
    kind,
    by_id: by.id,
    payload: canonical,
  });
  return head;
}

/** `ACT-000042`. */
export function activityIdOf(org_seq: number): string {
  return `ACT-${String(org_seq).padStart(6, '0')}`;
}

/** The organization was there before its activity chain: the first line says so, and what stands with the act that follows it. */
async function beginning(tx: Queries, organization_id: string): Promise<Act> {
  const { created_at, four_eyes } = await loadOrganization(tx, organization_id);
  const counted = await countCredentials(tx, organization_id);
  return {
    by: LEDGER_ACTS,
    kind: 'activity_begun',
    details: { organization_created_at: created_at, four_eyes, ...counted },
  };
}
