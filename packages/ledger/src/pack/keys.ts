/** The keys that sign the organization's logs, and how each handed over to the next. */
import { loadLogKeys } from '../store/logs.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

export async function* keyEntries({
  ledger: { db, logs },
  organization,
  period,
  included,
}: Packing): AsyncGenerator<ZipEntry> {
  const at = period.taken_at;
  const keys = await logs.verifierKeys(organization.id, 'receipts');
  yield { path: 'keys/receipts.txt', at, content: lines(keys) };
  for (const { generation, succession, created_at } of (await loadLogKeys(db, organization.id)).toReversed()) {
    if (succession === null) continue;
    included.successions++;
    yield { path: `keys/succession-${generation}.txt`, at: created_at, content: succession };
  }
}

export function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
