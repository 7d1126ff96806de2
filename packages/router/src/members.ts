/** Members and datasets: what each act changes and which receipt it leaves. */
import { ANNUAL_MEMBERSHIP_USD, MEMBERSHIP_DAYS } from '@rcpt/contract/prices.ts';
import type { Member } from '@rcpt/contract/router/members.ts';
import type { Queries } from '@rcpt/service/db.ts';
import { instant, millisOf } from './domain/time.ts';
import { refuse } from './problems.ts';
import type { Book } from './receipts/book.ts';
import {
  findAccess,
  insertAccess,
  loadDataset,
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

/** A year for the annual price. Active already: unchanged, and no second charge. Throws `not_found`. */
export async function activate(tx: Queries, book: Book, id: string): Promise<Member> {
  const member = await lockMember(tx, id);
  if (showMember(member, book.now).status === 'active') return showMember(member, book.now);
  const expires_at = instant(book.now + MEMBERSHIP_DAYS * DAY_MS);
  await setMembership(tx, id, book.at, expires_at);
  book.write({
    receipt_type: 'membership',
    member_id: id,
    job_id: null,
    dataset_ids: [],
    amount_cents: FEE_CENTS,
    metadata: { membership_started_at: book.at, membership_expires_at: expires_at },
  });
  return showMember({ ...member, membership_started_at: book.at, membership_expires_at: expires_at }, book.now);
}

/** Granted once; a repeat gets the first answer. Throws `not_found`, `member_inactive`, `dataset_not_shared`. */
export async function grantAccess(tx: Queries, book: Book, dataset_id: string, member_id: string) {
  const dataset = await loadDataset(tx, dataset_id);
  const member = await lockMember(tx, member_id);
  if (showMember(member, book.now).status !== 'active')
    throw refuse(
      'member_inactive',
      `The member ${member_id} is not active: POST /members/${member_id}/activate first.`,
    );
  if (!dataset.is_member_access)
    throw refuse('dataset_not_shared', `The dataset ${dataset_id} is not open to members.`);
  const known = await findAccess(tx, dataset_id, member_id);
  const { object_uri } = dataset;
  const receipt_id =
    known?.receipt_id ??
    book.write({
      receipt_type: 'dataset_access',
      member_id,
      job_id: null,
      dataset_ids: [dataset_id],
      amount_cents: 0,
      metadata: { title: dataset.title, checksum_sha256: dataset.checksum_sha256 },
    });
  if (known === null) await insertAccess(tx, { dataset_id, member_id, receipt_id, object_uri, created_at: book.at });
  return { access_granted: true as const, dataset_id, member_id, receipt_id, object_uri };
}
