/** What stands beside a receipt: shown under its link, decided and erased by its organization. */
import { Beside, DisclosureChange, DisclosureList, NewErasure } from '@rcpt/contract/ledger/disclosures.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import type { Logger } from '@rcpt/service/process/log.ts';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { shownBytes } from '../disclosures/bytes.ts';
import { disclose, listBeside } from '../disclosures/disclose.ts';
import { erase } from '../disclosures/erase.ts';
import { finishErasures } from '../disclosures/finish.ts';
import { besideOf } from '../disclosures/list.ts';
import { loadDecided } from '../disclosures/read.ts';
import { createReceiptReader, type ReadReceipt } from '../disclosures/receipts.ts';
import type { Ledger } from '../ledger.ts';
import { loadSharedPayload, type Shared } from '../store/shares.ts';
import { createTurns } from '../turns/turns.ts';
import { holdTurn } from './answer-turns.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';
import { openShared, SHARED_GONE } from './shared.ts';

/** Files of 25 MiB, and receipts of a megabyte, in memory while they are read. */
const READING = { at_once: 6, each: 2, waiting_each: 64, waiting: 256, what: 'disclosures of this organization' };
const READ_MS = 120_000;
/** Each computes what it decides on within its transaction. */
const DECIDING = { at_once: 1, each: 1, waiting_each: 64, waiting: 256, what: 'decisions of this organization' };

export function disclosureRoutes(app: App, ledger: Ledger, logger: Logger): void {
  const { db } = ledger;
  const shared = { tags: ['sharing'] };
  const owned = { ...shared, security: [{ bearer: [] }], params: z.object({ receipt_id: z.string() }) };
  const open = { may: 'public', rateLimit: {} } as const;
  const reading = createTurns(READING);
  const deciding = createTurns(DECIDING);
  const readText = createReceiptReader();

  app.get(
    '/share/:token/disclosures',
    {
      config: open,
      schema: {
        ...shared,
        summary: 'What stands beside a shared receipt: disclosed, withheld or erased',
        description:
          'Committed members by their paths, `/output`, and `/evidence/0` and on, where the receipt seals them. All of it is withheld until the organization discloses it. A `disclosure` is held against the receipt’s `_sd` as docs/spec.md §31 says.',
        params: z.object({ token: z.string() }),
        response: { 200: DisclosureList, ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { found, receipt } = await behind(params.token, reply);
      return { disclosures: besideOf(receipt.payload, await loadDecided(db, found)) };
    },
  );

  app.get(
    '/share/:token/disclosures/*',
    {
      config: open,
      schema: {
        ...shared,
        summary: 'The bytes of what is disclosed',
        description:
          'Behind `disclosures` stands the path as the list names it. The output and evidence in the bytes whose SHA-256 is sealed; a committed member as the text whose digest is sealed. They are hashed as they are read: 409 `evidence_altered` for bytes that are not those. 403 `disclosure_withheld`, 410 `disclosure_erased`.',
        params: z.object({ token: z.string(), '*': z.string() }),
        response: { 200: binary('The bytes', '*/*'), ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { found, receipt } = await behind(params.token, reply);
      const path = `/${params['*'].replace(/^\//, '')}`;
      const { bytes, content_type, name } = await shownBytes(ledger, found, receipt, path);
      const { receipt_id } = receipt.payload;
      // An attacker may have written these bytes: a browser must not interpret them.
      return reply
        .header('content-disposition', `attachment; filename="${String(receipt_id).replaceAll(/[^\w-]/g, '')}-${name}"`)
        .header('content-security-policy', "sandbox; default-src 'none'")
        .type(content_type)
        .send(bytes as never);
    },
  );

  app.get(
    '/receipts/:receipt_id/disclosures',
    {
      config: { may: 'read', in_turn: true },
      schema: {
        ...owned,
        summary: 'What stands beside a receipt, as its link shows it',
        response: { 200: DisclosureList },
      },
    },
    async ({ principal, params }) => ({ disclosures: await listBeside(ledger, principal, params.receipt_id) }),
  );

  app.put(
    '/receipts/:receipt_id/disclosures',
    {
      config: { may: 'approve' },
      schema: {
        ...owned,
        summary: 'What the link shows from now on',
        description:
          'All paths that are to be disclosed; what is not named is withheld. 422 `disclosure_unknown` for a path that is not beside this receipt, 409 `disclosure_not_stored` where only the hash is here, 410 `disclosure_erased`. Nothing is changed then, nor on 429 `rate_limited`: too many decisions of the organization wait. Recorded in the activity chain.',
        body: DisclosureChange,
        response: { 200: DisclosureList },
      },
    },
    ({ principal, params, body }, reply) =>
      decide(principal.organization_id, reply, async () => {
        await disclose(ledger, principal, params.receipt_id, body);
        return { disclosures: await listBeside(ledger, principal, params.receipt_id) };
      }),
  );

  app.post(
    '/receipts/:receipt_id/erasures',
    {
      config: { may: 'administer' },
      schema: {
        ...owned,
        summary: 'Erase what stands beside a receipt, for good',
        description:
          'Value and salt, output or bytes are deleted; receipt, chain and proofs stay as they are, for they hold digests and hashes. The reason is shown under the link and recorded in the activity chain; one that holds the value is refused. A repeat answers what was erased then. What somebody was shown before cannot be called back.',
        headers: IdempotencyHeader,
        body: NewErasure,
        response: { 201: Beside },
      },
    },
    (request, reply) => {
      const { receipt_id } = request.params;
      const { organization_id } = request.principal;
      const erased = async (tx: Queries) => ({
        body: await erase(tx, request.principal, receipt_id, request.body, ledger.now()),
        location: `/receipts/${receipt_id}/disclosures`,
      });
      return decide(organization_id, reply, (decided) =>
        createAndSend(ledger, request, reply, erased, undefined, () => {
          decided();
          return finish(organization_id);
        }),
      );
    },
  );

  /**
   * In a turn of the organization. Throws as `Turns.take`.
   * @param work may say that it has decided before it ends
   */
  async function decide<T>(
    organization_id: string,
    reply: FastifyReply,
    work: (decided: () => void) => Promise<T>,
  ): Promise<T> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const leave = await deciding.take(organization_id, gone.signal);
    const decided = () => void setImmediate(leave);
    try {
      return await work(decided);
    } finally {
      decided();
    }
  }

  /** What does not succeed now is taken up by the sweep. */
  async function finish(organization_id: string): Promise<void> {
    ledger.printer.forget(organization_id);
    await finishErasures(ledger).catch((error: unknown) =>
      logger.warn({ err: error }, 'an erasure is not finished yet'),
    );
  }

  /** Holds a turn of the organization until the answer has left. Throws `not_found`, `share_revoked`. */
  async function behind(token: string, reply: FastifyReply): Promise<{ found: Shared; receipt: ReadReceipt }> {
    const found = await openShared(ledger, token, reply);
    // What is shown may be withheld or erased a second later.
    reply.header('cache-control', 'no-store');
    await holdTurn(reading, found.organization_id, reply.raw, READ_MS, () => reply.raw.destroy());
    return { found, receipt: readText(found.payload ?? (await loadSharedPayload(db, found))) };
  }
}
