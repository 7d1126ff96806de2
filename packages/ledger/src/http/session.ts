/** Signing in and out, and who one is. */
import { NewSession, Session, SessionChange, SignInAnswer, SignInRequest } from '@rcpt/contract/ledger/people.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import type { Credential } from '../people/credential-cache.ts';
import { noOrganization, type SignedIn, sessionEnded } from '../people/people.ts';
import type { Principal } from '../people/principal.ts';
import { sealedNameOfKey } from '../people/signature.ts';
import { chooseOrganization, deleteSession, deleteSessionsOf, updatePublicName } from '../store/people.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { refuseCrossSite } from './auth.ts';

const SignedOut = z.object({ signed_out: z.literal(true) });

/** After `shareRoutes`, which brings the limit per address. */
export function sessionRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['people'] };
  const rateLimit = { max: ledger.config.sign_in_requests_per_minute, timeWindow: 60_000 };
  const open = { config: { may: 'public', rateLimit }, onRequest: refuseCrossSite(ledger) } as const;

  app.post(
    '/sign-in',
    {
      ...open,
      schema: {
        tags: ['people'],
        summary: 'Ask for a sign-in link by mail',
        description: 'The answer is the same whoever is asked for; the mail goes to members of an organization only.',
        body: SignInRequest,
        response: { 200: SignInAnswer },
      },
    },
    async (request) => ({ sent: true as const, ...(await ledger.people.requestLink(request.body.email)) }),
  );

  app.post(
    '/session',
    {
      ...open,
      schema: {
        tags: ['people'],
        summary: 'Sign in with the token of a mailed link, once; the session comes as a cookie',
        description:
          'Where the cookie of another person’s session comes along this is 409 `signed_in_as_another`, with `signed_in_as` and `link_for`, and the link stays good. `"replace": true` ends that session and signs in as the other.',
        body: NewSession,
        response: { 200: Session },
      },
    },
    async (request, reply) => {
      const { token, replace = false } = request.body;
      const cookie = ledger.people.cookieOf(request.headers.cookie);
      const { signed_in, cookies } = await ledger.people.openSession(token, cookie, replace);
      if (replace) await ledger.credentials.forget();
      reply.header('cache-control', 'no-store').header('set-cookie', cookies);
      return sessionOf(ledger, { principal: signed_in.principal, person: signed_in });
    },
  );

  app.get(
    '/session',
    {
      config: { may: 'self' },
      schema: {
        ...common,
        summary: 'Who holds this session or key',
        description:
          'Also of a person who has not chosen an organization, or was removed from it: `organization` is null then, and `organizations` are those to choose from (PATCH /session).',
        response: { 200: Session },
      },
    },
    ({ person, principal = null }) => sessionOf(ledger, { person, principal }),
  );

  app.patch(
    '/session',
    {
      config: { may: 'person' },
      schema: {
        ...common,
        summary: 'Choose the organization to work in from now on, or one’s public name',
        description:
          'With `organization_id` this session works there until another is chosen; an invitation does not change it. A person with several organizations chooses once after each sign-in; a person who is removed from the chosen one chooses again. Until then what needs an organization is refused: 409 `organization_not_chosen`, with `organizations`. `public_name` is sealed, in public and for ever, with what this person approves or decides, in every organization they belong to. It is one line of 1 to 100 visible characters without an e-mail address or an id in it, and is kept trimmed and in Unicode form NFC. Changed, it counts for what is approved from then on; receipts that are sealed keep the name they were sealed with.',
        body: SessionChange,
        response: { 200: Session },
      },
    },
    async (request) => {
      await ledger.db.transaction((tx) => changeSession(tx, request.person!, request.body, ledger.now()));
      await ledger.credentials.forget();
      const person = (await ledger.people.sessionOf(request.credential))?.signed_in;
      // Signed out, or removed, in the meantime.
      if (person === undefined) throw sessionEnded();
      return sessionOf(ledger, { principal: person.principal, person });
    },
  );

  app.delete(
    '/session',
    {
      config: { may: 'person' },
      schema: { ...common, summary: 'Sign out', response: { 200: SignedOut } },
    },
    async (request, reply) => {
      await deleteSession(ledger.db, request.person!.session_id);
      await ledger.credentials.forget();
      reply.header('set-cookie', ledger.people.farewell);
      return { signed_out: true as const };
    },
  );

  app.delete(
    '/sessions',
    {
      config: { may: 'person' },
      schema: {
        ...common,
        summary: 'Sign out everywhere; other processes refuse the sessions within five seconds',
        response: { 200: SignedOut },
      },
    },
    async (request, reply) => {
      await deleteSessionsOf(ledger.db, request.person!.person_id);
      await ledger.credentials.forget();
      reply.header('set-cookie', ledger.people.farewell);
      return { signed_out: true as const };
    },
  );
}

/** Throws `not_found`, `no_organization`. */
async function changeSession(tx: Queries, person: SignedIn, change: SessionChange, at: string): Promise<void> {
  const { organization_id, public_name } = change;
  if (organization_id !== undefined) await chooseOrganization(tx, person.session_id, organization_id, at);
  else if (person.organizations.length === 0) throw noOrganization();
  if (public_name !== undefined) await updatePublicName(tx, person.person_id, public_name, at);
}

/** Throws `no_organization`. */
async function sessionOf({ db }: Ledger, { principal, person }: Credential): Promise<Session> {
  if (person === null) return sessionOfKey(db, principal!);
  if (person.organizations.length === 0) throw noOrganization();
  return {
    kind: 'person',
    id: person.person_id,
    name: person.public_name ?? person.email,
    email: person.email,
    public_name: person.public_name,
    role: principal?.role ?? null,
    organization: principal && (await loadOrganization(db, principal.organization_id)),
    organizations: person.organizations,
    expires_at: person.expires_at,
  };
}

async function sessionOfKey(db: Ledger['db'], key: Principal): Promise<Session> {
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
