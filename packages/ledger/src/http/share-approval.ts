/** What the approver signed with their passkey, beside a shared receipt. */
import { SharedApproval } from '@rcpt/contract/ledger/passkeys.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { findSignature } from '../store/passkeys.ts';
import { openShared, SHARED_GONE } from './shared.ts';
import { sendText } from './stored.ts';

/** After `shareRoutes`, which brings the limit per address. */
export function shareApprovalRoutes(app: App, ledger: Ledger): void {
  app.get(
    '/share/:token/approval',
    {
      config: { may: 'public', rateLimit: {} },
      schema: {
        tags: ['sharing'],
        summary: 'What the approver signed with their passkey',
        description:
          'Bound to the receipt by `approved_sha256`: a verifier needs both and nothing else. The specification has the steps, and the lines for `openssl`. 404 also where no passkey signed.',
        params: z.object({ token: z.string() }),
        response: { 200: SharedApproval, ...SHARED_GONE },
      },
    },
    async ({ params }, reply) => {
      const { organization_id, org_seq } = await openShared(ledger, params.token, reply);
      const signed = await findSignature(ledger.db, organization_id, org_seq);
      if (signed === null) throw new Refusal('not_found', 'No passkey signed the approval of this receipt.');
      return sendText(reply, JSON.stringify(signed));
    },
  );
}
