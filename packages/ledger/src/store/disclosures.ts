/** What was decided on what stands beside a receipt: what the link shows, what was erased. What has no row is withheld. */
import type { Commitments } from '@rcpt/contract/lanes/private.ts';
import { receiptIdOf } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { seqOfReceiptId } from './chains.ts';
import { LEASE_MS } from './outbox.ts';
import type { EvidenceObject } from './storage.ts';

export interface Place {
  organization_id: string;
  org_seq: number;
  run_id: string;
}

export interface Decision {
  path: string;
  disclosed: boolean;
  /** Null: it was not erased. */
  erased_at: string | null;
  reason: string | null;
}

const OF = 'where organization_id = $1 and org_seq = $2';

/** Throws `not_found`. By the record, as `loadShare`. */
export async function placeOfReceipt(db: Queries, organization_id: string, receipt_id: string): Promise<Place> {
  const org_seq = seqOfReceiptId(receipt_id);
  const row = await db.get<{ run_id: string }>(`select run_id from receipts ${OF}`, [organization_id, org_seq]);
  if (row === undefined || receiptIdOf(org_seq, row.run_id) !== receipt_id)
    throw new Refusal('not_found', 'This organization has no such receipt.');
  return { organization_id, org_seq, run_id: row.run_id };
}

/** Null where the receipt or its Run is not stored any more. */
export async function commitmentsOf(
  db: Queries,
  { organization_id, org_seq }: Omit<Place, 'run_id'>,
): Promise<{ run_id: string; commitments: Commitments | null } | null> {
  const row = await db.get<{ run_id: string; commitments: string | null }>(
    `select r.run_id, d.commitments from receipts r
     join run_documents d on d.organization_id = r.organization_id and d.id = r.run_id
     where r.organization_id = $1 and r.org_seq = $2`,
    [organization_id, org_seq],
  );
  return row === undefined ? null : { run_id: row.run_id, commitments: JSON.parse(row.commitments ?? 'null') };
}

export async function decisionsOn(
  db: Queries,
  { organization_id, org_seq }: Omit<Place, 'run_id'>,
): Promise<Decision[]> {
  const rows = await db.all<Omit<Decision, 'disclosed'> & { disclosed: number }>(
    `select path, disclosed, erased_at, reason from disclosures ${OF} order by path`,
    [organization_id, org_seq],
  );
  return rows.map((row) => ({ ...row, disclosed: row.disclosed !== 0 }));
}

/** These and no others are shown. What was erased stays erased. */
export async function discloseOnly(tx: Queries, { organization_id, org_seq }: Place, paths: string[]): Promise<void> {
  await tx.run(`update disclosures set disclosed = 0 ${OF}`, [organization_id, org_seq]);
  for (const path of paths)
    await tx.run(
      `insert into disclosures (organization_id, org_seq, path, disclosed, unfinished) values ($1, $2, $3, 1, 0)
       on conflict (organization_id, org_seq, path) do update set disclosed = 1 where disclosures.erased_at is null`,
      [organization_id, org_seq, path],
    );
}

export interface Erasure {
  path: string;
  erased_at: string;
  erased_by: string;
  reason: string;
}

/** What is erased a second time, because it was brought back, keeps the instant and the reason of the first. */
export async function writeErasure(tx: Queries, { organization_id, org_seq }: Place, it: Erasure): Promise<void> {
  await tx.run(
    `insert into disclosures (organization_id, org_seq, path, disclosed, erased_at, erased_by, reason, unfinished)
     values ($1, $2, $3, 0, $4, $5, $6, 1)
     on conflict (organization_id, org_seq, path) do update set disclosed = 0, unfinished = 1,
       erased_at = coalesce(disclosures.erased_at, excluded.erased_at),
       erased_by = coalesce(disclosures.erased_by, excluded.erased_by),
       reason = coalesce(disclosures.reason, excluded.reason)`,
    [organization_id, org_seq, it.path, it.erased_at, it.erased_by, it.reason],
  );
}

/** Receipts of which objects or log files may still hold what was erased. */
export function unfinishedErasures(db: Queries, most: number): Promise<Place[]> {
  return db.all<Place>(
    `select distinct u.organization_id, u.org_seq, r.run_id from disclosures u
     join receipts r on r.organization_id = u.organization_id and r.org_seq = u.org_seq
     where u.unfinished = 1 order by u.organization_id, u.org_seq limit ${most}`,
  );
}

/** Of an erasure that began before `before`: one that came since has work of its own. */
export async function finishErasure(
  db: Queries,
  { organization_id, org_seq }: Place,
  last_erased_at: string,
): Promise<void> {
  await db.run(`update disclosures set unfinished = 0 ${OF} and unfinished = 1 and erased_at <= $3`, [
    organization_id,
    org_seq,
    last_erased_at,
  ]);
}

