/** The checkpoints of a pack as files, and the proofs that each continues the one before it. */
import { formatConsistency } from '@rcpt/proof/log/consistency-file.ts';
import { type Anchor, reasonOf } from './anchors.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

export async function* checkpointEntries(packing: Packing): AsyncGenerator<ZipEntry> {
  const { anchors, period } = packing;
  const { before, end, newest } = anchors;
  const at = period.taken_at;
  if (before !== null) yield { path: 'checkpoints/before.txt', at, content: before.checkpoint };
  if (end !== null) yield { path: 'checkpoints/end.txt', at, content: end.checkpoint };
  if (newest !== null) yield { path: 'checkpoints/newest.txt', at, content: newest.checkpoint };
  yield* consistency(packing, 'before-to-end', before, end);
  yield* consistency(packing, 'end-to-newest', end, newest);
}

async function* consistency(
  { ledger: { logs }, organization, period, problems }: Packing,
  name: string,
  older: Anchor | null,
  newer: Anchor | null,
): AsyncGenerator<ZipEntry> {
  if (older === null || newer === null) return;
  try {
    const hashes = await logs.consistency(organization.id, 'receipts', older.size, newer.size);
    yield { path: `checkpoints/${name}.txt`, at: period.taken_at, content: formatConsistency(hashes) };
  } catch (error) {
    problems.add(`The proof that checkpoint ${newer.size} continues ${older.size}: ${reasonOf(error)}`);
  }
}
