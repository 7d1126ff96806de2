/** A checkpoint of fewer entries than were signed last: of the end of a period that is over. */
import { checkpointText } from '@rcpt/proof/log/checkpoint.ts';
import { consistencyProof, extendsTree, rootOf } from '@rcpt/proof/log/merkle.ts';
import { rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { refuse } from '../problems.ts';
import { findCheckpoint, type LogName, type SignedEnd } from '../store/logs.ts';
import { decodeHashes } from './encoding.ts';
import { signNote } from './keys.ts';
import type { SignSettings } from './signer.ts';
import { LogTree } from './tree.ts';

/**
 * The one of this size that was kept, if there is one, else one that is signed now. It cannot contradict another: its tree is read from the
 * hashes that were signed last, and is signed only where the last checkpoint extends it. Throws `log_inconsistent`.
 * @param end signed last, of at least `size` entries
 */
export async function earlierCheckpoint(
  { db, keys }: Pick<SignSettings, 'db' | 'keys'>,
  organization_id: string,
  log: LogName,
  end: SignedEnd,
  size: number,
): Promise<string> {
  if (size === end.size) return end.checkpoint;
  const kept = await findCheckpoint(db, organization_id, log, size);
  if (kept !== null) return kept;
  const { subtree } = new LogTree(db, organization_id, log, end);
  const older = { size, root: await rootOf(size, subtree) };
  const newer = { size: end.size, root: rootOfPeaks(decodeHashes(end.peaks)) };
  if (!extendsTree(older, newer, await consistencyProof(size, end.size, subtree)))
    throw refuse(
      'log_inconsistent',
      `The stored tree of the first ${size} entries is not the beginning of the one that was signed. Restore the newest backup.`,
    );
  const signing = await keys.signing(organization_id, log);
  return signNote(checkpointText({ origin: signing[0]!.verifier.name, ...older }), signing);
}
