/** What a shared receipt is to tools of others, in public: a signed statement, and the time stamp of its log (docs/spec.md §33, §36). */
import { BUNDLE_TYPE } from '@rcpt/proof/statement.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { binary } from '@rcpt/service/http/openapi.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { signedStatement } from '../log/statement.ts';
import { loadSharedPayload } from '../store/shares.ts';
import { firstTimestampOf } from '../store/timestamps.ts';
import { proofIn } from '../timestamps/proof.ts';
import { createTurns } from '../turns/turns.ts';
import { openShared, SHARED_GONE } from './shared.ts';

const ShareParams = z.object({ token: z.string() });
const TEXT = 'text/plain; charset=utf-8';
const TIMESTAMP = 'application/timestamp-reply';
/** Each reads the receipt, up to a megabyte of it, and signs. */
const STATEMENTS = { at_once: 8, each: 2, waiting_each: 160, waiting: 1_024, what: 'statements of this organization' };

/** After `shareRoutes`, which counts what an address asks for. */
export function shareStatementRoutes(app: App, ledger: Ledger): void {
  const { db, logs } = ledger;
  const turns = createTurns(STATEMENTS);
  const common = { tags: ['sharing'], params: ShareParams };
  const config = { may: 'public', rateLimit: {} } as const;

  app.get(
    '/share/:token/statement',
    {
      config,
      schema: {
        ...common,
        summary: 'The receipt as an in-toto statement, signed by the organization',
        description:
          'An in-toto Statement v1 in a DSSE envelope, as a Sigstore bundle with a public key and no entry of a log. The subject’s digest is `receipt_sha256`. The key: `GET /share/{token}/key`. 409 `log_inconsistent` where what is stored is not what was signed.',
        response: {
          200: { description: 'The bundle', content: { [BUNDLE_TYPE]: { schema: z.looseObject({}) } } },
          ...SHARED_GONE,
        },
      },
    },
    async ({ params }, reply) => {
      const found = await openShared(ledger, params.token, reply);
      const leave = await turns.take(found.organization_id);
      try {
        const payload = found.payload ?? (await loadSharedPayload(db, found));
        const bundle = await signedStatement(logs, found.organization_id, found.org_seq, payload);
        const name = `receipt-${found.org_seq}.sigstore.json`;
        return reply
          .header('content-disposition', `attachment; filename="${name}"`)
          .type(BUNDLE_TYPE)
          .send(bundle as never);
      } finally {
        setImmediate(leave);
      }
    },
  );

  app.get(
    '/share/:token/timestamp',
    {
      config,
      schema: {
        ...common,
        summary: 'The time stamp of the first stamped checkpoint that holds this receipt',
        description:
          'A TimeStampResp (RFC 3161) over the checkpoint at the end of `GET /share/{token}/timestamp/proof`. 404 where none was made yet.',
        response: { 200: binary('The time stamp', TIMESTAMP), ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { org_seq, answer } = await stamped(params.token, reply);
      reply.header('content-disposition', `attachment; filename="receipt-${org_seq}.tsr"`);
      return reply.type(TIMESTAMP).send(Buffer.from(answer, 'base64') as never);
    },
  );

  app.get(
    '/share/:token/timestamp/proof',
    {
      config,
      schema: {
        ...common,
        summary: 'The proof that this receipt is in the time-stamped checkpoint',
        description: 'C2SP tlog-proof. What follows its empty line is the checkpoint that was stamped, to the byte.',
        response: {
          200: { description: 'The proof file', content: { 'text/plain': { schema: z.string() } } },
          ...SHARED_GONE,
        },
      },
    },
    async ({ params }, reply) => {
      const { organization_id, org_seq, checkpoint } = await stamped(params.token, reply);
      const proof = await proofIn(db, organization_id, org_seq, checkpoint);
      return reply.type(TEXT).send(proof as never);
    },
  );

  async function stamped(token: string, reply: Parameters<typeof openShared>[2]) {
    const { organization_id, org_seq } = await openShared(ledger, token, reply);
    const stamp = await firstTimestampOf(db, organization_id, 'receipts', org_seq);
    if (stamp === null) throw new Refusal('not_found', 'No checkpoint that holds this receipt was time-stamped yet.');
    return { organization_id, org_seq, ...stamp };
  }
}
