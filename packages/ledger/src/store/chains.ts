/** The chains: heads, receipts and pins. The tables refuse a fork; these functions refuse everything else. */
import type { Head } from '@rcpt/proof/chain.ts';
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import { fitting } from '@rcpt/service/db/page.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { StoredPin } from '../chain/pin.ts';

/** The head of an organization's chain, locked for a mint. `org_seq` is -1 while the chain holds no receipt. */
export interface LockedHead extends Head {
  organization_id: string;
  organization_name: string;
  /** Of the tree over the receipts so far, in base64; null: the chain is older than its tree, and not taken in yet. */
  peaks: string | null;
}

/** A receipt as it is stored; `payload` is its canonical JSON with `receipt_sha256`. */
export interface StoredReceipt {
  organization_id: string;
  org_seq: number;
  parent_hash: string;
  run_id: string;
  schema: string;
  receipt_sha256: string;
  share_token: string;
  payload: string;
}

/** A Run as the mint needs it. */
export interface MintableRun {
  organization_id: string;
  id: string;
  stage: string;
  lane: string;
  notify: string;
  /** Null also for a large one, which is loaded by itself. */
  approved_block: string | null;
  /** Null: nothing was approved. */
  approved_bytes: number | null;
  approved_sha256: string | null;
  receipt_id: string | null;
}

/** Heads of these organizations, in one order everywhere so that two mints never wait for each other in a ring. */
export async function lockHeads(tx: Queries, organization_ids: string[]): Promise<LockedHead[]> {
  return tx.all<LockedHead>(
    `select organization_id, org_seq, receipt_sha256, peaks,
       (select name from organizations o where o.organization_id = c.organization_id) as organization_name
     from chains c
     where organization_id in (select value ->> 0 from ${tx.dialect.jsonRows('$1')})
     order by organization_id ${tx.dialect.forUpdate}`,
    [JSON.stringify(organization_ids.map((id) => [id]))],
  );
}

/** The head moves only from where it was read: the compare-and-swap that makes a chain. */
export async function moveHeads(tx: Queries, moves: { from: LockedHead; to: LockedHead }[]): Promise<void> {
  await tx.updateAll(
    'chains',
    { organization_id: 'text', receipt_sha256: 'text' },
    { org_seq: 'bigint', receipt_sha256: 'text', peaks: 'text' },
    moves.map(({ from, to }) => [from.organization_id, from.receipt_sha256, to.org_seq, to.receipt_sha256, to.peaks]),
  );
}

/** How many receipts there are, and the peaks of their tree. */
export async function readTreeEnd(
  db: Queries,
  organization_id: string,
): Promise<{ size: number; peaks: string | null }> {
  const row = await db.get<{ org_seq: number; peaks: string | null }>(
    'select org_seq, peaks from chains where organization_id = $1',
    [organization_id],
  );
  return { size: (row?.org_seq ?? -1) + 1, peaks: row?.peaks ?? null };
}

/** Organizations whose chains have receipts and no peaks. */
export async function chainsWithoutTree(db: Queries): Promise<string[]> {
  const rows = await db.all<{ organization_id: string }>(
    'select organization_id from chains where peaks is null and org_seq >= 0 order by organization_id',
  );
  return rows.map(({ organization_id }) => organization_id);
}

/** Where the chain still ends there. */
export async function takeInPeaks(tx: Queries, organization_id: string, size: number, peaks: string): Promise<void> {
  await tx.run('update chains set peaks = $3 where organization_id = $1 and org_seq = $2 and peaks is null', [
    organization_id,
    size - 1,
    peaks,
  ]);
}

/** @param small_bytes larger blocks are not read */
export async function loadMintable(
  tx: Queries,
  keys: { organization_id: string; run_id: string }[],
  small_bytes: number,
): Promise<MintableRun[]> {
  return tx.all<MintableRun>(
    `select r.organization_id, r.id, r.stage, r.lane, d.notify, d.approved_sha256, r.receipt_id,
       octet_length(d.approved_block) as approved_bytes,
       case when octet_length(d.approved_block) <= $2 then d.approved_block end as approved_block
     from ${tx.dialect.jsonRows('$1')} as k
     join runs r on r.organization_id = k.value ->> 0 and r.id = k.value ->> 1
     join run_documents d on d.organization_id = r.organization_id and d.id = r.id`,
    [JSON.stringify(keys.map(({ organization_id, run_id }) => [organization_id, run_id])), small_bytes],
  );
}

/** Of a Run that has one. */
export async function loadApprovedBlock(tx: Queries, organization_id: string, run_id: string): Promise<string> {
  const row = await tx.get<{ approved_block: string }>(
    'select approved_block from run_documents where organization_id = $1 and id = $2',
    [organization_id, run_id],
  );
  return row!.approved_block;
}

const RECEIPT_COLUMNS = {
  organization_id: 'text',
  org_seq: 'bigint',
  parent_hash: 'text',
  run_id: 'text',
  schema: 'text',
  receipt_sha256: 'text',
  share_token: 'text',
  payload: 'text',
} as const;

export async function insertReceipts(tx: Queries, receipts: StoredReceipt[]): Promise<void> {
  const rows = receipts.map((r): Value[] => [
    r.organization_id,
    r.org_seq,
    r.parent_hash,
    r.run_id,
    r.schema,
    r.receipt_sha256,
    r.share_token,
    r.payload,
  ]);
  await tx.insert('receipts', RECEIPT_COLUMNS, rows);
}

