/** What is looked for among the receipts, as the address bar keeps it: `?search=roof&lane=eval&from=2026-05-01`. */
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';

/** `from` and `to` are UTC days, both included. */
export interface ReceiptFilters {
  search?: string | undefined;
  lane?: LaneName | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const LONGEST_SEARCH = 200;

/** What makes no sense to the ledger, perhaps typed into the address bar, counts as not asked for. */
export function filtersOf(given: URLSearchParams): ReceiptFilters {
  return {
    search: given.get('search')?.trim().slice(0, LONGEST_SEARCH).toWellFormed() || undefined,
    lane: LANE_NAMES.find((lane) => lane === given.get('lane')),
    from: dayOf(given.get('from')),
    to: dayOf(given.get('to')),
  };
}

/** The address with some of it changed; an empty value takes a filter away. Whatever else stands there stays. */
export function changed(given: URLSearchParams, to: Partial<Record<keyof ReceiptFilters, string>>): URLSearchParams {
  const next = new URLSearchParams(given);
  for (const [name, value] of Object.entries(to)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

export function asksForAll(filters: ReceiptFilters): boolean {
  return Object.values(filters).every((value) => value === undefined);
}

function dayOf(value: string | null): string | undefined {
  if (value === null || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== value ? undefined : value;
}
