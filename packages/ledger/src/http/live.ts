import type { App } from '@rcpt/service/http/app.ts';
import { type EventStreams, eventsOnly } from '@rcpt/service/http/event-stream.ts';
import { streamChanges } from '../changes/stream.ts';
import type { Ledger } from '../ledger.ts';
import { OF_ONE_CREDENTIAL, OF_ONE_ORGANIZATION, type StreamLimits } from './stream-limits.ts';

export function liveRoutes(
  app: App,
  { feed }: Pick<Ledger, 'feed'>,
  streams: EventStreams,
  limits: StreamLimits,
): void {
  app.get(
    '/events',
    {
      config: { may: 'read' },
      schema: {
        tags: ['organizations'],
        security: [{ bearer: [] }],
        summary: 'What changes in the organization, as it happens',
        description: `Server-sent events for clients that show the organization: an event says what to read again. At most ${OF_ONE_CREDENTIAL} streams per key or session, those of the router among them, and ${OF_ONE_ORGANIZATION} per organization. What happened before it was opened, or while it was broken off, is not told.`,
        response: {
          200: eventsOnly(
            'Event `changed`, its data {"runs": ["run_…"] or null for many, "receipts": true, "settings": false}.',
          ),
        },
      },
    },
    async (request, reply) => {
      limits.enter(request, reply);
      return streams.answer(reply, (stream) =>
        streamChanges(feed, request.principal.organization_id, stream, () => limits.mayStay(request)),
      );
    },
  );
}
