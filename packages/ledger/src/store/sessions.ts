/** Sessions and sign-in links. Of their tokens only the SHA-256 is stored: what is read here opens nothing. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';

export interface StoredSession {
  id: string;
  person_id: string;
  email: string;
  public_name: string | null;
  /** Where the session works. Its person may be no member there any more. */
  organization_id: string | null;
  expires_at: string;
}

const SESSION = `select s.id, s.person_id, p.email, p.public_name, s.organization_id, s.expires_at
  from sessions s join people p on p.id = s.person_id`;

/** A session that has not ended. */
export function findSession(db: Queries, token_sha256: string, at: string): Promise<StoredSession | undefined> {
  return db.get<StoredSession>(`${SESSION} where s.token_sha256 = $1 and s.expires_at > $2`, [token_sha256, at]);
}

/** A new session works in the only organization of its person; with several it works in none until one is chosen. */
export async function insertSession(
  tx: Queries,
  {
    id,
    token_sha256,
    person_id,
    expires_at,
  }: Pick<StoredSession, 'id' | 'person_id' | 'expires_at'> & { token_sha256: string },
  at: string,
): Promise<void> {
  await tx.run(
    `insert into sessions (id, token_sha256, person_id, expires_at, created_at, updated_at, organization_id)
     values ($1, $2, $3, $4, $5, $5,
       (select min(m.organization_id) from memberships m where m.person_id = $3 having count(*) = 1))`,
    [id, token_sha256, person_id, expires_at, at],
  );
}

export async function renewSession(db: Queries, id: string, expires_at: string, at: string): Promise<void> {
  await db.run('update sessions set expires_at = $2, updated_at = $3 where id = $1', [id, expires_at, at]);
}

/** The person has joined where the session works; other organizations that invited them are told nothing. Null: they had joined before. */
export async function markJoined(tx: Queries, session_id: string, at: string): Promise<string | null> {
  const joined = await tx.get<{ organization_id: string }>(
    `update memberships set joined_at = $2 where joined_at is null and exists (select 1 from sessions s
       where s.id = $1 and s.person_id = memberships.person_id and s.organization_id = memberships.organization_id)
     returning organization_id`,
    [session_id, at],
  );
  return joined?.organization_id ?? null;
}

/** True: the person has joined with this. Throws `not_found`: another's organization does not exist. */
export async function chooseOrganization(
  tx: Queries,
  session_id: string,
  organization_id: string,
  at: string,
): Promise<boolean> {
  const before = await tx.get<{ joined_at: string | null }>(
    `select joined_at from memberships
     where organization_id = $2 and person_id = (select person_id from sessions where id = $1) ${tx.dialect.forUpdate}`,
    [session_id, organization_id],
  );
  if (before === undefined) throw new Refusal('not_found', 'You belong to no such organization.');
  await tx.run(
    `update memberships set joined_at = coalesce(joined_at, $3), accepted_at = coalesce(accepted_at, $3)
     where organization_id = $2 and person_id = (select person_id from sessions where id = $1)`,
    [session_id, organization_id, at],
  );
  await tx.run('update sessions set organization_id = $2 where id = $1', [session_id, organization_id]);
  return before.joined_at === null;
}

/** Whether the session has not ended, works in this organization, and its person is still a member there. */
export async function worksIn(db: Queries, session_id: string, organization_id: string, at: string): Promise<boolean> {
  const row = await db.get(
    `select 1 as one from sessions s
     join memberships m on m.person_id = s.person_id and m.organization_id = s.organization_id
     where s.id = $1 and s.organization_id = $2 and s.expires_at > $3`,
    [session_id, organization_id, at],
  );
  return row !== undefined;
}

export async function deleteSession(db: Queries, session_id: string): Promise<void> {
  await db.run('delete from sessions where id = $1', [session_id]);
}

export async function deleteSessionsOf(db: Queries, person_id: string): Promise<void> {
  await db.run('delete from sessions where person_id = $1', [person_id]);
}

/** @param person_id null: the link signs in no person */
export async function insertLink(
  tx: Queries,
  token_sha256: string,
  person_id: string | null,
  expires_at: string,
): Promise<void> {
  await tx.run('insert into sign_in_links (token_sha256, person_id, expires_at) values ($1, $2, $3)', [
    token_sha256,
    person_id,
    expires_at,
  ]);
}

/** The person that the link would sign in. It stays unused. */
export function findLink(
  db: Queries,
  token_sha256: string,
  at: string,
): Promise<{ person_id: string; email: string } | undefined> {
  return db.get(
    `select p.id as person_id, p.email from sign_in_links l join people p on p.id = l.person_id
     where l.token_sha256 = $1 and l.expires_at > $2`,
    [token_sha256, at],
  );
}

/** The person that the link signs in. Of many uses at once one gets it, since one deletes the row. */
export async function useLink(tx: Queries, token_sha256: string, at: string): Promise<string | null> {
  const used = await tx.get<{ person_id: string | null }>(
    'delete from sign_in_links where token_sha256 = $1 and expires_at > $2 returning person_id',
    [token_sha256, at],
  );
  return used?.person_id ?? null;
}

/** Run now and then. */
export async function forgetEndedSessions(db: Queries, at: string): Promise<void> {
  await db.run('delete from sessions where expires_at < $1', [at]);
  await db.run('delete from sign_in_links where expires_at < $1', [at]);
}
