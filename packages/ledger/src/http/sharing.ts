/** The public link of a receipt, switched on and off by its organization. */
import { Share, ShareChange } from '@rcpt/contract/ledger/search.ts';
import type { App } from '@rcpt/service/http/app.ts';
import { z } from 'zod';
import type { Ledger } from '../ledger.ts';
import { loadShare, type ShareState, switchShare } from '../store/shares.ts';

const ReceiptParams = z.object({ receipt_id: z.string() });

export function sharingRoutes(app: App, ledger: Ledger): void {
  const common = { tags: ['sharing'], security: [{ bearer: [] }], params: ReceiptParams, response: { 200: Share } };

  app.get(
    '/receipts/:receipt_id/share',
    { config: { may: 'read' }, schema: { ...common, summary: 'The public link of a receipt' } },
    async ({ principal, params }) =>
      shown(params.receipt_id, await loadShare(ledger.db, principal.organization_id, params.receipt_id)),
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
    async ({ principal, params: { receipt_id }, body: { enabled } }) => {
      const change = { enabled, changed_at: ledger.now(), changed_by: principal.name };
      return shown(
        receipt_id,
        await ledger.db.transaction((tx) => switchShare(tx, principal.organization_id, receipt_id, change)),
      );
    },
  );

  function shown(receipt_id: string, { share_token, enabled, changed_at, changed_by }: ShareState): Share {
    return { receipt_id, share_url: `${ledger.base_url}/share/${share_token}`, enabled, changed_at, changed_by };
  }
}
