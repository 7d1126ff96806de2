/**
 * How a person signs in: ask for a link → it is mailed to members only → its token opens a session, once → the session's
 * cookie is the credential. What the caller hears never depends on whether the mailbox is known.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlaceOfWork } from '@rcpt/contract/ledger/people.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { newSecret } from '@rcpt/service/ids.ts';
import type { Mailer, Message } from '../mail/mail.ts';
import { type Invitation, invitationMail, signInMail } from '../mail/people-mail.ts';
import { refuse } from '../problems.ts';
import {
  chosenOf,
  deleteSession,
  ensureSecret,
  enterOnlyPlace,
  isMember,
  markJoined,
  placesOfWork,
  type StoredPlace,
} from '../store/people.ts';
import { type Auth, type AuthSettings, cookieName, LINK_SECONDS, makeLink, openAuth, recipientOf } from './auth.ts';
import { type MailLimit, takeMail, writtenTooOften } from './mailbox.ts';
import type { Principal } from './principal.ts';

const LINKS: MailLimit = { mails: 5, window_ms: 900_000 };
const MAIL_MS = 30_000;
const ANSWER_MS = 20;
/** A stranger's link is made for this address. It is no member's: no mail arrives there (RFC 2606). */
const NOBODY = 'nobody@ledger.invalid';

/** A session that was presented and counts. */
export interface SignedIn {
  session_id: string;
  person_id: string;
  email: string;
  public_name: string | null;
  expires_at: string;
  organizations: PlaceOfWork[];
  /** Null: they work nowhere, for they have not chosen, or belong nowhere any more. */
  principal: Principal | null;
}

export interface Opened {
  signed_in: SignedIn;
  /** `Set-Cookie` lines; empty while the browser's cookie is good as it is. */
  cookies: string[];
}

export interface PeopleSettings extends Omit<AuthSettings, 'secret'> {
  mailer: Mailer;
  /** `LEDGER_SESSION_SECRET`; without it one is made and kept in the database. */
  secret: string | undefined;
  /** What links start with. */
  base_url(): string;
  now(): string;
}

export class People {
  readonly #settings: PeopleSettings;
  readonly #mails = new Set<Promise<void>>();
  #auth: Promise<Auth> | null = null;

  constructor(settings: PeopleSettings) {
    this.#settings = settings;
  }

  /** Mails a link to a member, behind the answer: a stranger's costs the caller the same time. Throws `rate_limited`. */
  async requestLink(email: string): Promise<{ expires_in_seconds: number }> {
    const { db, now } = this.#settings;
    // The first caller after a start waits for it, member or stranger.
    await this.#open();
    const known = await db.transaction(async (tx) => {
      if (!(await takeMail(tx, `sign-in:${email}`, LINKS, now()))) throw writtenTooOften('a quarter of an hour');
      return isMember(tx, email);
    });
    // A stranger's link is made, too, and thrown away: otherwise its cost would tell who is a member.
    this.#mail(() => this.#writeLink(known ? email : NOBODY), known);
    return { expires_in_seconds: LINK_SECONDS };
  }

  /**
   * Uses the link up and opens a session. A crash in between costs the link, and the person asks for another. Where the
   * browser's session is another person's, whoever mailed the link may want their work in another account: that is asked
   * first, and `replace` is the answer. Throws `signed_in_as_another`, `sign_in_link_invalid`, `no_organization`.
   * @param cookie the session the browser has already
   */
  async openSession(token: string, cookie: string | null, replace: boolean): Promise<Opened> {
    const { db, now } = this.#settings;
    const before = cookie === null ? null : await this.#find(cookie, { disableRefresh: true });
    if (before !== null && !replace) await this.#requireSamePerson(before.response.user.email, token);
    const { response, headers } = await this.#useLink(token);
    const { id } = response.session;
    const signed_in = await db.transaction(async (tx) => {
      await enterOnlyPlace(tx, id);
      await markJoined(tx, id, now());
      return signedIn(response.session, response.user, await placesOfWork(tx, id));
    });
    if (signed_in.organizations.length === 0) {
      await deleteSession(db, id);
      throw noOrganization();
    }
    if (before !== null && replace) await deleteSession(db, before.response.session.id);
    return { signed_in, cookies: headers.getSetCookie() };
  }

