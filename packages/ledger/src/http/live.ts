/** `GET /events`, and where its news come from: every answer to a principal that changed something. */

import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { type EventStreams, eventsOnly } from '@rcpt/service/http/event-stream.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { streamChanges } from '../changes/stream.ts';
import type { Ledger } from '../ledger.ts';
import { OF_ONE_CREDENTIAL, OF_ONE_ORGANIZATION, type Onlookers } from './onlookers.ts';

const SAFE = ['GET', 'HEAD', 'OPTIONS'];

export function liveRoutes(
  app: App,
  { feed }: Pick<Ledger, 'feed'>,
  streams: EventStreams,
  onlookers: Onlookers,
): void {
  // When the answer is sent, what it tells of is committed, whether or not anybody still waits for it.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode < 300 && !SAFE.includes(request.method) && request.principal !== undefined) {
      const changed = changedBy(request, reply);
      if (changed !== null) feed.emit(request.principal.organization_id, changed);
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
        description: `Server-sent events, for whoever shows what is here: an event says what to read again. At most ${OF_ONE_CREDENTIAL} streams per key or session, those of the router among them, and ${OF_ONE_ORGANIZATION} per organization. What happened before it was opened, or while it was broken off, is not told.`,
        response: {
          200: eventsOnly(
            'Event `changed`, its data {"runs": ["run_…"] or null for many, "receipts": true, "settings": false}.',
          ),
        },
      },
    },
    async (request, reply) => {
      onlookers.enter(request, reply);
      return streams.answer(reply, (stream) =>
        streamChanges(feed, request.principal.organization_id, stream, () => onlookers.mayStay(request)),
      );
    },
  );
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
