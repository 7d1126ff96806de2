import { FlightSheet, FlightSheetList } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { App } from '@rcpt/service/http.ts';
import { z } from 'zod';
import { compileSheet } from '../domain/sheet/compile.ts';
import type { Ledger } from '../ledger.ts';
import { insertFlightSheet, listFlightSheets, loadFlightSheet } from '../store/flight-sheets.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

export function flightSheetRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['flight sheets'], security: [{ bearer: [] }] };

  app.post(
    '/flight-sheets',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Publish a flight sheet; a published version never changes',
        headers: IdempotencyHeader,
        body: FlightSheet,
        response: { 201: FlightSheet },
      },
    },
    (request, reply) => {
      const sheet = request.body;
      compileSheet(sheet);
      const { organization_id, id } = request.principal;
      return createAndSend(ledger, request, reply, async (tx) => {
        await insertFlightSheet(tx, organization_id, sheet, ledger.now(), id);
        return { body: sheet, location: `/flight-sheets/${sheet.name}/${encodeURIComponent(sheet.version)}` };
      });
    },
  );

  app.get(
    '/flight-sheets',
    {
      config: { may: 'read' },
      schema: { ...common, summary: 'All flight sheets', response: { 200: FlightSheetList } },
    },
    async (request) => ({ flight_sheets: await listFlightSheets(ledger.db, request.principal.organization_id) }),
  );

  app.get(
    '/flight-sheets/:name/:version',
    {
      config: { may: 'read' },
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
