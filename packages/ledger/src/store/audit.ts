/** What verification reads: everything as it is stored, also what no honest ledger ever stored. */
import type { Head } from '@rcpt/proof/chain.ts';
import type { ReceiptRecord } from '@rcpt/proof/record.ts';
import type { Queries } from '@rcpt/service/db/db.ts';

/** Null where no sequence can be: `bigint` is wider than a JSON number, and SQLite keeps any value in any column. */
export const ORG_SEQ = 'case when org_seq between -9007199254740991 and 9007199254740991 then org_seq end';

/** Of one organization, in sequence order; rows as `auditRow` takes them. */
export const SCAN_CHAIN = `select ${ORG_SEQ}, parent_hash, run_id, schema, receipt_sha256, share_token, payload
  from receipts where organization_id = $1 order by org_seq`;

export interface AuditRow {
  payload: string | Uint8Array;
  record: ReceiptRecord;
}

export function auditRow([
  org_seq,
  parent_hash,
  run_id,
  schema,
  receipt_sha256,
  share_token,
  payload,
]: unknown[]): AuditRow {
  return {
    payload: payload instanceof Uint8Array ? payload : String(payload),
    record: {
      // A column that holds no sequence agrees with no payload.
      org_seq: Number.isSafeInteger(org_seq) ? (org_seq as number) : NO_SEQ,
      parent_hash: String(parent_hash),
      run_id: String(run_id),
      schema: String(schema),
      receipt_sha256: String(receipt_sha256),
      share_token: String(share_token),
    },
  };
}

const NO_SEQ = -1;

/** The recorded head; null while the chain holds no receipt. */
export async function readHead(db: Queries, organization_id: string): Promise<Head | null> {
  const head = await db.get<{ org_seq: unknown; receipt_sha256: unknown }>(
    `select ${ORG_SEQ} as org_seq, receipt_sha256 from chains where organization_id = $1`,
    [organization_id],
  );
  if (head === undefined || !Number.isSafeInteger(head.org_seq) || (head.org_seq as number) < 0) return null;
  return { org_seq: head.org_seq as number, receipt_sha256: String(head.receipt_sha256) };
}

/** The receipt_id that a Run has for this place in the chain, also when the receipt itself is gone. */
export async function receiptIdAt(db: Queries, organization_id: string, org_seq: number): Promise<string | null> {
  const prefix = `RCPT-${String(org_seq).padStart(6, '0')}-`;
  const row = await db.get<{ receipt_id: string }>(
    'select receipt_id from runs where organization_id = $1 and receipt_id >= $2 and receipt_id < $3 limit 1',
    [organization_id, prefix, `${prefix}g`],
  );
  return row?.receipt_id ?? null;
}

/** Runs that have their receipt. */
export async function countMinted(db: Queries, organization_id: string): Promise<number> {
  const row = await db.get<{ minted: number }>(
    `select count(*) as minted from runs where organization_id = $1 and receipt_id is not null`,
    [organization_id],
  );
  return Number(row?.minted ?? 0);
}

/** The last receipt_ids of Runs whose receipt is not stored. */
export async function missingReceipts(db: Queries, organization_id: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ receipt_id: string }>(
    `select r.receipt_id from runs r left join receipts c on c.organization_id = r.organization_id and c.run_id = r.id
     where r.organization_id = $1 and r.receipt_id is not null and c.run_id is null order by r.receipt_id desc limit $2`,
    [organization_id, limit],
  );
  return rows.map((row) => row.receipt_id);
}

export async function payloadAt(db: Queries, organization_id: string, org_seq: number): Promise<string | null> {
  const row = await db.get<{ payload: string }>(
    'select payload from receipts where organization_id = $1 and org_seq = $2',
    [organization_id, org_seq],
  );
  return row === undefined ? null : String(row.payload);
}

/** Slug and place of every recorded pin; rows as arrays. */
export const SCAN_PINS = `select slug, ${ORG_SEQ} from model_pins where organization_id = $1`;
