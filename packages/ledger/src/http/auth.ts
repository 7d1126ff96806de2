/**
 * Who may call what. A route says in `config.may` what its caller must be permitted; this hook finds the principal before the
 * body is read: from the API key in `Authorization`, else from the session cookie.
 */

import { Refusal } from '@rcpt/service/error.ts';
import { type App, OPEN_BODY_BYTES } from '@rcpt/service/http/app.ts';
import { secretSha256, secretsEqual } from '@rcpt/service/ids.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../ledger.ts';
import type { Credential } from '../people/credential-cache.ts';
import { PERMISSIONS, type Permission, type Principal } from '../people/principal.ts';
import { isSessionToken } from '../people/session-cookie.ts';
import { presentSession, type SignedIn, sessionEnded, worksNowhere } from '../people/sessions.ts';
import { refuse } from '../problems.ts';
import { findCredential } from '../store/tenancy.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `public`: no credential is asked for. `operate`: the service's admin token. `person`: a session, also one without an
     * organization. `self`: a session or a key. Else what a principal's role permits.
     */
    may?: Permission | 'public' | 'operate' | 'person' | 'self';
  }
  interface FastifyRequest {
    principal: Principal;
    /** Null: the credential is an API key. */
    person: SignedIn | null;
    /** The presented bearer token or cookie; never logged. */
    credential: string;
  }
}

const API_KEY = /^rk_([0-9a-f]{32})_[\w-]{43}$/;

export function authenticate(app: App, ledger: Ledger): void {
  const { db, config, session_cookie, credentials } = ledger;
  app.addHook('onRoute', (route) => {
    const { method, url, config, schema } = route;
    if (config?.may === undefined) throw new Error(`${method} ${url} does not say in config.may who may call it`);
    if (config.may === 'public') route.bodyLimit = OPEN_BODY_BYTES;
    if (schema !== undefined && config.may in CREDENTIALS)
      schema.security = CREDENTIALS[config.may as keyof typeof CREDENTIALS];
  });
  app.decorateRequest('principal');
  app.decorateRequest('person', null);
  app.decorateRequest('credential', '');

  app.addHook('onRequest', async (request, reply) => {
    const may = request.routeOptions.config.may;
    if (may === undefined || may === 'public') return;
    // What one credential may see is kept by no browser and no proxy for the next.
    reply.header('cache-control', 'no-store');
    if (may === 'operate') return operator(request, config.admin_token);
    const token = bearerOf(request);
    const cookie = token === null ? session_cookie.valueIn(request.headers.cookie) : null;
    const { principal, person } =
      cookie === null ? await ofKey(request, token) : await ofSession(request, reply, cookie);
    request.person = person;
    if (may === 'person') return requirePerson(person);
    if (principal !== null) request.principal = principal;
    if (may === 'self') return;
    if (principal === null) throw worksNowhere(person!);
    const roles: readonly string[] = PERMISSIONS[may];
    if (!roles.includes(principal.role))
      throw new Refusal('forbidden', `The role ${principal.role} may not do this; it takes ${roles.join(' or ')}.`);
  });

  // The shapes of keys and session tokens differ, so that neither is found in the cache in the other's place.
  async function ofKey(request: FastifyRequest, token: string | null): Promise<Credential> {
    if (token === null) throw new Refusal('unauthenticated', 'Sign in, or send an API key: Authorization: Bearer rk_…');
    request.credential = token;
    const organization = API_KEY.exec(token)?.[1];
    if (organization === undefined) throw unknownKey();
    const hash = secretSha256(token);
    return credentials.get(hash) ?? credentials.lookUp(hash, () => findKey(`org_${organization}`, hash));
  }

  async function findKey(organization_id: string, hash: string): Promise<Credential> {
    const found = await findCredential(db, organization_id, hash);
    if (found === null || !secretsEqual(found.secret_sha256, hash)) throw unknownKey();
    return { principal: found.principal, person: null };
  }

  async function ofSession(request: FastifyRequest, reply: FastifyReply, token: string): Promise<Credential> {
    if (!SAFE.includes(request.method)) requireSameOrigin(request, ledger.base_url);
    request.credential = token;
    if (!isSessionToken(token)) throw sessionEnded();
    const hash = secretSha256(token);
    return credentials.get(hash) ?? credentials.lookUp(hash, () => findSession(reply, token));
  }

  async function findSession(reply: FastifyReply, token: string): Promise<Credential> {
    const presented = await presentSession(ledger, token);
    if (presented === null) throw sessionEnded();
    if (presented.is_renewed) reply.header('set-cookie', session_cookie.give(token));
    return { principal: presented.signed_in.principal, person: presented.signed_in };
  }
}

const EITHER: Record<string, string[]>[] = [{ bearer: [] }, { session: [] }];
/** As the API describes itself. */
const CREDENTIALS = {
  self: EITHER,
  read: EITHER,
  work: EITHER,
  approve: EITHER,
  audit: EITHER,
  administer: EITHER,
  person: [{ session: [] }],
};

const SAFE = ['GET', 'HEAD', 'OPTIONS'];

/** A browser sends the cookie along for any page: what changes something has to come from our own pages. */
function requireSameOrigin(request: FastifyRequest, base_url: string): void {
  if (cameFromHere(request, base_url) === true) return;
  throw refuse(
    'cross_site',
    'With a session, this is taken from the ledger’s own pages only. Programs use an API key.',
  );
}

/** Where no cookie is needed yet: no other site may sign a visitor in. */
export function refuseCrossSite(ledger: Pick<Ledger, 'base_url'>) {
  return async (request: FastifyRequest): Promise<void> => {
    if (cameFromHere(request, ledger.base_url) === false)
      throw refuse('cross_site', 'Signing in is possible on the ledger’s own pages only.');
  };
}

/** As the browser says; null: the caller does not say, as programs do. Without TLS browsers name the origin alone. */
function cameFromHere({ headers, protocol, host }: FastifyRequest, base_url: string): boolean | null {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return null;
  return [new URL(base_url).origin, `${protocol}://${host}`].includes(origin);
}

function unknownKey(): Refusal {
  return new Refusal('unauthenticated', 'This API key is unknown or revoked.');
}

function requirePerson(person: SignedIn | null): void {
  if (person === null) throw new Refusal('forbidden', 'This is for people with a session; an API key has none.');
}

function operator(request: FastifyRequest, admin_token: string | undefined): void {
  if (admin_token === undefined) throw new Refusal('not_found', 'Nothing is known under this address.');
  request.credential = bearerOf(request) ?? '';
  if (!secretsEqual(request.credential, admin_token))
    throw new Refusal('unauthenticated', 'This is not the admin token.');
}

function bearerOf({ headers }: FastifyRequest): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}
