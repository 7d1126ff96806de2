import {
  LedgerPage,
  LedgerQuery,
  Receipt,
  RecentQuery,
  RecentReceipts,
  Verification,
} from '@rcpt/contract/ledger/receipts.ts';
import type { App } from '@rcpt/service/http.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { isLast, payloadOfReceipt, payloadsAfter, recentPayloads } from '../store/chains.ts';
import { sendReceipt, sendReceipts, streamChain } from './stored.ts';

const NDJSON = 'application/x-ndjson';

export function receiptRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['receipts'], security: [{ bearer: [] }] };

  app.post(
    '/runs/:id/receipt',
    {
      config: { may: 'approve' },
      schema: {
        ...common,
        summary: 'Receipt: mint the receipt of an approved Run',
        description: '201 when it was minted now, 200 with the same receipt when the Run had it already.',
        params: z.object({ id: z.string() }),
        response: { 200: Receipt, 201: Receipt },
      },
    },
    async (request, reply) => {
      const { organization_id, id } = request.principal;
      const minted = await ledger.minter.mint({ organization_id, run_id: request.params.id, by: id });
      if (minted.fresh) reply.code(201).header('location', `/receipts/${minted.receipt_id}`);
      return sendReceipt(reply, minted.payload);
    },
  );

  app.get(
    '/receipts/recent',
    {
      config: { may: 'read' },
      schema: {
        ...common,
        summary: 'Recent receipts, newest first',
        description: 'At most `limit`, and fewer when they are large.',
        querystring: RecentQuery,
        response: { 200: RecentReceipts },
      },
    },
    async (request, reply) => {
      const { limit, schema } = request.query;
      return sendReceipts(reply, await recentPayloads(ledger.db, request.principal.organization_id, limit, schema));
    },
  );

  app.get(
    '/receipts/:receipt_id',
    {
      config: { may: 'read' },
      schema: {
        ...common,
        summary: 'One receipt, as stored',
        params: z.object({ receipt_id: z.string() }),
        response: { 200: Receipt },
      },
    },
    async (request, reply) =>
      sendReceipt(
        reply,
        await payloadOfReceipt(ledger.db, request.principal.organization_id, request.params.receipt_id),
      ),
  );

  app.get(
    '/ledger',
    {
      config: { may: 'read' },
      schema: {
        ...common,
        tags: ['ledger'],
        summary: 'The chain in sequence order',
        description: `A page holds at most \`limit\` receipts, and fewer when they are large. With \`Accept: ${NDJSON}\` the whole chain, one canonical receipt per line; \`ledger-head\` says where it ends.`,
        querystring: LedgerQuery,
        response: {
          200: {
            description: 'A page, or the whole chain',
            content: { 'application/json': { schema: LedgerPage }, [NDJSON]: { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { organization_id } = request.principal;
      if (request.headers.accept?.includes(NDJSON)) {
        const { head, lines } = await streamChain(ledger.db, organization_id);
        if (head !== null) reply.header('ledger-head', `${head.org_seq}:${head.receipt_sha256}`);
        return reply.type(NDJSON).send(lines as never);
      }
      const { after_seq, limit } = request.query;
      const page = await payloadsAfter(ledger.db, organization_id, after_seq, limit);
      const last = page.at(-1)?.org_seq;
      const ended = last === undefined || (page.length < limit && (await isLast(ledger.db, organization_id, last)));
      const next_after_seq = ended ? null : last;
      return sendReceipts(
        reply,
        page.map((row) => row.payload),
        { next_after_seq },
      );
    },
  );

  app.get(
    '/ledger/verify',
    {
      config: { may: 'read' },
      schema: { ...common, tags: ['ledger'], summary: 'Verify the whole chain', response: { 200: Verification } },
    },
    async (request) => {
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      const report = await ledger.verifier.verify(request.principal.organization_id, gone.signal);
      return report;
    },
  );
}
