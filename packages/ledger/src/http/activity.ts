/** What administrators did: the organization's second chain, for its owners and auditors. */
import { Readable } from 'node:stream';
import { ActivityPage, ActivityQuery } from '@rcpt/contract/activity.ts';
import type { App } from '@rcpt/service/http/app.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { recordExport } from '../activity/export.ts';
import type { Ledger } from '../ledger.ts';
import { listActivity, readActivityEnd } from '../store/activity.ts';
import { sendReceipts, streamActivity } from './stored.ts';

const NDJSON = 'application/x-ndjson';

export function activityRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['activity'], security: [{ bearer: [] }] };

  app.get(
    '/activity',
    {
      config: { may: 'audit', in_turn: true },
      schema: {
        ...common,
        summary: 'What administrators did, in sequence order',
        description: `A page holds at most \`limit\` lines, and fewer when they are large. With \`Accept: ${NDJSON}\` the whole chain, one canonical receipt per line; \`ledger-head\` says where it ends.`,
        querystring: ActivityQuery,
        response: {
          200: {
            description: 'A page, or the whole chain',
            content: { 'application/json': { schema: ActivityPage }, [NDJSON]: { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      if (request.headers.accept?.includes(NDJSON)) return sendChain(request, reply);
      const { principal, query } = request;
      const { rows, more } = await listActivity(ledger.db, principal.organization_id, query);
      const next = more ? rows.at(-1)!.org_seq : null;
      const payloads = rows.map(({ payload }) => payload);
      const [next_after_seq, next_before_seq] = query.order === 'oldest' ? [next, null] : [null, next];
      return sendReceipts(reply, payloads, { next_after_seq, next_before_seq });
    },
  );

  app.get(
    '/activity/export',
    {
      config: { may: 'audit' },
      schema: {
        ...common,
        summary: 'The whole activity chain as a file, one canonical receipt per line',
        description: 'The bytes of `GET /activity` as NDJSON, for a plain link; `./rcpt verify` takes the file.',
        response: { 200: { description: 'The chain', content: { [NDJSON]: { schema: z.string() } } } },
      },
    },
    (request, reply) => {
      const name = `${request.principal.organization_id}-activity.ndjson`;
      return sendChain(request, reply.header('content-disposition', `attachment; filename="${name}"`));
    },
  );

  async function sendChain({ principal, method }: FastifyRequest, reply: FastifyReply) {
    if (method !== 'HEAD') {
      const { head } = await readActivityEnd(ledger.db, principal.organization_id);
      await recordExport(ledger, principal, 'activity', head);
    }
    // It ends with the line that tells of it: a checkpoint that is asked for next is of these lines.
    const { head, lines } = await streamActivity(ledger.db, principal.organization_id);
    if (head !== null) reply.header('ledger-head', `${head.org_seq}:${head.receipt_sha256}`);
    return reply.type(NDJSON).send((method === 'HEAD' ? Readable.from([]) : lines) as never);
  }
}
