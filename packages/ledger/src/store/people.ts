/** People and their memberships. */
import type { PlaceOfWork, TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newUntimedId } from '@rcpt/service/ids.ts';

/**
 * The person with this mailbox, made when there is none yet; a person stays when the last membership goes. The id is the
 * same in every organization: were it timed, an inviting organization would learn that another had invited the person before.
 */
export async function ensurePerson(tx: Queries, email: string, at: string): Promise<string> {
  await tx.run(
    'insert into people (id, email, created_at, updated_at) values ($1, $2, $3, $3) on conflict (email) do nothing',
    [newUntimedId('user'), email, at],
  );
  const row = await tx.get<{ id: string }>('select id from people where email = $1', [email]);
  return row!.id;
}

export async function findPublicName(db: Queries, person_id: string): Promise<string | null> {
  const row = await db.get<{ public_name: string | null }>('select public_name from people where id = $1', [person_id]);
  return row?.public_name ?? null;
}

/** What is sealed keeps the name it was sealed with. */
export async function updatePublicName(db: Queries, person_id: string, public_name: string, at: string): Promise<void> {
  await db.run('update people set public_name = $2, updated_at = $3 where id = $1', [person_id, public_name, at]);
}

/** The person with this mailbox; null where they belong to no organization. */
export async function findMemberByMailbox(db: Queries, email: string): Promise<string | null> {
  const row = await db.get<{ id: string }>(
    'select id from people p where email = $1 and exists (select 1 from memberships m where m.person_id = p.id)',
    [email],
  );
  return row?.id ?? null;
}

/** A person who was invited and has not signed in is shown by the address that was typed: inviting finds out nothing. */
const MEMBER = `select m.person_id as id, p.email, m.role,
    case when m.joined_at is not null then p.public_name end as public_name, m.invited_by, m.invited_at, m.joined_at
  from memberships m join people p on p.id = m.person_id where m.organization_id = $1`;

/** In the order of their addresses. */
export function listMembers(db: Queries, organization_id: string): Promise<TeamMember[]> {
  return db.all<TeamMember>(`${MEMBER} order by p.email`, [organization_id]);
}

/** Throws `not_found`. */
export async function loadMember(db: Queries, organization_id: string, id: string): Promise<TeamMember> {
  const member = await db.get<TeamMember>(`${MEMBER} and m.person_id = $2`, [organization_id, id]);
  if (member === undefined) throw new Refusal('not_found', 'This organization has no such member.');
  return member;
}

export function findMemberByEmail(
  db: Queries,
  organization_id: string,
  email: string,
): Promise<TeamMember | undefined> {
  return db.get<TeamMember>(`${MEMBER} and p.email = $2`, [organization_id, email]);
}

/** False: the person is a member already, and stays what they are. */
export async function insertMembership(
  tx: Queries,
  organization_id: string,
  { id, role, invited_by, invited_at }: Pick<TeamMember, 'id' | 'role' | 'invited_by' | 'invited_at'>,
): Promise<boolean> {
  const inserted = await tx.run(
    `insert into memberships (organization_id, person_id, role, invited_by, invited_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [organization_id, id, role, invited_by, invited_at],
  );
  return inserted === 1;
}

/** How many were invited and have not signed in yet. */
export async function countInvited(tx: Queries, organization_id: string): Promise<number> {
  const row = await tx.get<{ invited: number }>(
    'select count(*) as invited from memberships where organization_id = $1 and joined_at is null',
    [organization_id],
  );
  return Number(row?.invited ?? 0);
}

export async function updateMembership(tx: Queries, organization_id: string, id: string, role: Role): Promise<void> {
  await tx.run('update memberships set role = $3 where organization_id = $1 and person_id = $2', [
    organization_id,
    id,
    role,
  ]);
}

export async function deleteMembership(tx: Queries, organization_id: string, id: string): Promise<void> {
  await tx.run('delete from memberships where organization_id = $1 and person_id = $2', [organization_id, id]);
}

/** Of a person, by the ids of the organizations: who has not signed in at one has no name there. */
export function listMemberships(
  db: Queries,
  person_id: string,
): Promise<(Pick<TeamMember, 'id' | 'public_name' | 'joined_at'> & { organization_id: string })[]> {
  return db.all(
    `select m.organization_id, m.person_id as id, m.joined_at,
       case when m.joined_at is not null then p.public_name end as public_name
     from memberships m join people p on p.id = m.person_id where m.person_id = $1 order by m.organization_id`,
    [person_id],
  );
}

/** The organizations of a person, longest first. */
export function listPlacesOfWork(db: Queries, person_id: string): Promise<Required<PlaceOfWork>[]> {
  return db.all<Required<PlaceOfWork>>(
    `select o.organization_id as id, o.name, m.role, m.invited_by, m.invited_at, m.accepted_at from memberships m
     join organizations o on o.organization_id = m.organization_id
     where m.person_id = $1 order by m.invited_at, o.organization_id`,
    [person_id],
  );
}
