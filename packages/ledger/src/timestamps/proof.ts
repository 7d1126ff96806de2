/** That a receipt is in the tree of a checkpoint that was time-stamped. */
import { parseCheckpointText } from '@rcpt/proof/log/checkpoint.ts';
import { includes, inclusionProof } from '@rcpt/proof/log/merkle.ts';
import { formatProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import type { Db } from '@rcpt/service/db/db.ts';
import { LogTree } from '../log/tree.ts';
import { refuse } from '../problems.ts';
import { loadSignedEnd } from '../store/logs.ts';

/** A proof file whose checkpoint is this one, to the byte. Throws `log_inconsistent`. */
export async function proofIn(db: Db, organization_id: string, index: number, checkpoint: string): Promise<string> {
  const { size, root } = parseCheckpointText(parseNote(checkpoint).text);
  // A stamp is of a checkpoint that was signed before.
  const end = await loadSignedEnd(db, organization_id, 'receipts');
  if (end === null || end.size < size) throw notAsSigned(index);
  const { subtree } = new LogTree(db, organization_id, 'receipts', end);
  const hashes = await inclusionProof(index, size, subtree);
  if (!includes({ index, size, leaf: await subtree(0, index), root }, hashes)) throw notAsSigned(index);
  return formatProofFile({ index, hashes, checkpoint });
}

function notAsSigned(index: number) {
  return refuse('log_inconsistent', `The entry at ${index} is not the one that was signed and time-stamped.`);
}
