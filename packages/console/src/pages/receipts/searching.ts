/** How far a list of receipts has come. The ledger reads a bounded stretch per answer, so a page may be short or empty. */
import type { ReceiptPage } from '@rcpt/contract/ledger/search.ts';

export const PAGE_ROWS = 50;
/** Short pages that are asked for by themselves, one after the other, before a person is asked. */
export const PAGES_UNASKED = 4;

interface Reach {
  /** `ends`: all was looked at. `on`: the next page is worth asking for now. `waits`: for a person to want more. */
  next: 'ends' | 'on' | 'waits';
  /** The number down to which everything was looked at; null at the end. */
  back_to: number | null;
  found: number;
  /** The last page was short, so what is below cannot be reached by scrolling alone. */
  barren: boolean;
}

/** `asked`: how many pages there were when the person last wanted more. */
export function reachOf(pages: readonly ReceiptPage[], asked: number): Reach {
  const found = pages.reduce((sum, page) => sum + page.receipts.length, 0);
  const last = pages.at(-1);
  const back_to = last?.next_before_seq ?? null;
  if (last === undefined || back_to === null) return { next: 'ends', back_to: null, found, barren: false };
  const barren = last.receipts.length < PAGE_ROWS;
  return { next: barren && pages.length - asked < PAGES_UNASKED ? 'on' : 'waits', back_to, found, barren };
}
