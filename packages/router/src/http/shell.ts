/** What the routes share: authentication, and creating once per `Idempotency-Key` through the writer. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { type App, OPEN_BODY_BYTES } from '@rcpt/service/http/app.ts';
import { answerOnce, type Created } from '@rcpt/service/http/idempotency.ts';
import { secretsEqual } from '@rcpt/service/ids.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { enrollmentSecret, ownNames } from '../config.ts';
import type { Changes } from '../notifier.ts';
import type { ReceiptBatch } from '../receipts/batch.ts';
import type { Router } from '../router.ts';
import type { StoredWorker } from '../store/workers.ts';
import { createCredentialCache } from './credential-cache.ts';
import { refuseOtherSites, requireOwnName } from './host.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `member`: open, or under the admin token where one is set. `worker`: a worker's token. `enroll`: see docs/spec.md §18. */
    open_to?: 'all' | 'member' | 'worker' | 'enroll';
  }
  interface FastifyRequest {
    worker: StoredWorker;
    bearer: string;
  }
}

export function authenticate(
  app: App,
  { config, db, notifier, now }: Pick<Router, 'config' | 'db' | 'notifier' | 'now'>,
): void {
  const credentials = createCredentialCache(db, notifier, now);
  app.addHook('onClose', async () => credentials.close());
  const enrollment = enrollmentSecret(config);
  const names = ownNames(config);
  app.decorateRequest('worker');
  app.decorateRequest('bearer', '');

  app.addHook('onRoute', (route) => {
    if (route.config?.open_to === 'all') route.bodyLimit = OPEN_BODY_BYTES;
  });
  app.addHook('onRequest', async (request) => {
    const to = request.routeOptions.config.open_to;
    if (to === undefined || to === 'all') return;
    request.bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (to === 'worker') request.worker = await credentials.find(request.bearer);
    else if (to === 'enroll') admit(request, enrollment?.token, enrollment?.name);
    else admit(request, config.admin_token, 'admin token');
  });

  /** Checks the credential where one is set. An open route answers only to the router's own names, and not to pages of other sites. */
  function admit(request: FastifyRequest, token: string | undefined, name = ''): void {
    if (token !== undefined) {
      require(request, token, name);
      return;
    }
    // No token is set, so the bearer is not checked: it must not tell one caller from another.
    request.bearer = '';
    if (names !== null) requireOwnName(request.headers.host, names);
    refuseOtherSites(request.method, request.headers['sec-fetch-site']);
  }
}

function require(request: FastifyRequest, token: string, name: string): void {
  if (!secretsEqual(request.bearer, token))
    throw new Refusal('unauthenticated', `Send the ${name}: Authorization: Bearer …`);
}

/** Open on loopback; under the admin token where one is set. */
export const OPEN_OR_BEARER: Record<string, string[]>[] = [{}, { bearer: [] }];

export const IdempotencyHeader = z.object({ 'idempotency-key': z.string().optional() });

type Create = (tx: Queries, batch: ReceiptBatch, changes: Changes) => Promise<Created>;

/** 201 with `Location`. */
export async function createAndSend(router: Router, request: FastifyRequest, reply: FastifyReply, create: Create) {
  return sendCreated(reply, await createdOnce(router, request, create));
}

export function sendCreated(reply: FastifyReply, { body, location }: Created) {
  return reply.code(201).header('location', location).send(body);
}

/** Once per `Idempotency-Key`, through the writer. */
export function createdOnce({ writer }: Router, request: FastifyRequest, create: Create): Promise<Created> {
  const idempotent = {
    organization_id: '',
    key: keyOf(request),
    credential: request.bearer,
    request: { method: request.method, url: request.url, body: request.body ?? null },
  };
  return writer.execute<Created>({
    kind: 'store',
    run: (tx, batch, changes) => answerOnce(tx, idempotent, (inner) => create(inner, batch, changes)),
  });
}

export function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Refusal('invalid', 'Idempotency-Key takes 1 to 255 printable ASCII characters without spaces.');
}
