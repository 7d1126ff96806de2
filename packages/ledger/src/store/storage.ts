/** What an organization stores with us, counted in one row of its own, exactly, for any number of processes. */
import { Buffer } from 'node:buffer';
import type { StorageUse } from '@rcpt/contract/ledger/tenancy.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';
import { noOrganization } from './no-organization.ts';

/** Bytes of evidence in object storage. The same bytes of one Run are one object. */
export interface EvidenceObject {
  organization_id: string;
  run_id: string;
  sha256: string;
  byte_size: number;
}

/** What the operator gave this organization, else the ledger's setting. 0: without end. */
const LIMIT = 'coalesce(storage_limit_bytes, $2)';
const THIS = 'where run_id = $1 and organization_id = $2 and sha256 = $3';
const keyOf = ({ run_id, organization_id, sha256 }: EvidenceObject) => [run_id, organization_id, sha256];

/** Counts bytes. Throws `storage_quota` where they do not fit; `limit_bytes` is the ledger's setting. */
export async function countBytes(
  tx: Queries,
  organization_id: string,
  byte_size: number,
  limit_bytes: number,
): Promise<void> {
  const counted = await tx.run(
    `update organizations set storage_used_bytes = storage_used_bytes + $3
     where organization_id = $1 and (${LIMIT} = 0 or storage_used_bytes + $3 <= ${LIMIT})`,
    [organization_id, limit_bytes, byte_size],
  );
  if (counted === 1) return;
  const { used_bytes, limit_bytes: allowed } = await readStorage(tx, organization_id, limit_bytes);
  throw refuse(
    'storage_quota',
    `This organization stores ${used_bytes} bytes and may store ${allowed}; these ${byte_size} do not fit. Nothing was stored. Ask the operator for more, or send the sha256 of evidence that is kept elsewhere.`,
    { used_bytes, limit_bytes: allowed, byte_size },
  );
}

/** As `countBytes`, of what the database keeps as JSON text. */
export async function countDocument(
  tx: Queries,
  organization_id: string,
  json: string,
  limit_bytes: number,
): Promise<void> {
  await countBytes(tx, organization_id, Buffer.byteLength(json), limit_bytes);
}

/** Throws `not_found`. */
export async function readStorage(db: Queries, organization_id: string, limit_bytes: number): Promise<StorageUse> {
  const row = await db.get<{ used_bytes: number; allowed: number }>(
    `select storage_used_bytes as used_bytes, ${LIMIT} as allowed from organizations where organization_id = $1`,
    [organization_id, limit_bytes],
  );
  if (row === undefined) throw noOrganization(organization_id);
  return { used_bytes: row.used_bytes, limit_bytes: Number(row.allowed) || null };
}

/**
 * Returns the limit before. Throws `not_found`.
 * @param limit_bytes null: the ledger's setting
 */
export async function limitStorage(
  tx: Queries,
  organization_id: string,
  limit_bytes: number | null,
): Promise<number | null> {
  const before = await tx.get<{ storage_limit_bytes: number | null }>(
    `select storage_limit_bytes from organizations where organization_id = $1 ${tx.dialect.forUpdate}`,
    [organization_id],
  );
  if (before === undefined) throw noOrganization(organization_id);
  await tx.run('update organizations set storage_limit_bytes = $2 where organization_id = $1', [
    organization_id,
    limit_bytes,
  ]);
  return before.storage_limit_bytes;
}

/**
 * Before the bytes are stored: what lies in storage is counted, also when the request fails afterwards. The same bytes of one Run are counted
 * once. Throws `storage_quota`, and `overloaded` while they are being deleted.
 */
export async function claimObject(tx: Queries, object: EvidenceObject, limit_bytes: number, at: string): Promise<void> {
  if (await insertObject(tx, object, 'claimed', at))
    return countBytes(tx, object.organization_id, object.byte_size, limit_bytes);
  const claimed = await tx.run(`update evidence_objects set claimed_at = $4 ${THIS} and state <> 'leaving'`, [
    ...keyOf(object),
    at,
  ]);
  if (claimed === 0) throw leaving();
}

/** In the transaction in which the Run names it. Throws `overloaded`. */
export async function nameObject(tx: Queries, object: EvidenceObject, at: string): Promise<void> {
  const named = await tx.run(
    `update evidence_objects set state = 'named' ${THIS} and state <> 'leaving'`,
    keyOf(object),
  );
  if (named === 1) return;
  // Another upload of the same bytes failed, and gave up the claim of both.
  if (!(await insertObject(tx, object, 'named', at))) throw leaving();
  await countBytes(tx, object.organization_id, object.byte_size, 0);
}

/** Its bytes could not be stored. */
export async function unclaimObject(tx: Queries, object: EvidenceObject): Promise<void> {
  const gone = await tx.run(`delete from evidence_objects ${THIS} and state = 'claimed'`, keyOf(object));
  if (gone === 1) await countBytes(tx, object.organization_id, -object.byte_size, 0);
}

/** Claimed before `before`, and named by no Run: a crash came between, or the Run refused it. */
export function abandonedObjects(db: Queries, before: string): Promise<EvidenceObject[]> {
  return db.all<EvidenceObject>(
    `select organization_id, run_id, sha256, byte_size from evidence_objects
     where state <> 'named' and claimed_at < $1 order by claimed_at limit 100`,
    [before],
  );
}

/** False: it was claimed or named meanwhile. From now on no Run can name it, until it is deleted. */
export async function beginRemoval(db: Queries, object: EvidenceObject, before: string): Promise<boolean> {
  const begun = await db.run(
    `update evidence_objects set state = 'leaving' ${THIS} and state <> 'named' and claimed_at < $4`,
    [...keyOf(object), before],
  );
  return begun === 1;
}

export async function endRemoval(tx: Queries, object: EvidenceObject): Promise<void> {
  const gone = await tx.run(`delete from evidence_objects ${THIS} and state = 'leaving'`, keyOf(object));
  if (gone === 1) await countBytes(tx, object.organization_id, -object.byte_size, 0);
}

async function insertObject(tx: Queries, object: EvidenceObject, state: string, at: string): Promise<boolean> {
  const inserted = await tx.run(
    `insert into evidence_objects (run_id, organization_id, sha256, byte_size, state, claimed_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [...keyOf(object), object.byte_size, state, at],
  );
  return inserted === 1;
}

function leaving(): Refusal {
  return new Refusal('overloaded', 'The same bytes are being deleted just now. Nothing was stored; try again shortly.');
}
