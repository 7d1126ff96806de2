/** Who belongs to an organization, in which role. Everything that could take its last owner holds the organization's row. */
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { changes } from '../changes/transaction.ts';
import { refuse } from '../problems.ts';
import { deleteMembership, ensurePerson, insertMembership, loadMember, updateMembership } from '../store/people.ts';
import { lockOrganization } from '../store/tenancy.ts';
import { requireOwnerBeside } from './tenancy.ts';

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
export async function changeMember(tx: Queries, organization_id: string, id: string, role: Role): Promise<TeamMember> {
  await lockOrganization(tx, organization_id);
  const member = await loadMember(tx, organization_id, id);
  if (role !== 'owner') await requireOwnerBeside(tx, organization_id, id);
  await updateMembership(tx, organization_id, id, role);
  changes(tx, organization_id, { settings: true });
  return { ...member, role };
}

/** The person stays, for what they did names them. Throws `not_found`, `last_owner`. */
export async function removeMember(tx: Queries, organization_id: string, id: string): Promise<TeamMember> {
  await lockOrganization(tx, organization_id);
  const member = await loadMember(tx, organization_id, id);
  await requireOwnerBeside(tx, organization_id, id);
  await deleteMembership(tx, organization_id, id);
  changes(tx, organization_id, { settings: true });
  return member;
}
