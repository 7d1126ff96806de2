/**
 * The organization's compute router, under the ledger's own sign-in and roles. The browser never talks to the router: it
 * stands at another origin and knows no people. What is not listed here is not forwarded.
 */
import { RouterChange, RouterConnection } from '@rcpt/contract/ledger/router.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { wantsEvents } from '@rcpt/service/http/event-stream.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import type { Ledger } from '../ledger.ts';
import { PERMISSIONS, type Permission } from '../people/principal.ts';
import { refuse } from '../problems.ts';
import { connectRouter } from '../router/connect.ts';
import { exchange } from '../router/exchange.ts';
import { findRouter } from '../store/routers.ts';
import { keyOf } from './idempotent.ts';
import { type StreamLimits, whenOver } from './stream-limits.ts';

export const FORWARDED = {
  read: [
    'GET /health',
    'GET /openapi.json',
    'GET /admin/summary',
    'GET /admin/history',
    'GET /admin/news',
    'GET /admin/workers',
    'GET /admin/workers/:id',
    'GET /jobs',
    'GET /jobs/:id',
    'GET /jobs/:id/events',
    'GET /jobs/:id/logs',
    'GET /jobs/:id/artifacts',
    'GET /members',
    'GET /members/:id',
    'GET /members/:id/status',
    'GET /members/:id/logs',
    'GET /datasets',
    'GET /datasets/:id',
    'GET /compute/prices',
    'GET /compute/inventory',
    'GET /receipts',
    'GET /receipts/verify',
  ],
  work: ['POST /compute/quote', 'POST /jobs', 'POST /jobs/:id/cancel'],
  approve: ['POST /jobs/:id/ledger/retry'],
  administer: [
    'POST /members',
    'POST /members/:id/activate',
    'POST /datasets',
    'POST /datasets/:id/access',
    'POST /compute/register-node',
    'POST /admin/workers/:id/drain',
    'POST /admin/workers/:id/resume',
    'POST /admin/workers/:id/revoke',
  ],
} as const satisfies Partial<Record<Permission, readonly string[]>>;

/** What the router gives its things; anything else could climb out of the listed paths. */
const ID = /^[A-Za-z0-9][\w.-]{0,199}$/;
const EVENT_ID = /^[\w-]{1,100}$/;
/** With the lookup, well below the five seconds in which what is withdrawn has to end. */
const LOOK_MS = 3_000;

/** For the description: the calls themselves are described by the router. */
export const ROUTER_DESCRIPTION = [
  'The organization’s compute router. These calls are forwarded to it under `/router`, e.g. `GET /router/jobs`, and answered',
  'by it; `GET /router/openapi.json` describes them.',
  ...Object.entries(FORWARDED).map(([act, calls]) => `To ${act}: ${calls.join(', ').replace(/:(\w+)/g, '{$1}')}.`),
].join(' ');

export function routerRoutes(app: App, ledger: Ledger, limits: StreamLimits, logger: Logger): void {
  const open = new Set<AbortController>();
  app.addHook('preClose', async () => {
    for (const call of open) call.abort();
  });

  app.put(
    '/organizations/:id/router',
    {
      config: { may: 'operate' },
      schema: {
        tags: ['organizations'],
        summary: 'Connect an organization with its compute router, or with none',
        description: 'Under the service’s admin token. Who sees the router sees all of it.',
        security: [{ bearer: [] }],
        params: z.object({ id: z.string() }),
        body: RouterChange,
        response: { 200: RouterConnection },
      },
    },
    ({ params, body }) => connectRouter(ledger.db, params.id, body.url, ledger.now()),
  );

  for (const [may, calls] of Object.entries(FORWARDED) as [keyof typeof FORWARDED, readonly string[]][])
    for (const call of calls) {
      const [method, path] = call.split(' ') as ['GET' | 'POST', string];
      app.route({
        method,
        url: `/router${path}`,
        exposeHeadRoute: false,
        config: { may },
        schema: { hide: true },
        handler: (request, reply) => forward(request, reply, path, may),
      });
    }

  async function forward(
    request: FastifyRequest,
    reply: FastifyReply,
    pattern: string,
    may: Permission,
  ): Promise<FastifyReply> {
    const { organization_id } = request.principal;
    if (wantsEvents(request)) limits.enter(request, reply);
    const call = callUntilGone(reply);
    const idempotency_key = keyOf(request);
    const path = pathOf(pattern, request.params as Record<string, string>);
    const router_url = await findRouter(ledger.db, organization_id);
    if (router_url === null)
      throw refuse(
        'router_not_connected',
        'This organization has no compute router. The service’s operator connects one.',
      );
    if (may === 'administer') await recordRouterCall(ledger, request, pattern);
    const url = new URL(router_url + path);
    url.search = request.url.split('?').slice(1).join('?');
    const last_event_id = request.headers['last-event-id'];
    const answer = await exchange(
      {
        method: request.method,
        url,
        token: ledger.config.router_token,
        for_members: !(PERMISSIONS.administer as readonly Role[]).includes(request.principal.role),
        request_id: request.id,
        accept: wantsEvents(request) ? 'text/event-stream' : 'application/json',
        last_event_id: typeof last_event_id === 'string' && EVENT_ID.test(last_event_id) ? last_event_id : undefined,
        // Organizations that share a router do not share their keys.
        idempotency_key:
          idempotency_key === undefined ? undefined : sha256Hex(`${organization_id}\n${idempotency_key}`),
        body: request.body ?? undefined,
      },
      call.signal,
    ).catch((error: Error) => {
      const { cause } = error;
      if (!call.signal.aborted) logger.warn({ request_id: request.id, organization_id, err: cause }, 'router away');
      throw error;
    });
    // A stream that breaks off is no error of the ledger; its reader notices.
    answer.body.on('error', () => undefined);
    if (wantsEvents(request)) endWithRight(request, router_url, call);
    return reply.code(answer.status).headers(answer.headers).header('x-accel-buffering', 'no').send(answer.body);
  }

  /** Ends when the caller has gone, or the service stops. */
  function callUntilGone(reply: FastifyReply): AbortController {
    const call = new AbortController();
    open.add(call);
    whenOver(reply, () => {
      call.abort();
      open.delete(call);
    });
    return call;
  }

  /** The router knows neither people nor keys: what it tells ends here when the right to hear it does. */
  function endWithRight(request: FastifyRequest, router_url: string, call: AbortController): void {
    const { organization_id } = request.principal;
    const mayGoOn = async () =>
      (await limits.mayStay(request)) && (await findRouter(ledger.db, organization_id)) === router_url;
    const looking = setInterval(async () => {
      if (call.signal.aborted) return clearInterval(looking);
      // A credential that cannot be looked up now has to come again when the database is back.
      if (!(await mayGoOn().catch(() => false))) call.abort();
    }, LOOK_MS).unref();
  }
}

/** Before it is asked: the router answers for itself what became of it, in its own receipts. */
async function recordRouterCall(
  { db, now }: Ledger,
  { principal, method, params }: FastifyRequest,
  pattern: string,
): Promise<void> {
  const { id = null } = params as { id?: string };
  const details = { call: `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}`, id };
  const act = { by: actorOf(principal), kind: 'router_called', details } as const;
  await db.transaction((tx) => recordActivity(tx, principal.organization_id, act, now()));
}

/** Throws `not_found`. */
function pathOf(pattern: string, { id }: Record<string, string>): string {
  if (id === undefined) return pattern;
  if (!ID.test(id)) throw new Refusal('not_found', 'Nothing is known under this address.');
  return pattern.replace(':id', id);
}
