import {
  FlightSheet,
  FlightSheetFindings,
  FlightSheetList,
  FlightSheetQuery,
  FlightSheetTrial,
} from '@rcpt/contract/ledger/flight-sheet.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import { publishSheet } from '../flight-sheets/publish.ts';
import type { Ledger } from '../ledger.ts';
import { listFlightSheets, loadFlightSheet } from '../store/flight-sheets.ts';
import { createAndSend, IdempotencyHeader, NOTHING_CREATED } from './idempotent.ts';

export function flightSheetRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['flight sheets'], security: [{ bearer: [] }] };

  app.post(
    '/flight-sheets',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Publish a flight sheet; a published version never changes',
        description:
          '201 when it was published now, 200 when the same sheet was there already. An organization’s sheets and checks are decided one after the other; 429 when too many of them wait.',
        headers: IdempotencyHeader,
        body: FlightSheet,
        response: { 200: FlightSheet, 201: FlightSheet },
      },
    },
    (request, reply) => {
      const sheet = request.body;
      return createAndSend(
        ledger,
        request,
        reply,
        async (tx) => {
          const limit = ledger.config.organization_storage_bytes;
          const fresh = await publishSheet(tx, request.principal, sheet, limit, ledger.now());
          const location = `/flight-sheets/${sheet.name}/${encodeURIComponent(sheet.version)}`;
          return { body: sheet, location: fresh ? location : NOTHING_CREATED };
        },
        () => ledger.deciders.run('compile', request.principal.organization_id, JSON.stringify(sheet)),
      );
    },
  );

  app.get(
    '/flight-sheets',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...common,
        summary: 'Flight sheets by name, the versions of each in the order they were published',
        description: 'At most `limit`, and fewer when they are large: page on with `after` until `next_after` is null.',
        querystring: FlightSheetQuery,
        response: { 200: FlightSheetList },
      },
    },
    (request) => listFlightSheets(ledger.db, request.principal.organization_id, request.query),
  );

  app.post(
    '/flight-sheets/try',
    {
      config: { may: 'work' },
      schema: {
        ...common,
        summary: 'Try a flight sheet, published or not, on one submission; nothing is stored',
        description:
          'Decided as the checks of an eval Run would be. `verdict` is null while a rule waits for a person. A sheet that does not compile is refused as it would be on publishing.',
        body: FlightSheetTrial,
        response: { 200: FlightSheetFindings },
      },
    },
    ({ principal, body }) => ledger.deciders.run('try', principal.organization_id, JSON.stringify(body)),
  );

  app.get(
    '/flight-sheets/:name/:version',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...common,
        summary: 'One version of a flight sheet',
        params: z.object({ name: z.string(), version: z.string() }),
        response: { 200: FlightSheet },
      },
    },
    (request) =>
      loadFlightSheet(ledger.db, request.principal.organization_id, request.params.name, request.params.version),
  );
}
