/**
 * Who may call what. A route names its act in `config.may`; this hook finds the principal before the body is read.
 * A credential is looked up at most every two seconds, so a revoked key is refused everywhere within five.
 */

import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http.ts';
import { secretSha256, secretsEqual } from '@rcpt/service/identity.ts';
import type { FastifyRequest } from 'fastify';
import { type Act, MAY, type Principal } from '../domain/principal.ts';
import type { Ledger } from '../ledger.ts';
import { findCredential } from '../store/tenancy.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `public`: anyone. `operate`: the service's admin token. Else an act of a principal. */
    may?: Act | 'public' | 'operate';
  }
  interface FastifyRequest {
    principal: Principal;
    /** The presented bearer token; never logged. */
    credential: string;
  }
}

const KEPT_MS = 2_000;
const KEPT_CREDENTIALS = 10_000;
const API_KEY = /^rk_([0-9a-f]{32})_[\w-]{43}$/;

export function authenticate(app: App, { db, config }: Pick<Ledger, 'db' | 'config'>): void {
  const kept = new Map<string, { principal: Principal; until: number }>();
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.may === undefined) throw new Error(`${method} ${url} does not say in config.may who may call it`);
  });
  app.decorateRequest('principal');
  app.decorateRequest('credential', '');

  app.addHook('onRequest', async (request, reply) => {
    const may = request.routeOptions.config.may;
    if (may === undefined || may === 'public') return;
    // What one credential may see is kept by no browser and no proxy for the next.
    reply.header('cache-control', 'no-store');
    if (may === 'operate') return operator(request, config.admin_token);
    request.credential = bearerOf(request);
    request.principal = await principalOf(request.credential);
    const roles: readonly string[] = MAY[may];
    if (!roles.includes(request.principal.role))
      throw new Refusal(
        'forbidden',
        `The role ${request.principal.role} may not do this; it takes ${roles.join(' or ')}.`,
      );
  });

  async function principalOf(token: string): Promise<Principal> {
    const hash = secretSha256(token);
    const known = kept.get(hash);
    if (known !== undefined && known.until > performance.now()) return known.principal;
    const organization = API_KEY.exec(token)?.[1];
    const found = organization === undefined ? null : await findCredential(db, `org_${organization}`, hash);
    if (found === null || !secretsEqual(found.secret_sha256, hash))
      throw new Refusal('unauthenticated', 'This API key is unknown or revoked.');
    if (kept.size >= KEPT_CREDENTIALS) kept.clear();
    kept.set(hash, { principal: found.principal, until: performance.now() + KEPT_MS });
    return found.principal;
  }
}

function operator(request: FastifyRequest, admin_token: string | undefined): void {
  if (admin_token === undefined) throw new Refusal('not_found', 'Nothing is known under this address.');
  request.credential = bearerOf(request);
  if (!secretsEqual(request.credential, admin_token))
    throw new Refusal('unauthenticated', 'This is not the admin token.');
}

function bearerOf({ headers }: FastifyRequest): string {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) throw new Refusal('unauthenticated', 'Send an API key: Authorization: Bearer rk_…');
  return token;
}
