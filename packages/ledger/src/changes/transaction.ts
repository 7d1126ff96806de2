/**
 * Transactions that emit their changes. A story names what it changes beside the statements that change it; the feed is given it
 * once the transaction has committed, and never when it was rolled back.
 */
import type { Changed } from '@rcpt/contract/ledger/live.ts';
import type { Db, Queries } from '@rcpt/service/db/db.ts';
import type { ChangeFeed } from './feed.ts';

type Change = Parameters<ChangeFeed['emit']>;

const named = new WeakMap<Queries, Change[]>();

/** Names what this transaction changes. Where no feed is open, as in the commands, nothing is emitted. */
export function changes(tx: Queries, organization_id: string, what: Partial<Changed>): void {
  named.get(tx)?.push([organization_id, { runs: [], receipts: false, settings: false, ...what }]);
}

/** The same database; its transactions emit what is named in them. */
export function emittingChanges(db: Db, feed: Pick<ChangeFeed, 'emit'>): Db {
  return {
    ...db,
    async transaction(work) {
      // Empty again when the database runs the work a second time.
      let of_this: Change[] = [];
      const result = await db.transaction((tx) => {
        const own = { ...tx };
        of_this = [];
        named.set(own, of_this);
        return work(own);
      });
      for (const change of of_this) feed.emit(...change);
      return result;
    },
  };
}
