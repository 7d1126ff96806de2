/** Who belongs to an organization, in which role. What could take its last owner locks the organization's row. */
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { changes } from '../changes/transaction.ts';
import { refuse } from '../problems.ts';
import { deleteMembership, ensurePerson, insertMembership, loadMember, updateMembership } from '../store/people.ts';
import { lockOrganization } from '../store/tenancy.ts';
import { requireAnotherOwner } from './last-owner.ts';
import type { People } from './people.ts';

/** Stands as the inviter where the command line invites. No key has this label. */
export const OPERATOR = 'the operator';

/** Throws `member_exists`. */
export async function addMember(
  tx: Queries,
  organization_id: string,
  { email, role }: { email: string; role: Role },
  invited_by: string,
  at: string,
): Promise<TeamMember> {
  const id = await ensurePerson(tx, email, at);
  const added = await insertMembership(tx, organization_id, { id, role, invited_by, invited_at: at });
  if (!added) throw refuse('member_exists', `${email} belongs to this organization already.`);
  changes(tx, organization_id, { settings: true });
  return loadMember(tx, organization_id, id);
}

/** Throws `not_found`, `last_owner`. */
export async function changeMember(
  { db, credentials }: People,
  organization_id: string,
  id: string,
  role: Role,
): Promise<TeamMember> {
  const changed = await db.transaction(async (tx) => {
    await lockOrganization(tx, organization_id);
    const member = await loadMember(tx, organization_id, id);
    if (role !== 'owner') await requireAnotherOwner(tx, organization_id, id);
    await updateMembership(tx, organization_id, id, role);
    changes(tx, organization_id, { settings: true });
    return { ...member, role };
  });
  await credentials.invalidate();
  return changed;
}

/** The person stays, for what they did names them. Throws `not_found`, `last_owner`. */
export async function removeMember(
  { db, credentials }: People,
  organization_id: string,
  id: string,
): Promise<TeamMember> {
  const removed = await db.transaction(async (tx) => {
    await lockOrganization(tx, organization_id);
    const member = await loadMember(tx, organization_id, id);
    await requireAnotherOwner(tx, organization_id, id);
    await deleteMembership(tx, organization_id, id);
    changes(tx, organization_id, { settings: true });
    return member;
  });
  await credentials.invalidate();
  return removed;
}
