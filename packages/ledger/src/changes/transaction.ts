/**
 * Transactions that emit their changes. A story names what it changes beside the statements that change it; the feed is given it
 * once the transaction has committed, and never when it was rolled back.
 */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import type { ChangeFeed } from './feed.ts';

type Change = Parameters<ChangeFeed['emit']>;

interface Named {
  changes: Change[];
  /** Organizations whose activity chains grew. */
  acted: Set<string>;
}

const named = new WeakMap<Queries, Named>();

/** Names what this transaction changes. Where no feed is open, as in the commands, nothing is emitted. */
export function changes(tx: Queries, organization_id: string, what: Partial<Changed>): void {
  named.get(tx)?.changes.push([organization_id, { runs: [], receipts: false, settings: false, ...what }]);
}

/** Names an organization whose activity chain this transaction appends to. */
export function acts(tx: Queries, organization_id: string): void {
  named.get(tx)?.acted.add(organization_id);
}

/**
 * The same database; its transactions emit what is named in them.
 * @param onActed called after a commit, with the organizations whose activity chains grew; must not throw
 */
export function emittingChanges(
  db: Db,
  feed: Pick<ChangeFeed, 'emit'>,
  onActed: (organization_ids: Set<string>) => void = () => {},
): Db {
  return {
    ...db,
    async transaction(work) {
      // Empty again when the database runs the work a second time.
      let of_this: Named = { changes: [], acted: new Set() };
      const result = await db.transaction((tx) => {
        const own = { ...tx };
        of_this = { changes: [], acted: new Set() };
        named.set(own, of_this);
        return work(own);
      });
      for (const change of of_this.changes) feed.emit(...change);
      if (of_this.acted.size > 0) onActed(of_this.acted);
      return result;
    },
  };
}
