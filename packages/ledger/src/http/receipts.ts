import { Readable } from 'node:stream';
import {
  DescribedLedgerPage as LedgerPage,
  DescribedReceipt as Receipt,
  DescribedRecentReceipts as RecentReceipts,
} from '@rcpt/contract/ledger/described-receipt.ts';
import { LedgerQuery, RecentQuery } from '@rcpt/contract/ledger/receipts.ts';
import { ReceiptPage, ReceiptQuery } from '@rcpt/contract/ledger/search.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { recordExport } from '../activity/export.ts';
import type { Ledger } from '../ledger.ts';
import { isLast, payloadOfReceipt, payloadsAfter } from '../store/chains.ts';
import { recentPayloads } from '../store/recent.ts';
import { searchReceipts } from '../store/search.ts';
import { JSON_TYPE, sendReceipt, sendReceipts, streamChain } from './stored.ts';

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
        description:
          '201 when it was minted now, 200 with the same receipt when the Run had it already. 409 `run_not_approved` before the approval; 409 `approval_mismatch` when what is stored is not what was approved; 409 `pin_damaged` when the pin that a cook points at was changed after it was sealed. Nothing is minted then. The header `link` with `rel="receipt-proof"` says where the proof of its place in the signed log is.',
        params: z.object({ id: z.string() }),
        response: { 200: Receipt, 201: Receipt },
      },
    },
    async (request, reply) => {
      const { organization_id, id } = request.principal;
      const minted = await ledger.minter.mint({ organization_id, run_id: request.params.id, by: id });
      if (minted.fresh) reply.code(201).header('location', `/receipts/${minted.receipt_id}`);
      if (minted.share_url !== null) reply.header('link', `<${minted.share_url}/proof>; rel="receipt-proof"`);
      return sendReceipt(reply, minted.payload);
    },
  );

  app.get(
    '/receipts',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...common,
        summary: 'Look through the receipts, newest first',
        description:
          '`search` takes a receipt id or its number, a share link, the id of a Run, 6 or more characters of a hash, or part of a title; what it names exactly comes first. A search by words or by lane reads a bounded stretch of the chain per call: page on with `before_seq` until `next_before_seq` is null, also after an empty page. Dates are the service’s clock at minting.',
        querystring: ReceiptQuery,
        response: { 200: ReceiptPage },
      },
    },
    async ({ principal, query }, reply) => {
      const page = await searchReceipts(ledger.db, principal.organization_id, query, ledger.base_url);
      // As it is stored, also where a record was altered so that it has no valid form.
      return reply.type(JSON_TYPE).send(JSON.stringify(page) as never);
    },
  );

  app.get(
    '/receipts/recent',
    {
      config: { may: 'read', in_turn: true },
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
      config: { may: 'read', in_turn: true },
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
      config: { may: 'read', in_turn: true },
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
      if (request.headers.accept?.includes(NDJSON)) return sendChain(request, reply);
      const { after_seq, limit } = request.query;
      const page = await payloadsAfter(ledger.db, organization_id, after_seq, limit);
      const last = page.at(-1)?.org_seq;
      const ended = last === undefined || (await isLast(ledger.db, organization_id, last));
      const next_after_seq = ended ? null : last;
      return sendReceipts(
        reply,
        page.map((row) => row.payload),
        { next_after_seq },
      );
    },
  );

  app.get(
    '/ledger/export',
    {
      config: { may: 'read' },
      schema: {
        ...common,
        tags: ['ledger'],
        summary: 'The whole chain as a file, one canonical receipt per line',
        description: 'The bytes of `GET /ledger` as NDJSON, for a plain link; `./rcpt verify` takes the file.',
        response: { 200: { description: 'The chain', content: { [NDJSON]: { schema: z.string() } } } },
      },
    },
    (request, reply) =>
      sendChain(
        request,
        reply.header('content-disposition', `attachment; filename="${request.principal.organization_id}-chain.ndjson"`),
      ),
  );

  async function sendChain({ principal, method }: FastifyRequest, reply: FastifyReply) {
    const { head, lines } = await streamChain(ledger.db, principal.organization_id);
    if (method !== 'HEAD') await recordExport(ledger, principal, 'receipts', head);
    if (head !== null) reply.header('ledger-head', `${head.org_seq}:${head.receipt_sha256}`);
    // No caller reads the lines of an answer to HEAD: they would be fetched as fast as the database can, for nothing.
    return reply.type(NDJSON).send((method === 'HEAD' ? Readable.from([]) : lines) as never);
  }
}
