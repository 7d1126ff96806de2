/** `GET /events`, and where its news come from: every answer to a principal that changed something. */

import type { Changed } from '@rcpt/contract/ledger/live.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { type EventStreams, eventsOnly } from '@rcpt/service/event-stream.ts';
import type { App } from '@rcpt/service/http.ts';
import { secretSha256 } from '@rcpt/service/identity.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '../ledger.ts';
import { tellChanges } from '../live.ts';
import { placesOfWork } from '../store/people.ts';
import { findCredential } from '../store/tenancy.ts';

/** Windows of one browser share a session; more is a client that forgets to hang up. */
const OF_ONE_CREDENTIAL = 20;
const SAFE = ['GET', 'HEAD', 'OPTIONS'];

export function liveRoutes(app: App, { db, desk }: Pick<Ledger, 'db' | 'desk'>, streams: EventStreams): void {
  const listening = new Map<string, number>();

  // When the answer is sent, what it tells of is committed, whether or not anybody still waits for it.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 300 && !SAFE.includes(request.method) && request.principal !== undefined) {
      const changed = changedBy(request, reply);
      if (changed !== null) desk.tell(request.principal.organization_id, changed);
    }
    done(null, payload);
  });

  app.get(
    '/events',
    {
      config: { may: 'read' },
      schema: {
        tags: ['organizations'],
        security: [{ bearer: [] }],
        summary: 'What changes in the organization, as it happens',
        description: `Server-sent events, for whoever shows what is here: an event says what to read again. At most ${OF_ONE_CREDENTIAL} streams per key or session. What happened before it was opened, or while it was broken off, is not told.`,
        response: {
          200: eventsOnly(
            'Event `changed`, its data {"runs": ["run_…"] or null for many, "receipts": true, "settings": false}.',
          ),
        },
      },
    },
    async (request, reply) => {
      const who = request.person?.session_id ?? request.principal.id;
      const before = listening.get(who) ?? 0;
      if (before >= OF_ONE_CREDENTIAL)
        throw new Refusal('rate_limited', `This credential has ${OF_ONE_CREDENTIAL} event streams open already.`);
      return streams.answer(reply, async (stream) => {
        listening.set(who, before + 1);
        await tellChanges(desk, request.principal.organization_id, stream, () => mayListen(request)).finally(() => {
          const left = listening.get(who)! - 1;
          if (left === 0) listening.delete(who);
          else listening.set(who, left);
        });
      });
    },
  );

  /** Whether the credential still is what it was when it was presented. */
  async function mayListen({ person, principal, credential }: FastifyRequest): Promise<boolean> {
    const { organization_id } = principal;
    if (person === null) return (await findCredential(db, organization_id, secretSha256(credential))) !== null;
    const places = await placesOfWork(db, person.session_id);
    const place = places.find(({ id, chosen }) => id === chosen) ?? places[0];
    return place?.id === organization_id && person.expires_at > new Date().toISOString();
  }
}

const NOTHING: Changed = { runs: [], receipts: false, settings: false };

function changedBy({ routeOptions, params }: FastifyRequest, reply: FastifyReply): Changed | null {
  const route = routeOptions.url ?? '';
  // A trial stores nothing, and the router has news of its own.
  if (route === '/flight-sheets/try' || route.startsWith('/router/')) return null;
  if (route.startsWith('/receipts/')) return { ...NOTHING, receipts: true };
  if (!route.startsWith('/runs')) return { ...NOTHING, settings: true };
  const id = (params as { id?: string }).id ?? String(reply.getHeader('location')).split('/').at(-1)!;
  return { ...NOTHING, runs: [id], receipts: route.endsWith('/receipt') };
}
