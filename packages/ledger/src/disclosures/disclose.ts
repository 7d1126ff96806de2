/** What the link of a receipt shows beside it, decided by its organization. */
import type { Beside, DisclosureChange } from '@rcpt/contract/ledger/disclosures.ts';
import { actorOf } from '../activity/actor.ts';
import { recordActivity } from '../activity/record.ts';
import { changes } from '../changes/transaction.ts';
import type { Ledger } from '../ledger.ts';
import type { Principal } from '../people/principal.ts';
import { refuse } from '../problems.ts';
import { payloadOfReceipt } from '../store/chains.ts';
import { discloseOnly, placeOfReceipt, redrawPdf } from '../store/disclosures.ts';
import { heldOf, lockBeside, requireHeld } from './held.ts';
import { besideOf } from './list.ts';
import { loadDecided } from './read.ts';

/** Throws `not_found`. */
export async function listBeside({ db }: Pick<Ledger, 'db'>, by: Principal, receipt_id: string): Promise<Beside[]> {
  const place = await placeOfReceipt(db, by.organization_id, receipt_id);
  const payload = await payloadOfReceipt(db, by.organization_id, receipt_id);
  return besideOf(JSON.parse(payload) as object, await loadDecided(db, place));
}

/** These and nothing else. Throws `not_found`, `disclosure_unknown`, `disclosure_erased`, `disclosure_not_stored`. */
export function disclose(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  by: Principal,
  receipt_id: string,
  change: DisclosureChange,
): Promise<void> {
  const { organization_id } = by;
  const paths = [...new Set(change.disclosed)].sort();
  return db.transaction(async (tx) => {
    const place = await placeOfReceipt(tx, organization_id, receipt_id);
    const held = heldOf(await lockBeside(tx, place));
    const { decisions } = await loadDecided(tx, place, { texts: false });
    for (const path of paths) {
      const erased = decisions.find((decision) => decision.path === path)?.erased_at;
      if (erased) throw refuse('disclosure_erased', `${path} was erased at ${erased}, which is final.`, { path });
      requireHeld(held, path);
    }
    const before = decisions.flatMap(({ path, disclosed }) => (disclosed ? [path] : [])).sort();
    if (before.join('\n') === paths.join('\n')) return;
    const at = now();
    await discloseOnly(tx, place, paths);
    await redrawPdf(tx, place, at);
    changes(tx, organization_id, { receipts: true });
    const details = { receipt_id, before, after: paths };
    await recordActivity(tx, organization_id, { by: actorOf(by), kind: 'disclosures_changed', details }, at);
  });
}
