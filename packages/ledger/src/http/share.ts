/**
 * The public side: the holder of a link sees its receipt. Every answer is made from the stored bytes and says whether
 * they still have their hash; an altered receipt is shown and called altered, never hidden.
 */

import rateLimit from '@fastify/rate-limit';
import { DescribedReceipt as Receipt } from '@rcpt/contract/ledger/described-receipt.ts';
import { Problem } from '@rcpt/contract/problem.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loadDecided } from '../disclosures/read.ts';
import type { Ledger } from '../ledger.ts';
import { renderAbsent } from '../share/page/absent.ts';
import { PAGE_CSP } from '../share/page/page.ts';
import type { Asked, Drawn } from '../share/printer.ts';
import { findShared, loadSharedPayload, type Shared } from '../store/shares.ts';
import { createTurns } from '../turns/turns.ts';
import { acceptsHtml, isLinkPreview } from './accepts-html.ts';
import { shareAssets } from './share-assets.ts';
import { absent, SHARE_TOKEN } from './shared.ts';
import { sendReceipt } from './stored.ts';

const ShareParams = z.object({ token: z.string() });
const HTML = 'text/html; charset=utf-8';
const PAGE = { 'text/html': { schema: z.string() } };
const ABSENT = { 'application/problem+json': { schema: Problem }, ...PAGE };
const GONE = {
  404: { description: 'No receipt is shared under this link', content: ABSENT },
  410: { description: 'The organization has switched this link off', content: ABSENT },
};
const DRAWN =
  'A drawing carries an `ETag`; 304 where `If-None-Match` names it. 422 `receipt_not_drawn` where the receipt cannot be drawn: its JSON can be downloaded. 429 `rate_limited` while too many drawings of its organization wait, and for an address that asks too often.';

/** Receipts of more than `SMALL_BYTES` (shares.ts), a megabyte each, that are being shown. */
const LARGE = { at_once: 16, each: 2, waiting_each: 160, waiting: 1_024, what: 'pages and PDFs of this organization' };