/** Bytes that the next sweep deletes, whatever comes: no Run names them any more. */
export async function letGo(tx: Queries, { organization_id, run_id, sha256 }: EvidenceObject): Promise<void> {
  await tx.run(
    `update evidence_objects set state = 'leaving', claimed_at = ''
     where run_id = $1 and organization_id = $2 and sha256 = $3`,
    [run_id, organization_id, sha256],
  );
}

export function objectsLetGo(db: Queries, { organization_id, run_id }: Place): Promise<EvidenceObject[]> {
  return db.all<EvidenceObject>(
    `select organization_id, run_id, sha256, byte_size from evidence_objects
     where run_id = $1 and organization_id = $2 and state = 'leaving'`,
    [run_id, organization_id],
  );
}

/** The answers that were kept of calls on this Run tell nothing any more. */
export async function forgetAnswers(tx: Queries, { organization_id, run_id }: Place): Promise<void> {
  await tx.run(
    `update idempotency_keys set answer = '', request_sha256 = '' where organization_id = $1 and run_id = $2`,
    [organization_id, run_id],
  );
}

/** Which Run the answer under this key tells of. */
export async function nameAnswer(
  tx: Queries,
  organization_id: string,
  key_sha256: string,
  run_id: string,
): Promise<void> {
  await tx.run('update idempotency_keys set run_id = $3 where organization_id = $1 and key_sha256 = $2', [
    organization_id,
    key_sha256,
    run_id,
  ]);
}

/**
 * The PDF in object storage is drawn anew. A row that is waiting to be tried again, or in hand, becomes due once what is in hand has ended: it
 * would write the PDF of before over the new one. There is never a second row: both would be claimed until the same instant.
 */
export async function redrawPdf(tx: Queries, { organization_id, org_seq }: Place, at: string): Promise<void> {
  const later = new Date(Date.parse(at) + LEASE_MS).toISOString();
  const of_receipt = `kind = 'pdf' and organization_id = $1 and org_seq = cast($2 as bigint) and recipient = ''`;
  await tx.run(
    `update outbox set next_attempt_at = $4, attempts = 0, last_error = null where ${of_receipt} and next_attempt_at > $3`,
    [organization_id, org_seq, at, later],
  );
  await tx.run(
    `insert into outbox (organization_id, org_seq, kind, recipient, attempts, next_attempt_at, last_error)
     select $1, cast($2 as bigint), 'pdf', '', 0, $3, null where not exists (select 1 from outbox where ${of_receipt})`,
    [organization_id, org_seq, at],
  );
}

/** What the activity chain says was erased, by receipt and path. */
export interface RecordedErasure {
  receipt_id: string;
  path: string;
  erased_at: string;
  reason: string;
}

/** @param receipt_id undefined: of all receipts */
export async function recordedErasures(
  db: Queries,
  organization_id: string,
  receipt_id?: string,
): Promise<RecordedErasure[]> {
  const named = receipt_id === undefined ? '' : 'and payload like $2';
  const params = [organization_id, ...(receipt_id === undefined ? [] : [`%"receipt_id":"${receipt_id}"%`])];
  const rows = await db.all<{ payload: string }>(
    `select payload from activity where organization_id = $1 and kind = 'erased' ${named} order by org_seq`,
    params,
  );
  return rows
    .flatMap(({ payload }) => readErasure(payload) ?? [])
    .filter((it) => it.receipt_id === (receipt_id ?? it.receipt_id));
}

/** Null for a line that was altered: the activity chain's own verification names it. */
function readErasure(payload: string): RecordedErasure | null {
  try {
    const { created_at, activity } = JSON.parse(payload);
    const { receipt_id, path, reason } = activity.details;
    return { receipt_id, path, reason, erased_at: created_at };
  } catch {
    return null;
  }
}

/** Every erasure that the table of disclosures knows, with its Run. */
export function erasedRows(
  db: Queries,
  organization_id: string,
): Promise<{ org_seq: number; path: string; erased_at: string }[]> {
  return db.all(
    `select org_seq, path, erased_at from disclosures where organization_id = $1 and erased_at is not null
     order by org_seq, path`,
    [organization_id],
  );
}

/** The Runs of receipts, by their places. */
export async function runIdsAt(db: Queries, organization_id: string, org_seqs: number[]): Promise<Map<number, string>> {
  const rows = await db.all<{ org_seq: number; run_id: string }>(
    `select r.org_seq, r.run_id from ${db.dialect.jsonRows('$2')} as k
     join receipts r on r.organization_id = $1 and r.org_seq = cast(k.value ->> 0 as bigint) order by r.org_seq`,
    [organization_id, JSON.stringify(org_seqs.map((org_seq) => [org_seq]))],
  );
  return new Map(rows.map(({ org_seq, run_id }) => [org_seq, run_id]));
}