  /** The session of a `Cookie` header; null when there is none that counts. Renews it once a day. */
  async sessionOf(cookie: string): Promise<Opened | null> {
    const found = await this.#find(cookie);
    if (found === null) return null;
    const { session, user } = found.response;
    const places = await placesOfWork(this.#settings.db, session.id);
    return { signed_in: signedIn(session, user, places), cookies: found.headers.getSetCookie() };
  }

  get cookie_name(): string {
    return cookieName(this.#settings.secure);
  }

  /** The session cookie of a request, as `name=value`; null when it brings none. */
  cookieOf(header: string | undefined): string | null {
    const start = `${this.cookie_name}=`;
    for (const part of header?.split(';') ?? []) if (part.trim().startsWith(start)) return part.trim();
    return null;
  }

  /** What makes a browser forget its session. */
  get farewell(): string {
    return `${this.cookie_name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${this.#settings.secure ? '; Secure' : ''}`;
  }

  /** Tells a person that they were invited, behind the answer. */
  invite(invitation: Omit<Invitation, 'link'>): void {
    const { base_url } = this.#settings;
    this.#mail(async () => invitationMail({ ...invitation, link: `${base_url()}/sign-in` }));
  }

  /** Waits for the mails in hand. */
  async close(): Promise<void> {
    await Promise.all(this.#mails);
  }

  async #writeLink(to: string): Promise<Message> {
    const link = await makeLink(await this.#open(), this.#settings.base_url(), to);
    return signInMail({ to, link, minutes: LINK_SECONDS / 60 });
  }

  /** @param is_sent false: it is written alone */
  #mail(write: () => Promise<Message>, is_sent = true): void {
    const { mailer, logger } = this.#settings;
    // The answer leaves first: its time tells nobody whether there is a mail to write.
    const sent = sleep(ANSWER_MS)
      .then(write)
      .then((message) => (is_sent ? mailer.send(message, AbortSignal.timeout(MAIL_MS)) : undefined))
      // A mail server's own words may repeat an address.
      .catch((error: Error & { code?: unknown }) =>
        logger.warn({ error: error.name, code: error.code }, 'a mail to a person was not sent'),
      )
      .finally(() => this.#mails.delete(sent));
    this.#mails.add(sent);
  }

  async #find(cookie: string, query: { disableRefresh?: boolean } = {}) {
    const auth = await this.#open();
    const headers = new Headers({ cookie });
    const { response, headers: answered } = await auth.api
      .getSession({ headers, query, returnHeaders: true })
      .catch(rethrow);
    return response === null ? null : { response, headers: answered };
  }

  async #requireSamePerson(signed_in_as: string, token: string): Promise<void> {
    const link_for = await recipientOf(await this.#open(), token);
    if (link_for === null || link_for === signed_in_as) return;
    throw refuse(
      'signed_in_as_another',
      `You are signed in as ${signed_in_as}, and this link is for ${link_for}. It was not used up: send it with "replace": true to go on as ${link_for}.`,
      { signed_in_as, link_for },
    );
  }

  async #useLink(token: string) {
    const auth = await this.#open();
    try {
      return await auth.api.magicLinkVerify({ query: { token }, headers: new Headers(), returnHeaders: true });
    } catch (error) {
      // It would send a browser on to a page that says what was wrong.
      if ((error as { status?: unknown }).status !== 'FOUND') return rethrow(error);
      throw refuse(
        'sign_in_link_invalid',
        'This sign-in link was used already, has run out, or never was one. Ask for a new one.',
      );
    }
  }

  #open(): Promise<Auth> {
    // A database that is away just now is asked again by the next.
    this.#auth ??= this.#load().catch((error: unknown) => {
      this.#auth = null;
      throw error;
    });
    return this.#auth;
  }

  async #load(): Promise<Auth> {
    const { db, secret, now } = this.#settings;
    const kept = () => db.transaction((tx) => ensureSecret(tx, 'session cookie', newSecret(), now()));
    return openAuth({ ...this.#settings, secret: secret ?? (await kept()) });
  }
}

function signedIn(
  session: { id: string; expiresAt: Date },
  user: { id: string; email: string },
  places: StoredPlace[],
): SignedIn {
  const place = chosenOf(places);
  return {
    session_id: session.id,
    person_id: user.id,
    email: user.email,
    public_name: places[0]?.public_name ?? null,
    expires_at: session.expiresAt.toISOString(),
    organizations: places.map(({ public_name: _, chosen: __, ...shown }) => shown),
    principal: place && {
      organization_id: place.id,
      id: user.id,
      role: place.role,
      name: place.public_name ?? user.id,
    },
  };
}

export function sessionEnded(): Refusal {
  return new Refusal('unauthenticated', 'This session has ended. Sign in again.');
}

export function noOrganization(): Refusal {
  return refuse('no_organization', 'You belong to no organization any more. Ask an owner of one to invite you.');
}

/** Why somebody with a session works nowhere: `no_organization`, or `organization_not_chosen` with their `organizations`. */
export function worksNowhere({ organizations }: Pick<SignedIn, 'organizations'>): Refusal {
  if (organizations.length === 0) return noOrganization();
  return refuse(
    'organization_not_chosen',
    'This session works in no organization: none was chosen, or you were removed from it. Nothing was done. Choose one of your organizations: PATCH /session {"organization_id": "…"}.',
    { organizations },
  );
}

/** Better Auth wraps what the database threw. */
function rethrow(error: unknown): never {
  const cause = (error as { cause?: unknown }).cause;
  throw cause instanceof Refusal ? cause : error;
}