export async function shareRoutes(app: App, ledger: Ledger): Promise<void> {
  const { printer } = ledger;
  const turns = createTurns(LARGE);
  const per_address = { max: ledger.config.share_requests_per_minute, timeWindow: 60_000 };
  // A customer is given a /64 of IPv6, at least; an IPv4 address within IPv6 counts as that address.
  await app.register(rateLimit, { global: false, ...per_address, ipv6Subnet: 64 });
  const common = { tags: ['sharing'] };
  const config = { may: 'public', rateLimit: {} } as const;

  app.get(
    '/share/:token',
    {
      config,
      schema: {
        ...common,
        summary: 'A shared receipt: a page for people, else the envelope exactly as stored',
        description: `A caller whose \`Accept\` names \`text/html\` first gets the page, as browsers do; so do programs that show links as cards in chats and mails. Of the page: ${DRAWN}`,
        params: ShareParams,
        response: {
          200: {
            description: 'The receipt',
            content: { 'application/json': { schema: Receipt }, ...PAGE },
          },
          ...GONE,
        },
      },
    },
    async (request, reply) =>
      answer(request, reply, '../', async (shared, found) => {
        const { accept, 'user-agent': user_agent } = request.headers;
        if (!acceptsHtml(accept) && !isLinkPreview(user_agent)) return sendStored(reply, shared);
        return sendDrawn(
          request,
          reply.header('content-security-policy', PAGE_CSP),
          HTML,
          await printer.page(await beside(shared, found)),
        );
      }),
  );

  app.get(
    '/share/:token/pdf',
    {
      config,
      schema: {
        ...common,
        summary: 'The same receipt as PDF',
        description: DRAWN,
        params: ShareParams,
        response: { 200: binary('The PDF', 'application/pdf'), ...GONE },
      },
    },
    async (request, reply) =>
      answer(request, reply, '../../', async (shared, found) => {
        const pdf = await printer.pdf(await beside(shared, found));
        reply.header('content-disposition', `inline; filename="${pdf.name}.pdf"`);
        return sendDrawn(request, reply, 'application/pdf', pdf);
      }),
  );

  app.get(
    '/share/:token/card.png',
    {
      config,
      schema: {
        ...common,
        summary: 'The picture that chats and mails show beside the link (Open Graph)',
        description: DRAWN,
        params: ShareParams,
        response: { 200: binary('1200 × 630 pixels', 'image/png'), ...GONE },
      },
    },
    async (request, reply) =>
      answer(request, reply, '../../', async (shared) =>
        sendDrawn(request, reply, 'image/png', await printer.card(shared)),
      ),
  );

  app.get(
    '/share/:token/download',
    {
      config,
      schema: {
        ...common,
        summary: 'The stored canonical bytes',
        params: ShareParams,
        response: { 200: Receipt, ...GONE },
      },
    },
    async (request, reply) => answer(request, reply, '../../', (shared) => sendStored(reply, shared, 'attachment')),
  );

  shareAssets(app);

  /**
   * A large receipt is loaded, hashed and sent in a turn of its organization: each is milliseconds of the event loop. The turn
   * ends when the answer is handed to the connection, so that a caller who does not read holds no turn.
   * @param root the way back to the service's own root
   */
  async function answer<Sent>(
    request: FastifyRequest<{ Params: { token: string } }>,
    reply: FastifyReply,
    root: string,
    show: (shared: Asked, found: Shared) => Promise<Sent>,
  ) {
    const { token } = request.params;
    const found = SHARE_TOKEN.test(token) ? await findShared(ledger.db, token) : null;
    reply
      .header('vary', 'accept, user-agent')
      .header('referrer-policy', 'no-referrer')
      .header('x-robots-tag', 'noindex');
    if (!found?.enabled) return sendAbsent(request, reply, root, found);
    reply.header('cache-control', 'no-cache').header('x-content-type-options', 'nosniff');
    const { organization_id, org_seq, payload } = found;
    const share_url = `${ledger.base_url}/share/${token}`;
    if (payload !== null) return show({ organization_id, org_seq, bytes: payload, share_url }, found);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const leave = await turns.take(organization_id, gone.signal);
    try {
      const bytes = await loadSharedPayload(ledger.db, found);
      return await show({ organization_id, org_seq, bytes, share_url }, found);
    } finally {
      // The next one begins when everything else that waits has been served.
      setImmediate(leave);
    }
  }

  /** With what stands beside it, as its organization shows it now. */
  async function beside(shared: Asked, found: Shared): Promise<Asked> {
    return { ...shared, decided: await loadDecided(ledger.db, found) };
  }

  async function sendStored(reply: FastifyReply, shared: Asked, as?: 'attachment') {
    const { verified, name } = await printer.see(shared);
    if (as !== undefined) reply.header('content-disposition', `${as}; filename="${name}.json"`);
    return sendReceipt(reply.header('receipt-verified', String(verified)), shared.bytes);
  }
}

/** What the reader has already is not sent again. */
function sendDrawn(request: FastifyRequest, reply: FastifyReply, type: string, { file, etag, verified }: Drawn) {
  reply.header('receipt-verified', String(verified)).header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304 as 200).send(null as never);
  return reply.type(type).send(Buffer.from(file.buffer, file.byteOffset, file.byteLength) as never);
}

/** Throws `not_found` and `share_revoked` to programs; people are told so by a page. */
function sendAbsent({ headers }: FastifyRequest, reply: FastifyReply, root: string, found: Shared | null) {
  reply.code(found === null ? 404 : 410).header('cache-control', 'no-store');
  if (!acceptsHtml(headers.accept)) throw absent(found);
  return reply
    .header('content-security-policy', PAGE_CSP)
    .type(HTML)
    .send(renderAbsent(found === null ? 404 : 410, root) as never);
}
