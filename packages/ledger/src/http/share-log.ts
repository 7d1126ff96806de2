/** The proof of a shared receipt, in public: its place in the signed log, and the keys that sign it (docs/spec.md §34). */
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { listWitnesses } from '../store/witnesses.ts';
import { openShared, SHARED_GONE } from './shared.ts';

const ShareParams = z.object({ token: z.string() });
const TEXT = 'text/plain; charset=utf-8';
const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

/** After `shareRoutes`, which counts what an address asks for. */
export function shareLogRoutes(app: App, ledger: Ledger): void {
  const config = { may: 'public', rateLimit: {} } as const;

  app.get(
    '/share/:token/proof',
    {
      config,
      schema: {
        tags: ['sharing'],
        summary: 'The proof that this receipt is in the signed log',
        description:
          'C2SP tlog-proof: the receipt’s place, the hashes on the way to the root, the signed checkpoint with its cosignatures. 409 `log_inconsistent` where what is stored is not what was signed.',
        params: ShareParams,
        response: { 200: text('The proof file'), ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { organization_id, org_seq } = await openShared(ledger, params.token, reply);
      const proof = await ledger.logs.proofFile(organization_id, 'receipts', org_seq);
      return reply
        .header('content-disposition', `attachment; filename="receipt-${org_seq}.tlog-proof"`)
        .type(TEXT)
        .send(proof as never);
    },
  );

  app.get(
    '/share/:token/key',
    {
      config,
      schema: {
        tags: ['sharing'],
        summary: 'The keys that sign the log of this receipt, the newest first',
        description:
          'Verifier keys (C2SP signed-note), one per line. A key from the party that is checked shows that its papers agree; ask for the key by another way to know whose it is.',
        params: ShareParams,
        response: { 200: text('The keys'), ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { organization_id } = await openShared(ledger, params.token, reply);
      const keys = await ledger.logs.verifierKeys(organization_id, 'receipts');
      return reply.type(TEXT).send(keys.map((key) => `${key}\n`).join('') as never);
    },
  );

  app.get(
    '/share/:token/witnesses',
    {
      config,
      schema: {
        tags: ['sharing'],
        summary: 'Whom this organization asks to cosign its log',
        description:
          'Verifier keys (C2SP tlog-cosignature), one per line, none where it asks nobody. Which of them have cosigned stands in the proof, where it can be verified.',
        params: ShareParams,
        response: { 200: text('The keys'), ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { organization_id } = await openShared(ledger, params.token, reply);
      const witnesses = await listWitnesses(ledger.db, organization_id);
      return reply.type(TEXT).send(witnesses.map(({ key }) => `${key}\n`).join('') as never);
    },
  );
}
