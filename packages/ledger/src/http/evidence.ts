/** Evidence on its way in and out. */
import { Evidence, NewEvidence } from '@rcpt/contract/ledger/runs.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { fetchEvidence, receiveEvidence } from '../runs/evidence.ts';
import { attachEvidence } from '../runs/stages.ts';
import { loadMarks } from '../store/runs.ts';
import { createTurns } from '../turns/turns.ts';
import { holdTurn } from './answer-turns.ts';
import { createAndSend, IdempotencyHeader } from './idempotent.ts';

/** Pieces of evidence that are held in memory while they are read, 25 MiB each. */
const READING = { at_once: 6, each: 2, waiting_each: 64, waiting: 256, what: 'downloads of this organization' };
/** How long a caller may take to read one: its bytes are in memory until then. Afterwards the connection is closed. */
const READ_MS = 600_000;

export function evidenceRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['runs'], security: [{ bearer: [] }] };
  const reading = createTurns(READING);

  app.post(
    '/runs/:id/evidence',
    {
      config: { may: 'work', takes_file: true },
      // Of the JSON form; a file has its own limit.
      bodyLimit: Math.min(ledger.config.json_body_bytes, ledger.config.evidence_bytes + 65_536),
      schema: {
        ...common,
        summary: 'Evidence: attach bytes, text or a declared hash; repeatable',
        description:
          'JSON, or multipart/form-data with the bytes in `file` and the other members as fields. An organization’s uploads take turns: 429 `rate_limited` while too many of them wait. An upload whose bytes stop coming, or come too slowly, is refused: 408 `request_timeout`. What the organization’s storage has no room for is refused: 409 `storage_quota` says how much it stores and may store. In each case nothing is attached.',
        consumes: ['application/json', 'multipart/form-data'],
        headers: IdempotencyHeader,
        params: z.object({ id: z.string() }),
        body: NewEvidence,
        response: { 201: Evidence },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const item = await receiveEvidence(ledger, request.principal, id, request.body, request.upload);
      return createAndSend(ledger, request, reply, async (tx) => {
        await attachEvidence(tx, request.principal, id, item, ledger.now());
        return { body: item, location: `/runs/${id}/evidence/${item.id}` };
      });
    },
  );

  app.get(
    '/runs/:id/evidence/:evidence_id',
    {
      config: { may: 'read' },
      schema: {
        ...common,
        summary: 'The bytes of one piece of evidence, where they are stored with us',
        description:
          'They are hashed as they are read. Bytes that do not have the recorded hash are refused: 409 `evidence_altered` names both hashes. With `altered=serve` they are sent all the same, to be looked into. An organization’s downloads take turns: 429 `rate_limited` while too many of them wait. The header `evidence-verified` says `true` or `false`.',
        params: z.object({ id: z.string(), evidence_id: z.string() }),
        querystring: z.object({ altered: z.literal('serve').optional() }),
        response: { 200: binary('The bytes, in the media type they were sent with', '*/*') },
      },
    },
    async (request, reply) => {
      const { id, evidence_id } = request.params;
      const run = await loadMarks(ledger.db, request.principal.organization_id, id, 'evidence');
      await holdTurn(reading, request.principal.organization_id, reply.raw, READ_MS, () => reply.raw.destroy());
      const { item, bytes, verified } = await fetchEvidence(
        ledger,
        run,
        evidence_id,
        request.query.altered ?? 'refuse',
      );
      // An attacker may have written these bytes: a browser must not interpret them.
      return reply
        .header('evidence-verified', String(verified))
        .header('content-disposition', `attachment; filename="${item.id}${verified ? '' : '.altered'}"`)
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('x-content-type-options', 'nosniff')
        .type(verified ? item.content_type : 'application/octet-stream')
        .send(bytes as never);
    },
  );
}
