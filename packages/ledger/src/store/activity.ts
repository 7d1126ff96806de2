/** The activity chains: heads and receipts. The tables refuse a fork. */

import { ACTIVITY_SCHEMA, type ActivityQuery } from '@rcpt/contract/activity.ts';
import type { Head } from '@rcpt/proof/chain.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { ReceiptRecord } from '@rcpt/proof/record.ts';
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';
import { ORG_SEQ } from './audit.ts';
import type { End } from './chains.ts';
import { noOrganization } from './no-organization.ts';

/** `org_seq` is -1 while the chain is empty. */
export interface ActivityHead extends Head {
  organization_id: string;
  /** Of the tree over the receipts so far, in base64. */
  peaks: string;
}

export interface StoredActivity {
  organization_id: string;
  org_seq: number;
  parent_hash: string;
  receipt_sha256: string;
  kind: string;
  by_id: string;
  /** The canonical receipt. */
  payload: string;
}

/** With the organization. */
export async function insertActivityChain(tx: Queries, organization_id: string): Promise<void> {
  await tx.run(
    `insert into activity_chains (organization_id, org_seq, receipt_sha256, peaks) values ($1, -1, $2, '')`,
    [organization_id, GENESIS_HASH],
  );
}

/** Held until the transaction ends. Throws `not_found`. */
export async function lockActivityHead(tx: Queries, organization_id: string): Promise<ActivityHead> {
  const head = await tx.get<ActivityHead>(
    `select organization_id, org_seq, receipt_sha256, peaks from activity_chains where organization_id = $1 ${tx.dialect.forUpdate}`,
    [organization_id],
  );
  if (head === undefined) throw noOrganization(organization_id);
  return head;
}

/** The head moves only from where it was read. */
export async function appendActivity(
  tx: Queries,
  from: ActivityHead,
  to: ActivityHead,
  added: StoredActivity,
): Promise<void> {
  await tx.insert(
    'activity',
    {
      organization_id: 'text',
      org_seq: 'bigint',
      parent_hash: 'text',
      receipt_sha256: 'text',
      kind: 'text',
      by_id: 'text',
      payload: 'text',
    },
    [
      [
        added.organization_id,
        added.org_seq,
        added.parent_hash,
        added.receipt_sha256,
        added.kind,
        added.by_id,
        added.payload,
      ],
    ],
  );
  await tx.updateAll(
    'activity_chains',
    { organization_id: 'text', receipt_sha256: 'text' },
    { org_seq: 'bigint', receipt_sha256: 'text', peaks: 'text' },
    [[from.organization_id, from.receipt_sha256, to.org_seq, to.receipt_sha256, to.peaks]],
  );
}

/** What stands when the chain of an older organization begins. */
export async function countCredentials(
  tx: Queries,
  organization_id: string,
): Promise<{ keys: number; members: number }> {
  const row = await tx.get<{ keys: number; members: number }>(
    `select (select count(*) from api_keys where organization_id = $1 and revoked_at is null) as keys,
       (select count(*) from memberships where organization_id = $1) as members`,
    [organization_id],
  );
  return { keys: Number(row!.keys), members: Number(row!.members) };
}

/** In the order asked for; fewer than `limit` when they are large, none only at the end. `more`: others follow. */
export async function listActivity(
  db: Queries,
  organization_id: string,
  { order, after_seq = -1, before_seq, kind, by, limit }: ActivityQuery,
): Promise<{ rows: { org_seq: number; payload: string }[]; more: boolean }> {
  const places: Value[] = [organization_id, after_seq];
  const place = (value: Value) => `$${places.push(value)}`;
  const wanted = [
    'organization_id = $1 and org_seq > $2',
    ...(before_seq === undefined ? [] : [`org_seq < ${place(before_seq)}`]),
    ...(kind === undefined ? [] : [`kind = ${place(kind)}`]),
    ...(by === undefined ? [] : [`by_id = ${place(by)}`]),
  ].join(' and ');
  const found = await db.all<{ org_seq: number; payload: string; byte_size: number }>(
    `select org_seq, payload, octet_length(payload) as byte_size from activity where ${wanted}
     order by org_seq ${order === 'newest' ? 'desc' : 'asc'} limit ${place(limit + 1)}`,
    places,
  );
  const rows = fitting(found).slice(0, limit);
  return { rows, more: rows.length < found.length };
}

/** Where the chain ends; null while it is empty. */
export async function readActivityHead(db: Queries, organization_id: string): Promise<Head | null> {
  const head = await db.get<{ org_seq: unknown; receipt_sha256: unknown }>(
    `select ${ORG_SEQ} as org_seq, receipt_sha256 from activity_chains where organization_id = $1`,
    [organization_id],
  );
  if (head === undefined || !Number.isSafeInteger(head.org_seq) || (head.org_seq as number) < 0) return null;
  return { org_seq: head.org_seq as number, receipt_sha256: String(head.receipt_sha256) };
}

/** Where the chain ends, twice, as of one instant: as `readEnd`. */
export async function readActivityEnd(db: Queries, organization_id: string): Promise<End> {
  const row = await db.get<{ org_seq: number | null; receipt_sha256: string; last_seq: number | null }>(
    `select c.org_seq, c.receipt_sha256,
       (select max(org_seq) from activity a where a.organization_id = o.organization_id) as last_seq
     from organizations o left join activity_chains c on c.organization_id = o.organization_id
     where o.organization_id = $1`,
    [organization_id],
  );
  const { org_seq = null, receipt_sha256 = '', last_seq = null } = row ?? {};
  return { head: (org_seq ?? -1) < 0 ? null : { org_seq: org_seq!, receipt_sha256 }, last_seq: last_seq ?? -1 };
}

/** How many there are, and the peaks of their tree. */
export async function readActivityTreeEnd(
  db: Queries,
  organization_id: string,
): Promise<{ size: number; peaks: string | null }> {
  const row = await db.get<{ org_seq: number; peaks: string }>(
    'select org_seq, peaks from activity_chains where organization_id = $1',
    [organization_id],
  );
  return { size: (row?.org_seq ?? -1) + 1, peaks: row?.peaks ?? null };
}

/** Of one organization, in sequence order; rows as `activityRow` takes them. */
export const SCAN_ACTIVITY = `select ${ORG_SEQ}, parent_hash, receipt_sha256, kind, by_id, payload
  from activity where organization_id = $1 order by org_seq`;

export interface ActivityRow {
  payload: string | Uint8Array;
  record: ReceiptRecord;
  kind: string;
  by_id: string;
}

/** As it is stored, also what no honest ledger ever stored. */
export function activityRow([org_seq, parent_hash, receipt_sha256, kind, by_id, payload]: unknown[]): ActivityRow {
  return {
    payload: payload instanceof Uint8Array ? payload : String(payload),
    record: {
      org_seq: Number.isSafeInteger(org_seq) ? (org_seq as number) : NO_SEQ,
      parent_hash: String(parent_hash),
      receipt_sha256: String(receipt_sha256),
      schema: ACTIVITY_SCHEMA,
    },
    kind: String(kind),
    by_id: String(by_id),
  };
}

const NO_SEQ = -1;
