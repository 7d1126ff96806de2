/** The public link of a receipt, as its organization sees and switches it. */
import type { Share } from '@rcpt/contract/ledger/search.ts';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import type { Ledger } from '../ledger.ts';
import type { Principal } from '../people/principal.ts';
import { loadShare, type ShareState, switchShare } from '../store/shares.ts';

type LinkLedger = Pick<Ledger, 'db' | 'base_url' | 'now'>;

/** Throws `not_found`. */
export async function readLink(ledger: LinkLedger, by: Principal, receipt_id: string): Promise<Share> {
  return shown(ledger, receipt_id, await loadShare(ledger.db, by.organization_id, receipt_id));
}

/** A link that is so already stays as it was. Throws `not_found`. */
export async function switchLink(
  ledger: LinkLedger,
  by: Principal,
  receipt_id: string,
  enabled: boolean,
): Promise<Share> {
  const change = { enabled, changed_at: ledger.now(), changed_by: by.name };
  const { organization_id } = by;
  const state = await ledger.db.transaction(async (tx) => {
    changes(tx, organization_id, { receipts: true });
    const { fresh, ...state } = await switchShare(tx, organization_id, receipt_id, change);
    const details = { receipt_id, before: !enabled, after: enabled };
    const act = { by: actorOf(by), kind: 'share_switched', details } as const;
    if (fresh) await recordActivity(tx, organization_id, act, change.changed_at);
    return state;
  });
  return shown(ledger, receipt_id, state);
}

function shown({ base_url }: LinkLedger, receipt_id: string, { org_seq: _, share_token, ...state }: ShareState): Share {
  return { receipt_id, share_url: `${base_url}/share/${share_token}`, ...state };
}
