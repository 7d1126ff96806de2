/** Who belongs to an organization, in which role. What could take its last owner locks the organization's row. */
import type { Actor } from '@rcpt/contract/activity.ts';
import type { TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import { recordPasskey } from '../passkeys/record.ts';
import { refuse } from '../problems.ts';
import { markPasskeysRemoved } from '../store/passkeys.ts';
import { deleteMembership, ensurePerson, insertMembership, loadMember, updateMembership } from '../store/people.ts';
import { lockOrganization } from '../store/tenancy.ts';
import { requireAnotherOwner } from './last-owner.ts';
import type { People } from './people.ts';

/** Stands as the inviter where the command line invites. No key has this label. */
export const OPERATOR = 'the operator';

/** The caller records it. Throws `member_exists`. */
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
  { db, credentials, now }: People,
  organization_id: string,
  by: Actor,
  id: string,
  role: Role,
): Promise<TeamMember> {
  const at = now();
  const changed = await db.transaction(async (tx) => {
    await lockOrganization(tx, organization_id);
    const member = await loadMember(tx, organization_id, id);
    if (role !== 'owner') await requireAnotherOwner(tx, organization_id, id);
    await updateMembership(tx, organization_id, id, role);
    changes(tx, organization_id, { settings: true });
    const details = { member: named(member), before: member.role, after: role };
    if (member.role !== role)
      await recordActivity(tx, organization_id, { by, kind: 'member_role_changed', details }, at);
    return { ...member, role };
  });
  await credentials.invalidate();
  return changed;
}

/** The person stays, for what they did names them; their passkeys sign here no more. Throws `not_found`, `last_owner`. */
export async function removeMember(
  { db, credentials, now }: People,
  organization_id: string,
  by: Actor,
  id: string,
): Promise<TeamMember> {
  const at = now();
  const removed = await db.transaction(async (tx) => {
    await lockOrganization(tx, organization_id);
    const member = await loadMember(tx, organization_id, id);
    await requireAnotherOwner(tx, organization_id, id);
    await deleteMembership(tx, organization_id, id);
    const passkeys = await markPasskeysRemoved(tx, organization_id, id, at);
    changes(tx, organization_id, { settings: true });
    await recordMember(tx, organization_id, by, 'member_removed', member, at);
    for (const passkey of passkeys)
      await recordPasskey(tx, organization_id, 'passkey_removed', { by, member: named(member) }, passkey, at);
    return member;
  });
  await credentials.invalidate();
  return removed;
}

/** The last statement of its transaction, as `recordActivity`. */
export function recordMember(
  tx: Queries,
  organization_id: string,
  by: Actor,
  kind: 'member_added' | 'member_joined' | 'member_removed' | 'invitation_sent',
  member: Pick<TeamMember, 'id' | 'public_name' | 'role'>,
  at: string,
): Promise<void> {
  return recordActivity(tx, organization_id, { by, kind, details: { member: named(member), role: member.role } }, at);
}

/** By their first sign-in there, or by choosing it. */
export async function recordJoined(tx: Queries, organization_id: string, person_id: string, at: string): Promise<void> {
  const member = await loadMember(tx, organization_id, person_id);
  await recordMember(tx, organization_id, named(member), 'member_joined', member, at);
}

/** By the public name, which nobody sees before the person has signed in; never by the mailbox. */
export function named({ id, public_name }: Pick<TeamMember, 'id' | 'public_name'>): Actor {
  return { id, name: public_name ?? id };
}
