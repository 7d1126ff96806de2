/** By when the receipts of the period were there, in the word of a time-stamp authority (RFC 3161), where one has stamped since. */
import { formatConsistency } from '@rcpt/proof/log/consistency-file.ts';
import { firstTimestampOf } from '../store/timestamps.ts';
import { reasonOf } from './anchors.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

/** The first stamped checkpoint that counts all of them. */
export async function* timestampEntries(packing: Packing): AsyncGenerator<ZipEntry> {
  const { ledger, organization, period, anchors, included, problems } = packing;
  const { end } = anchors;
  if (end === null) return;
  const stamped = await firstTimestampOf(ledger.db, organization.id, 'receipts', end.size - 1);
  if (stamped === null) return;
  const at = stamped.stamped_at;
  included.timestamps++;
  yield { path: 'timestamp/checkpoint.txt', at, content: stamped.checkpoint };
  yield { path: 'timestamp/timestamp.tsr', at, content: Buffer.from(stamped.answer, 'base64') };
  try {
    const hashes = await ledger.logs.consistency(organization.id, 'receipts', end.size, stamped.size);
    yield { path: 'timestamp/end-to-checkpoint.txt', at: period.taken_at, content: formatConsistency(hashes) };
  } catch (error) {
    problems.add(`The proof that the stamped checkpoint ${stamped.size} continues ${end.size}: ${reasonOf(error)}`);
  }
}
