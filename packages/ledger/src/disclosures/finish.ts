/**
 * What an erasure leaves to be done outside of its transaction: objects in storage, and what the log of an SQLite database still holds.
 * Begun when the erasure has committed, taken up at every start and sweep until all of it is done. Every step may be repeated.
 */
import type { Ledger } from '../ledger.ts';
import { evidenceKey } from '../outbox/storage.ts';
import { finishErasure, objectsLetGo, type Place, unfinishedErasures } from '../store/disclosures.ts';
import { endRemoval } from '../store/storage.ts';

const RECEIPTS_AT_ONCE = 100;
const STORAGE_MS = 10_000;

type Finishing = Pick<Ledger, 'db' | 'storage' | 'now'>;

/** Throws what storage or database throw; what is left then is left for the next call. */
export async function finishErasures(ledger: Finishing): Promise<void> {
  const { db, now } = ledger;
  const at = now();
  const places = await unfinishedErasures(db, RECEIPTS_AT_ONCE);
  if (places.length === 0) return;
  for (const place of places) await deleteObjects(ledger, place);
  // Somebody reads from the log just now: the next call empties it.
  if (!(await db.emptyLog())) return;
  for (const place of places) await finishErasure(db, place, at);
}

async function deleteObjects({ db, storage }: Finishing, place: Place): Promise<void> {
  for (const object of await objectsLetGo(db, place)) {
    const { organization_id, run_id, sha256 } = object;
    await storage.delete(evidenceKey(organization_id, run_id, sha256), AbortSignal.timeout(STORAGE_MS));
    await db.transaction((tx) => endRemoval(tx, object));
  }
}
