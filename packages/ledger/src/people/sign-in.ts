/**
 * How a person signs in: they ask for a link → it is mailed to members only → its token opens a session, once → the token of
 * the session, in a cookie, is the credential. The answer to a request for a link never depends on whether the mailbox is known.
 */
import type { NewSession } from '@rcpt/contract/ledger/people.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import { newId, newSecret, secretSha256 } from '@rcpt/service/ids.ts';
import type { z } from 'zod';
import { OPERATOR_ACTS } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import type { BackgroundMail } from '../mail/background.ts';
import { signInMail } from '../mail/people-mail.ts';
import { refuse } from '../problems.ts';
import { findMemberByMailbox, listMemberships, listPlacesOfWork } from '../store/people.ts';
import {
  deleteSession,
  findLink,
  findSession,
  insertLink,
  insertSession,
  markJoined,
  type StoredSession,
  useLink,
} from '../store/sessions.ts';
import { countMail, type MailLimit, tooManyMails } from './mail-limit.ts';
import { named, recordJoined } from './members.ts';
import type { People } from './people.ts';
import { endOfSession, noOrganization, type SignedIn, signedInWith } from './sessions.ts';

const LINK_SECONDS = 900;
const LINKS: MailLimit = { mails: 5, window_ms: 900_000 };

export interface LinkRequests extends Pick<People, 'db' | 'now'> {
  /** What links start with. */
  base_url: string;
  mails: BackgroundMail;
}

/**
 * Mails a link to a member, behind the answer. For a mailbox of no member the same is done, a link is stored and its mail
 * written, but it signs in no person and is not sent. Throws `rate_limited`.
 */
export async function requestLink(
  { db, base_url, mails, now }: LinkRequests,
  email: string,
): Promise<{ expires_in_seconds: number }> {
  const at = now();
  const { person_id, link } = await db.transaction(async (tx) => {
    if (!(await countMail(tx, `sign-in:${email}`, LINKS, at))) throw tooManyMails('a quarter of an hour');
    const person_id = await findMemberByMailbox(tx, email);
    return { person_id, link: await createLink(tx, base_url, person_id, at) };
  });
  mails.send(() => signInMail({ to: email, link, minutes: LINK_SECONDS / 60 }), { is_sent: person_id !== null });
  return { expires_in_seconds: LINK_SECONDS };
}

/**
 * A link that signs this person in, once. Its token stands in the fragment: no server is sent it, and a mail scanner that
 * follows the link does not use it up, since the page has to post it.
 */
export async function createLink(tx: Queries, base_url: string, person_id: string | null, at: string): Promise<string> {
  const token = newSecret();
  await insertLink(tx, secretSha256(token), person_id, new Date(Date.parse(at) + LINK_SECONDS * 1_000).toISOString());
  return `${base_url}/sign-in#token=${token}`;
}

/** A link from the operator's hands, which signs in as this person: it is recorded in every organization of theirs. */
export function linkByOperator(db: Db, base_url: string, person_id: string, at: string): Promise<string> {
  return db.transaction(async (tx) => {
    const link = await createLink(tx, base_url, person_id, at);
    for (const member of await listMemberships(tx, person_id)) {
      const act = { by: OPERATOR_ACTS, kind: 'sign_in_link_made', details: { member: named(member) } } as const;
      await recordActivity(tx, member.organization_id, act, at);
    }
    return link;
  });
}

/**
 * Uses the link up and opens a session, in one transaction. Where the browser is signed in as another person, the sender of the
 * link may want this person's work in the sender's account: the person is asked first, and `replace` is the answer. It ends the
 * session before. Throws `signed_in_as_another`, `sign_in_link_invalid`, `no_organization`.
 * @param presented the token of the session that the browser has already
 */
export async function openSession(
  { db, credentials, now }: People,
  { token, replace = false }: z.infer<typeof NewSession>,
  presented: string | null,
): Promise<{ signed_in: SignedIn; session_token: string }> {
  const at = now();
  const link_sha256 = secretSha256(token);
  const session_token = newSecret();
  const signed_in = await db.transaction(async (tx) => {
    const before = presented === null ? undefined : await findSession(tx, secretSha256(presented), at);
    if (before !== undefined && !replace) await requireSamePerson(tx, before, link_sha256, at);
    const person_id = await useLink(tx, link_sha256, at);
    if (person_id === null)
      throw refuse(
        'sign_in_link_invalid',
        'This sign-in link was used already, has run out, or never was one. Ask for a new one.',
      );
    // The link of a person who was removed is used up all the same.
    if ((await listPlacesOfWork(tx, person_id)).length === 0) return null;
    if (before !== undefined && replace) await deleteSession(tx, before.id);
    return signedInWith(tx, await startSession(tx, person_id, secretSha256(session_token), at));
  });
  if (signed_in === null) throw noOrganization();
  if (replace) await credentials.invalidate();
  return { signed_in, session_token };
}

async function requireSamePerson(tx: Queries, before: StoredSession, link_sha256: string, at: string): Promise<void> {
  const link = await findLink(tx, link_sha256, at);
  if (link === undefined || link.person_id === before.person_id) return;
  const [signed_in_as, link_for] = [before.email, link.email];
  throw refuse(
    'signed_in_as_another',
    `You are signed in as ${signed_in_as}, and this link is for ${link_for}. It was not used up: send it with "replace": true to go on as ${link_for}.`,
    { signed_in_as, link_for },
  );
}

async function startSession(tx: Queries, person_id: string, token_sha256: string, at: string): Promise<StoredSession> {
  const id = newId('session');
  await insertSession(tx, { id, token_sha256, person_id, expires_at: endOfSession(at) }, at);
  const joined = await markJoined(tx, id, at);
  const session = (await findSession(tx, token_sha256, at))!;
  if (joined !== null) await recordJoined(tx, joined, session.person_id, at);
  return session;
}
