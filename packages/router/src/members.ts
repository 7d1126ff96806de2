/** Members and datasets: what each command changes, and which receipt it leaves. */
import { ANNUAL_MEMBERSHIP_USD, MEMBERSHIP_DAYS } from '@rcpt/contract/membership.ts';
import type { GrantedDataset, Member, NewDataset, NewMember } from '@rcpt/contract/router/members.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Created } from '@rcpt/service/http/idempotency.ts';
import { newId } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import { instant, millisOf } from './domain/time.ts';
import { refuse } from './problems.ts';
import type { ReceiptBatch } from './receipts/batch.ts';
import { findGrant, insertGrant, registeredAmong } from './store/grants.ts';
import {
  insertDataset,
  insertMember,
  loadDataset,
  loadMember,
  lockMember,
  type StoredMember,
  setMembership,
} from './store/members.ts';

const DAY_MS = 86_400_000;
const FEE_CENTS = Number(ANNUAL_MEMBERSHIP_USD) * 100;

/** Past its expiry a member is inactive. */
export function showMember(
  { id, email, name, membership_started_at, membership_expires_at, created_at }: StoredMember,
  now: number,
): Member {
  const active = membership_expires_at !== null && millisOf(membership_expires_at) > now;
  return {
    id,
    email,
    name,
    status: active ? 'active' : 'inactive',
    annual_fee_paid: active,
    membership_started_at,
    membership_expires_at,
    created_at,
  };
}

export async function createMember(
  tx: Queries,
  batch: ReceiptBatch,
  { email, name }: z.infer<typeof NewMember>,
): Promise<Created> {
  const id = newId('mem');
  const member = { id, email, name, membership_started_at: null, membership_expires_at: null, created_at: batch.at };
  await insertMember(tx, member);
  return { body: showMember(member, batch.now), location: `/members/${id}` };
}

export async function createDataset(
  tx: Queries,
  batch: ReceiptBatch,
  { id = newId('ds'), is_member_access = true, ...described }: z.infer<typeof NewDataset>,
): Promise<Created> {
  const dataset = { id, ...described, is_member_access, created_at: batch.at };
  await insertDataset(tx, dataset);
  return { body: dataset, location: `/datasets/${id}` };
}

/** A year for the annual price. Active already: unchanged, and no second charge. Throws `not_found`. */
export async function activate(tx: Queries, batch: ReceiptBatch, id: string): Promise<Member> {
  const member = await lockMember(tx, id);
  if (showMember(member, batch.now).status === 'active') return showMember(member, batch.now);
  const expires_at = instant(batch.now + MEMBERSHIP_DAYS * DAY_MS);
  await setMembership(tx, id, batch.at, expires_at);
  batch.add({
    receipt_type: 'membership',
    member_id: id,
    job_id: null,
    dataset_ids: [],
    amount_cents: FEE_CENTS,
    metadata: { membership_started_at: batch.at, membership_expires_at: expires_at },
  });
  return showMember({ ...member, membership_started_at: batch.at, membership_expires_at: expires_at }, batch.now);
}

/**
 * A grant holds for the membership in which it was given; given again within it, it is answered as the first time.
 * Throws `not_found`, `member_inactive`, `dataset_not_shared`.
 */
export async function grantAccess(tx: Queries, batch: ReceiptBatch, dataset_id: string, member_id: string) {
  const dataset = await loadDataset(tx, dataset_id);
  const member = await lockMember(tx, member_id);
  const { membership_started_at } = requireActive(member, batch.now);
  if (!dataset.is_member_access)
    throw refuse('dataset_not_shared', `The dataset ${dataset_id} is not open to members.`);
  const key = { dataset_id, member_id, membership_started_at };
  const known = await findGrant(tx, key);
  if (known !== null) return { access_granted: true as const, dataset_id, member_id, ...known };
  const { object_uri } = dataset;
  const receipt_id = batch.add({
    receipt_type: 'dataset_access',
    member_id,
    job_id: null,
    dataset_ids: [dataset_id],
    amount_cents: 0,
    metadata: { title: dataset.title, checksum_sha256: dataset.checksum_sha256 },
  });
  await insertGrant(tx, { ...key, receipt_id, object_uri }, batch.at);
  return { access_granted: true as const, dataset_id, member_id, receipt_id, object_uri };
}

/**
 * The addresses of those of a job's datasets that are registered. The others are labels that the member chose.
 * Throws `not_found`, `member_inactive`, `dataset_not_granted`.
 */
export async function grantedDatasets(
  tx: Queries,
  member_id: string,
  ids: string[],
  now: number,
): Promise<GrantedDataset[]> {
  const { membership_started_at } = requireActive(await loadMember(tx, member_id), now);
  if (ids.length === 0) return [];
  const registered = await registeredAmong(tx, ids, { member_id, membership_started_at });
  const refused = registered.find(({ object_uri }) => object_uri === null)?.dataset.id;
  if (refused !== undefined)
    throw refuse(
      'dataset_not_granted',
      `The member ${member_id} has no access to the dataset ${refused} in this membership: POST /datasets/${refused}/access first.`,
    );
  return registered.map(({ dataset: { id, checksum_sha256, size_bytes }, object_uri }) => ({
    id,
    object_uri: object_uri!,
    checksum_sha256,
    size_bytes,
  }));
}

/** Its membership; throws `member_inactive`. */
function requireActive({ id, membership_started_at, membership_expires_at }: StoredMember, now: number) {
  if (membership_started_at === null || membership_expires_at === null || millisOf(membership_expires_at) <= now)
    throw refuse('member_inactive', `The member ${id} is not active: POST /members/${id}/activate first.`);
  return { membership_started_at, membership_expires_at };
}

const KNOWN_MEMBERS = 100_000;

/** A membership never ends before its expiry, so an active member is not read again until then. */
export function createActiveCheck(db: Queries): (id: string, now: number) => Promise<void> {
  const active_until = new Map<string, number>();
  return async (id, now) => {
    if ((active_until.get(id) ?? 0) > now) return;
    const { membership_expires_at } = requireActive(await loadMember(db, id), now);
    if (active_until.size >= KNOWN_MEMBERS) active_until.clear();
    active_until.set(id, millisOf(membership_expires_at));
  };
}
