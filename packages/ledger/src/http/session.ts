/** Signing in and out, and what a session is. */
import { NewSession, Session, SessionChange, SignInAnswer, SignInRequest } from '@rcpt/contract/ledger/people.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { changeSession, describeKey, describeSession, signOut, signOutEverywhere } from '../people/sessions.ts';
import { openSession, requestLink } from '../people/sign-in.ts';
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
        description: 'The answer is the same for every mailbox; the mail goes to members of an organization only.',
        body: SignInRequest,
        response: { 200: SignInAnswer },
      },
    },
    async (request) => ({ sent: true as const, ...(await requestLink(ledger, request.body.email)) }),
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
      const presented = ledger.session_cookie.valueIn(request.headers.cookie);
      const { signed_in, session_token } = await openSession(ledger, request.body, presented);
      reply.header('cache-control', 'no-store').header('set-cookie', ledger.session_cookie.give(session_token));
      return describeSession(ledger.db, signed_in);
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
    ({ person, principal }) =>
      person === null ? describeKey(ledger.db, principal) : describeSession(ledger.db, person),
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
    async (request) => describeSession(ledger.db, await changeSession(ledger, request.credential, request.body)),
  );

  app.delete(
    '/session',
    {
      config: { may: 'person' },
      schema: { ...common, summary: 'Sign out', response: { 200: SignedOut } },
    },
    async (request, reply) => {
      await signOut(ledger, request.person!);
      reply.header('set-cookie', ledger.session_cookie.takeBack);
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
      await signOutEverywhere(ledger, request.person!);
      reply.header('set-cookie', ledger.session_cookie.takeBack);
      return { signed_out: true as const };
    },
  );
}
