/** What the parts of a pack share while it is made. */
import type { Ledger } from '../ledger.ts';
import { type PackRow, packRows } from '../store/pack.ts';
import type { Anchors } from './anchors.ts';
import type { Period } from './period.ts';
import type { Problems } from './problems.ts';
import type { PackTree } from './tree.ts';

export interface Packing {
  ledger: Pick<Ledger, 'db' | 'logs' | 'printer' | 'storage' | 'config' | 'base_url'>;
  organization: { id: string; name: string };
  period: Period;
  anchors: Anchors;
  /** Null: nothing was signed. */
  tree: PackTree | null;
  with_pdfs: boolean;
  problems: Problems;
  included: Included;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
  /** In a turn of the organization. Throws `request_timeout` when the caller has gone. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** How many of each there are, for the README. */
export interface Included {
  receipts: number;
  missing: number;
  proofs: number;
  approvals: number;
  /** Receipts beside which something was disclosed or erased. */
  decided: number;
  disclosed: number;
  pdfs: number;
  successions: number;
  timestamps: number;
  /** Lines of the activity chain; null: it is not in the pack. */
  activity: number | null;
  verifier: boolean;
}

export const NOTHING_YET: Included = {
  receipts: 0,
  missing: 0,
  proofs: 0,
  approvals: 0,
  decided: 0,
  disclosed: 0,
  pdfs: 0,
  successions: 0,
  timestamps: 0,
  activity: null,
  verifier: false,
};

/** What a reader who stops reading costs in memory. */
const PAGE_ROWS = 64;

export interface Missing {
  org_seq: number;
  payload: null;
}

/**
 * What `each` makes of every position of the period, in order, a page at a time, each page in a turn; the next one is read when it is asked for.
 * A position without a receipt is passed on as missing.
 */
export async function* inPages<T>(
  packing: Packing,
  each: (place: PackRow | Missing) => Promise<T> | T,
): AsyncGenerator<T[]> {
  const { ledger, organization, period } = packing;
  for (let at = period.from; at < period.before; ) {
    const page = await packing.inTurn(async () => {
      const rows = await packRows(ledger.db, organization.id, { from: at, before: period.before, limit: PAGE_ROWS });
      const made: T[] = [];
      for (const place of placesFrom(at, period.before, rows)) {
        made.push(await each(place));
        await new Promise((lap) => setImmediate(lap));
      }
      return made;
    });
    at += page.length;
    yield page;
  }
}

/** Those of a page without a gap, or the gap before them. */
function placesFrom(at: number, before: number, rows: PackRow[]): (PackRow | Missing)[] {
  const next = rows[0]?.org_seq ?? before;
  if (next > at)
    return Array.from({ length: Math.min(Math.ceil(next - at), PAGE_ROWS) }, (_, i) => ({
      org_seq: at + i,
      payload: null,
    }));
  const gap = rows.findIndex(({ org_seq }, i) => org_seq !== at + i);
  return gap === -1 ? rows : rows.slice(0, gap);
}
