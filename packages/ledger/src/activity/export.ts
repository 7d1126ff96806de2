/** That somebody takes a whole chain with them is recorded before its first byte leaves. */
import type { Head } from '@rcpt/proof/chain.ts';
import type { Ledger } from '../ledger.ts';
import type { Principal } from '../people/principal.ts';
import { actorOf } from './actor.ts';
import { recordActivity } from './record.ts';

/** @param head where the chain ended when the export was asked for; null: it was empty */
export async function recordExport(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  by: Principal,
  chain: 'receipts' | 'activity',
  head: Head | null,
): Promise<void> {
  const act = { by: actorOf(by), kind: 'export_taken', details: { chain, head } } as const;
  await db.transaction((tx) => recordActivity(tx, by.organization_id, act, now()));
}
