/** The pin that a cook points at (docs/spec.md §6.4.2): taken from the stored receipt only while that is what was sealed. Pure. */
import { type PinnedModel, pinnedModelOf } from '@rcpt/contract/lanes/pinned-model.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { refuse } from '../problems.ts';

/** A pin as it is stored; null for what is not there any more. */
export interface StoredPin {
  payload: string | null;
  /** The hash by which the chain knows it: its successor's parent, or the head. */
  linked_sha256: string | null;
}

/** Throws `pin_damaged`: an altered pin must not be copied into a receipt that verifies. */
export function intactPin({ payload, linked_sha256 }: StoredPin, slug: string): PinnedModel {
  if (payload === null) throw damaged(slug, 'its receipt is not stored any more');
  const { ok, payload: receipt, receipt_sha256 } = verifyReceipt(payload);
  if (!ok || receipt === null) throw damaged(slug, 'its stored bytes do not have their hash');
  if (receipt_sha256 !== linked_sha256) throw damaged(slug, 'the chain knows its receipt by another hash');
  const pinned = pinnedModelOf(receipt);
  if (pinned === null || pinned.slug !== slug) throw damaged(slug, 'the receipt it names does not pin this model');
  return pinned;
}

function damaged(slug: string, how: string) {
  return refuse(
    'pin_damaged',
    `The most recent pin of ${slug} was changed after it was sealed: ${how}. Nothing was minted. GET /ledger/verify names the receipt; mint a new pin of this model, then this Run.`,
  );
}