/** A Run reaches Receipt once, and only from Approval. */
export async function markMinted(
  tx: Queries,
  minted: { organization_id: string; run_id: string; receipt_id: string; by: string; at: string }[],
): Promise<void> {
  await tx.updateAll(
    'runs',
    { organization_id: 'text', id: 'text', stage: 'text', receipt_id: 'text' },
    { stage: 'text', receipt_id: 'text', minted_by: 'text', updated_at: 'text' },
    minted.map((m) => [m.organization_id, m.run_id, 'Approval', null, 'Receipt', m.receipt_id, m.by, m.at]),
  );
}

export async function movePin(tx: Queries, organization_id: string, slug: string, org_seq: number): Promise<void> {
  await tx.run(
    `insert into model_pins (organization_id, slug, org_seq) values ($1, $2, $3)
     on conflict (organization_id, slug) do update set org_seq = excluded.org_seq`,
    [organization_id, slug, org_seq],
  );
}

/** The most recent pin of this slug. Null: there was none. */
export async function findPin(tx: Queries, organization_id: string, slug: string): Promise<StoredPin | null> {
  const row = await tx.get<StoredPin>(
    `select r.payload,
       coalesce(
         (select n.parent_hash from receipts n where n.organization_id = p.organization_id and n.org_seq = p.org_seq + 1),
         (select c.receipt_sha256 from chains c where c.organization_id = p.organization_id and c.org_seq = p.org_seq)
       ) as linked_sha256
     from model_pins p
     left join receipts r on r.organization_id = p.organization_id and r.org_seq = p.org_seq
     where p.organization_id = $1 and p.slug = $2`,
    [organization_id, slug],
  );
  return row ?? null;
}

export async function payloadOfRun(db: Queries, organization_id: string, run_id: string): Promise<string> {
  const row = await db.get<{ payload: string }>(
    'select payload from receipts where organization_id = $1 and run_id = $2',
    [organization_id, run_id],
  );
  if (row === undefined) throw new Error(`Run ${run_id} names a receipt that is not there`);
  return row.payload;
}

/** The sequence is part of the id; -1 for what is no receipt id. */
export function seqOfReceiptId(receipt_id: string): number {
  return Number(/^RCPT-(\d{6,15})-[0-9a-f]{8}$/.exec(receipt_id)?.[1] ?? -1);
}

/** Throws `not_found`. The chain's own key finds it. */
export async function payloadOfReceipt(db: Queries, organization_id: string, receipt_id: string): Promise<string> {
  const org_seq = seqOfReceiptId(receipt_id);
  const row = await db.get<{ payload: string }>(
    'select payload from receipts where organization_id = $1 and org_seq = $2',
    [organization_id, org_seq],
  );
  // A payload that was altered is still found: its reader has to see that it was.
  if (row === undefined || !row.payload.includes(`"receipt_id":"${receipt_id}"`))
    throw new Refusal('not_found', 'This organization has no such receipt.');
  return row.payload;
}

interface Sized {
  org_seq: number;
  byte_size: number;
}

/** In sequence order; fewer than `limit` when they are large, none only at the end of the chain. */
export async function payloadsAfter(
  db: Queries,
  organization_id: string,
  after_seq: number,
  limit: number,
): Promise<{ org_seq: number; payload: string }[]> {
  const sizes = await db.all<Sized>(
    `select org_seq, octet_length(payload) as byte_size from receipts
     where organization_id = $1 and org_seq > $2 order by org_seq limit $3`,
    [organization_id, after_seq, limit],
  );
  const last = fitting(sizes).at(-1);
  if (last === undefined) return [];
  return db.all(
    'select org_seq, payload from receipts where organization_id = $1 and org_seq > $2 and org_seq <= $3 order by org_seq',
    [organization_id, after_seq, last.org_seq],
  );
}

export async function isLast(db: Queries, organization_id: string, org_seq: number): Promise<boolean> {
  const next = await db.get('select org_seq from receipts where organization_id = $1 and org_seq > $2 limit 1', [
    organization_id,
    org_seq,
  ]);
  return next === undefined;
}

export interface End {
  /** As recorded at minting; null while the chain holds no receipt. */
  head: Head | null;
  /** Of the last receipt that is stored: the head's, unless the chain was altered. -1: there is none. */
  last_seq: number;
}

/** Where the chain ends, twice, as of one instant. */
export async function readEnd(db: Queries, organization_id: string): Promise<End> {
  // By the organization: the head may have been deleted.
  const row = await db.get<{ org_seq: number | null; receipt_sha256: string; last_seq: number | null }>(
    `select c.org_seq, c.receipt_sha256,
       (select max(org_seq) from receipts r where r.organization_id = o.organization_id) as last_seq
     from organizations o left join chains c on c.organization_id = o.organization_id where o.organization_id = $1`,
    [organization_id],
  );
  const { org_seq = null, receipt_sha256 = '', last_seq = null } = row ?? {};
  return { head: (org_seq ?? -1) < 0 ? null : { org_seq: org_seq!, receipt_sha256 }, last_seq: last_seq ?? -1 };
}
