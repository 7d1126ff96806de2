/** The chain as rows, the newest first, and whether each row's link leads to the row below it. */
import type { ReceiptPage, ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';

/** Receipts that are fetched together: numbers 0 to 99, 100 to 199 and so on, so that a growing chain moves none. */
export const BLOCK_ROWS = 100;

/** A receipt, null where the chain has none at this number, undefined while it is not loaded. */
export type Slot = ReceiptSummary | null | undefined;

export function blocksOf(lowest: number, highest: number): number[] {
  if (highest < lowest) return [];
  const first = blockOf(Math.max(0, lowest));
  return Array.from({ length: blockOf(highest) - first + 1 }, (_, place) => first + place);
}

export function blockOf(org_seq: number): number {
  return Math.floor(org_seq / BLOCK_ROWS);
}

/** The receipts of one block by their number; a page that began higher or reached lower gives what lies within. */
export function rowsOfBlock(block: number, page: ReceiptPage): ReadonlyMap<number, ReceiptSummary> {
  return new Map(
    page.receipts.filter(({ org_seq }) => blockOf(org_seq) === block).map((receipt) => [receipt.org_seq, receipt]),
  );
}

/** The last number there is: the recorded head, or a receipt that was put behind it. −1: there is none. */
export function lastOf({ receipts, head_seq }: ReceiptPage): number {
  return Math.max(head_seq ?? -1, receipts[0]?.org_seq ?? -1);
}

/**
 * `first`: has no parent, as it should. `holds`: names the hash of the receipt below. `broken`: names another one.
 * `lost`: there is no receipt below. `unknown`: one of the two is not loaded.
 */
export type Link = 'first' | 'holds' | 'broken' | 'lost' | 'unknown';

export function linkOf(receipt: Slot, below: Slot): Link {
  if (!receipt) return 'unknown';
  if (receipt.org_seq === 0) return receipt.parent_hash === GENESIS_HASH ? 'first' : 'broken';
  if (below === undefined) return 'unknown';
  if (below === null) return 'lost';
  return receipt.parent_hash === below.receipt_sha256 ? 'holds' : 'broken';
}
