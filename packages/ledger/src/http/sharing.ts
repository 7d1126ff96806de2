/** The public link of a receipt, switched on and off by its organization. */
import { Share, ShareChange } from '@rcpt/contract/ledger/search.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { readLink, switchLink } from '../share/link.ts';

const ReceiptParams = z.object({ receipt_id: z.string() });

export function sharingRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['sharing'], security: [{ bearer: [] }], params: ReceiptParams, response: { 200: Share } };

  app.get(
    '/receipts/:receipt_id/share',
    { config: { may: 'read' }, schema: { ...common, summary: 'The public link of a receipt' } },
    ({ principal, params }) => readLink(ledger, principal, params.receipt_id),
  );

  app.put(
    '/receipts/:receipt_id/share',
    {
      config: { may: 'administer' },
      schema: {
        ...common,
        summary: 'Switch the public link of a receipt off, or on again',
        description:
          'Switched off, page, JSON, PDF and download answer 410 `share_revoked`. The receipt, its hash and the chain stay as they are. A repeat changes nothing.',
        body: ShareChange,
      },
    },
    ({ principal, params, body }) => switchLink(ledger, principal, params.receipt_id, body.enabled),
  );
}
