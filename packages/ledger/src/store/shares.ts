/** Public links: the receipt behind a link, and whether the link is switched on. */
import { receiptIdOf } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { seqOfReceiptId } from './chains.ts';

export interface ShareState {
  org_seq: number;
  share_token: string;
  enabled: boolean;
  changed_at: string | null;
  changed_by: string | null;
}

/** A receipt of more bytes is loaded by itself. */
const SMALL_BYTES = 32_768;

export interface Shared {
  organization_id: string;
  org_seq: number;
  enabled: boolean;
  /** Null where it is large: `loadSharedPayload`. */
  payload: string | null;
}

/** The receipt behind a public link, and whether the link is switched on; null for a token that was never handed out. */
export async function findShared(db: Queries, share_token: string): Promise<Shared | null> {
  const row = await db.get<Omit<Shared, 'enabled'> & { enabled: number | null }>(
    `select r.organization_id, r.org_seq, s.enabled,
       case when octet_length(r.payload) <= $2 then r.payload end as payload from receipts r
     left join shares s on s.organization_id = r.organization_id and s.org_seq = r.org_seq
     where r.share_token = $1`,
    [share_token, SMALL_BYTES],
  );
  return row === undefined ? null : { ...row, enabled: row.enabled !== 0 };
}

/** Throws `not_found` where the row is there no more. */
export async function loadSharedPayload(db: Queries, { organization_id, org_seq }: Shared): Promise<string> {
  const row = await db.get<{ payload: string }>(
    'select payload from receipts where organization_id = $1 and org_seq = $2',
    [organization_id, org_seq],
  );
  if (row === undefined) throw new Refusal('not_found', 'No receipt is shared under this link.');
  return row.payload;
}

/** Throws `not_found`. By the record, not by the payload: the link of an altered receipt can be switched off, too. */
export async function loadShare(db: Queries, organization_id: string, receipt_id: string): Promise<ShareState> {
  const row = await db.get<Omit<ShareState, 'enabled'> & { run_id: string; enabled: number | null }>(
    `select r.org_seq, r.run_id, r.share_token, s.enabled, s.changed_at, s.changed_by from receipts r
     left join shares s on s.organization_id = r.organization_id and s.org_seq = r.org_seq
     where r.organization_id = $1 and r.org_seq = $2`,
    [organization_id, seqOfReceiptId(receipt_id)],
  );
  if (row === undefined || receiptIdOf(row.org_seq, row.run_id) !== receipt_id)
    throw new Refusal('not_found', 'This organization has no such receipt.');
  const { org_seq, share_token, changed_at, changed_by } = row;
  return { org_seq, share_token, enabled: row.enabled !== 0, changed_at, changed_by };
}

/**
 * A link that is so already stays as it was, and is not `fresh`, in one statement: of two who switch it alike at once, the first is named. Keeps
 * the last change only: the receipt's own row stays as it is. Throws `not_found`.
 */
export async function switchShare(
  tx: Queries,
  organization_id: string,
  receipt_id: string,
  { enabled, changed_at, changed_by }: { enabled: boolean; changed_at: string; changed_by: string },
): Promise<ShareState & { fresh: boolean }> {
  const { org_seq } = await loadShare(tx, organization_id, receipt_id);
  const switched = await tx.run(
    `insert into shares (organization_id, org_seq, enabled, changed_at, changed_by)
     select $1, cast($2 as bigint), cast($3 as bigint), $4, $5 where cast($3 as bigint) = 0
       or exists (select 1 from shares where organization_id = $1 and org_seq = cast($2 as bigint))
     on conflict (organization_id, org_seq) do update
     set enabled = excluded.enabled, changed_at = excluded.changed_at, changed_by = excluded.changed_by
     where shares.enabled <> excluded.enabled`,
    [organization_id, org_seq, Number(enabled), changed_at, changed_by],
  );
  return { ...(await loadShare(tx, organization_id, receipt_id)), fresh: switched === 1 };
}
