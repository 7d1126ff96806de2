/** What a pack takes of the receipts, page by page and as it is stored. */
import type { ApprovalFile } from '@rcpt/proof/approval/approval.ts';
import { receiptIdOf } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';
import { findSignatures } from './passkeys.ts';

export interface PackRow {
  org_seq: number;
  /** By the record; made of digits and letters whatever the record holds. */
  receipt_id: string;
  /** Of the record, as is the token. */
  receipt_sha256: string;
  share_token: string;
  /** As stored; an altered database may hold what is no text. */
  payload: string | Uint8Array;
  share: { enabled: boolean; changed_at: string | null };
  /** What a passkey signed; null where none did. */
  approval: ApprovalFile | null;
  /** Something beside it was disclosed or erased. */
  is_decided: boolean;
}

/** In sequence order, from the first position up to, not including, the second; fewer than `limit` when they are large, none only at the end. */
export async function packRows(
  db: Queries,
  organization_id: string,
  { from, before, limit }: { from: number; before: number; limit: number },
): Promise<PackRow[]> {
  const sizes = await db.all<{ org_seq: number; byte_size: number }>(
    `select org_seq, octet_length(payload) as byte_size from receipts
     where organization_id = $1 and org_seq >= $2 and org_seq < $3 order by org_seq limit $4`,
    [organization_id, from, before, limit],
  );
  const last = fitting(sizes).at(-1);
  if (last === undefined) return [];
  const span = [organization_id, from, last.org_seq];
  const rows = await db.all<Omit<PackRow, 'share' | 'receipt_id' | 'approval' | 'is_decided'> & { run_id: string }>(
    `select org_seq, run_id, receipt_sha256, share_token, payload from receipts
     where organization_id = $1 and org_seq >= $2 and org_seq <= $3 order by org_seq`,
    span,
  );
  const shares = await db.all<{ org_seq: number; enabled: number; changed_at: string | null }>(
    'select org_seq, enabled, changed_at from shares where organization_id = $1 and org_seq >= $2 and org_seq <= $3',
    span,
  );
  const decided = await db.all<{ org_seq: number }>(
    `select distinct org_seq from disclosures where organization_id = $1 and org_seq >= $2 and org_seq <= $3
       and (disclosed = 1 or erased_at is not null)`,
    span,
  );
  const approvals = await findSignatures(
    db,
    organization_id,
    rows.map(({ run_id }) => String(run_id)),
  );
  const is_decided = new Set(decided.map(({ org_seq }) => org_seq));
  const switched = new Map(shares.map((share) => [share.org_seq, share]));
  return rows.map(({ run_id, ...row }) => {
    const share = switched.get(row.org_seq);
    return {
      ...row,
      receipt_id: receiptIdOf(row.org_seq, String(run_id)),
      share: { enabled: share?.enabled !== 0, changed_at: share?.changed_at ?? null },
      approval: approvals.get(String(run_id)) ?? null,
      is_decided: is_decided.has(row.org_seq),
    };
  });
}
