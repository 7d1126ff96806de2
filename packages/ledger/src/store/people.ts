/** People, their memberships, and what is kept of their sign-in. */
import type { PlaceOfWork, TeamMember } from '@rcpt/contract/ledger/people.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newId, newUntimedId } from '@rcpt/service/ids.ts';

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

export async function isMember(db: Queries, email: string): Promise<boolean> {
  const row = await db.get(
    'select 1 as one from people p join memberships m on m.person_id = p.id where p.email = $1 limit 1',
    [email],
  );
  return row !== undefined;
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

/** Where the session works; other organizations that invited the person are told nothing. */
export async function markJoined(tx: Queries, session_id: string, at: string): Promise<void> {
  await tx.run(
    `update memberships set joined_at = $2 where joined_at is null and exists (select 1 from sessions s
       where s.id = $1 and s.person_id = memberships.person_id and s.organization_id = memberships.organization_id)`,
    [session_id, at],
  );
}

export interface StoredPlace extends Required<PlaceOfWork> {
  /** Of the person, the same in every place. */
  public_name: string | null;
  /** Of the session: where it works, which may be none of these. */
  chosen: string | null;
}

/** The organizations of the session's person, longest first. */
export function placesOfWork(db: Queries, session_id: string): Promise<StoredPlace[]> {
  return db.all<StoredPlace>(
    `select o.organization_id as id, o.name, m.role, m.invited_by, m.invited_at, m.accepted_at, p.public_name,
       s.organization_id as chosen from sessions s
     join people p on p.id = s.person_id
     join memberships m on m.person_id = s.person_id
     join organizations o on o.organization_id = m.organization_id
     where s.id = $1 order by m.invited_at, o.organization_id`,
    [session_id],
  );
}

/** A session works where its person chose to; an invitation does not move it. Null once the person is no longer a member there. */
export function chosenOf<Place extends Pick<StoredPlace, 'id' | 'chosen'>>(places: Place[]): Place | null {
  return places.find(({ id, chosen }) => id === chosen) ?? null;
}

/** A new session works in the one place its person has; of several none is chosen for them. */
export async function enterOnlyPlace(tx: Queries, session_id: string): Promise<void> {
  await tx.run(
    `update sessions set organization_id = (select min(m.organization_id) from memberships m
       where m.person_id = sessions.person_id having count(*) = 1) where id = $1`,
    [session_id],
  );
}

/** Throws `not_found`: another's organization does not exist. */
export async function chooseOrganization(
  tx: Queries,
  session_id: string,
  organization_id: string,
  at: string,
): Promise<void> {
  const chosen = await tx.run(
    `update memberships set joined_at = coalesce(joined_at, $3), accepted_at = coalesce(accepted_at, $3)
     where organization_id = $2 and person_id = (select person_id from sessions where id = $1)`,
    [session_id, organization_id, at],
  );
  if (chosen === 0) throw new Refusal('not_found', 'You belong to no such organization.');
  await tx.run('update sessions set organization_id = $2 where id = $1', [session_id, organization_id]);
}

export async function deleteSession(db: Queries, session_id: string): Promise<void> {
  await db.run('delete from sessions where id = $1', [session_id]);
}

export async function deleteSessionsOf(db: Queries, person_id: string): Promise<void> {
  await db.run('delete from sessions where person_id = $1', [person_id]);
}

/** Locks the counting of this mailbox's requests until the transaction ends, by a row of its own that counts as no request. */
export async function holdMailbox(tx: Queries, mailbox_sha256: string, at: string): Promise<void> {
  await tx.run(
    `insert into mailbox_requests (id, mailbox_sha256, requested_at) values ($1, '', $2)
     on conflict (id) do update set requested_at = excluded.requested_at`,
    [mailbox_sha256, at],
  );
}

export async function requestsSince(tx: Queries, mailbox_sha256: string, since: string): Promise<number> {
  const row = await tx.get<{ requests: number }>(
    'select count(*) as requests from mailbox_requests where mailbox_sha256 = $1 and requested_at >= $2',
    [mailbox_sha256, since],
  );
  return Number(row?.requests ?? 0);
}

export async function insertRequest(tx: Queries, mailbox_sha256: string, at: string): Promise<void> {
  await tx.run('insert into mailbox_requests (id, mailbox_sha256, requested_at) values ($1, $2, $3)', [
    newId('request'),
    mailbox_sha256,
    at,
  ]);
}

const MAILS_KEPT_MS = 3_600_000;

/** Sessions and links that ended by themselves, and mails that count no more; run now and then. */
export async function forgetEnded(db: Queries, at: string): Promise<void> {
  const counted_since = new Date(Date.parse(at) - MAILS_KEPT_MS).toISOString();
  await db.run('delete from mailbox_requests where requested_at < $1', [counted_since]);
  await db.run('delete from sessions where expires_at < $1', [at]);
  await db.run('delete from sign_in_links where expires_at < $1', [at]);
}

/** The secret of this name: the first process to ask makes it, and all have the same. */
export async function ensureSecret(tx: Queries, name: string, made: string, at: string): Promise<string> {
  await tx.run('insert into service_secrets (name, secret, created_at) values ($1, $2, $3) on conflict do nothing', [
    name,
    made,
    at,
  ]);
  const row = await tx.get<{ secret: string }>('select secret from service_secrets where name = $1', [name]);
  return row!.secret;
}
