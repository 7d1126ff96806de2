/** A person who is signed in with one browser: who they are, where their session works, and how it ends. */
import type { PlaceOfWork, Session, SessionChange } from '@rcpt/contract/ledger/people.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import { recordActivity } from '../activity/record.ts';
import { refuse } from '../problems.ts';
import { listMemberships, listPlacesOfWork, updatePublicName } from '../store/people.ts';
import {
  chooseOrganization,
  deleteSession,
  deleteSessionsOf,
  findSession,
  renewSession,
  type StoredSession,
} from '../store/sessions.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { recordJoined } from './members.ts';
import type { People } from './people.ts';
import type { Principal } from './principal.ts';
import { sealedNameOfKey } from './signature.ts';

export const SESSION_SECONDS = 30 * 86_400;
const RENEWED_AFTER_SECONDS = 86_400;

/** A session that was presented and has not ended. */
export interface SignedIn {
  session_id: string;
  person_id: string;
  email: string;
  public_name: string | null;
  expires_at: string;
  organizations: PlaceOfWork[];
  /** Null: the session works in no organization. None was chosen, or the person was removed from it. */
  principal: Principal | null;
}

/** When a session ends that is used at this instant. */
export function endOfSession(at: string): string {
  return new Date(Date.parse(at) + SESSION_SECONDS * 1_000).toISOString();
}

/** Null: no session has this token, or it has ended. A session that is used is renewed once a day. */
export async function presentSession(
  { db, now }: Pick<People, 'db' | 'now'>,
  token: string,
): Promise<{ signed_in: SignedIn; is_renewed: boolean } | null> {
  const at = now();
  const session = await findSession(db, secretSha256(token), at);
  if (session === undefined) return null;
  const expires_at = endOfSession(at);
  const is_renewed = Date.parse(expires_at) - Date.parse(session.expires_at) >= RENEWED_AFTER_SECONDS * 1_000;
  if (is_renewed) await renewSession(db, session.id, expires_at, at);
  return { signed_in: await signedInWith(db, is_renewed ? { ...session, expires_at } : session), is_renewed };
}

export async function signedInWith(db: Queries, session: StoredSession): Promise<SignedIn> {
  const { id, person_id, email, public_name, expires_at } = session;
  const organizations = await listPlacesOfWork(db, person_id);
  const place = organizations.find((one) => one.id === session.organization_id);
  return {
    session_id: id,
    person_id,
    email,
    public_name,
    expires_at,
    organizations,
    principal: place
      ? { organization_id: place.id, id: person_id, role: place.role, name: public_name ?? person_id }
      : null,
  };
}

/**
 * Chooses where the session works from now on, and the person's public name.
 * Throws `not_found`, `no_organization`, `unauthenticated` where the session has ended meanwhile.
 */
export async function changeSession(
  { db, credentials, now }: People,
  token: string,
  { organization_id, public_name }: SessionChange,
): Promise<SignedIn> {
  const at = now();
  const changed = await db.transaction(async (tx) => {
    const { id, person_id, public_name: before } = await loadSession(tx, token, at);
    const joined = organization_id !== undefined && (await chooseOrganization(tx, id, organization_id, at));
    if (public_name !== undefined) await updatePublicName(tx, person_id, public_name, at);
    const signed_in = await signedInWith(tx, await loadSession(tx, token, at));
    if (signed_in.organizations.length === 0) throw noOrganization();
    for (const member of await listMemberships(tx, person_id)) {
      if (joined && member.organization_id === organization_id)
        await recordJoined(tx, member.organization_id, person_id, at);
      if (member.joined_at === null || public_name === undefined || public_name === before) continue;
      const by = { id: person_id, name: before ?? person_id };
      const details = { before, after: public_name };
      await recordActivity(tx, member.organization_id, { by, kind: 'public_name_changed', details }, at);
    }
    return signed_in;
  });
  await credentials.invalidate();
  return changed;
}

async function loadSession(tx: Queries, token: string, at: string): Promise<StoredSession> {
  const session = await findSession(tx, secretSha256(token), at);
  if (session === undefined) throw sessionEnded();
  return session;
}

export async function signOut({ db, credentials }: People, { session_id }: SignedIn): Promise<void> {
  await deleteSession(db, session_id);
  await credentials.invalidate();
}

export async function signOutEverywhere({ db, credentials }: People, { person_id }: SignedIn): Promise<void> {
  await deleteSessionsOf(db, person_id);
  await credentials.invalidate();
}

/** The session of a person, as they are shown it. Throws `no_organization`. */
export async function describeSession(db: Queries, person: SignedIn): Promise<Session> {
  const { person_id, email, public_name, expires_at, organizations, principal } = person;
  if (organizations.length === 0) throw noOrganization();
  return {
    kind: 'person',
    id: person_id,
    name: public_name ?? email,
    email,
    public_name,
    role: principal?.role ?? null,
    organization: principal && (await loadOrganization(db, principal.organization_id)),
    organizations,
    expires_at,
  };
}

/** What an API key is shown in the place of a session. */
export async function describeKey(db: Queries, key: Principal): Promise<Session> {
  const { organization_id, id, name, role } = key;
  const organization = await loadOrganization(db, organization_id);
  return {
    kind: 'key',
    id,
    name,
    email: null,
    public_name: sealedNameOfKey(key),
    role,
    organization,
    organizations: [{ id: organization_id, name: organization.name, role }],
    expires_at: null,
  };
}

export function sessionEnded(): Refusal {
  return new Refusal('unauthenticated', 'This session has ended. Sign in again.');
}

export function noOrganization(): Refusal {
  return refuse('no_organization', 'You belong to no organization any more. Ask an owner of one to invite you.');
}

/** Of a session that works in no organization: `no_organization`, or `organization_not_chosen` with the `organizations`. */
export function worksNowhere({ organizations }: SignedIn): Refusal {
  if (organizations.length === 0) return noOrganization();
  return refuse(
    'organization_not_chosen',
    'This session works in no organization: none was chosen, or you were removed from it. Nothing was done. Choose one of your organizations: PATCH /session {"organization_id": "…"}.',
    { organizations },
  );
}
