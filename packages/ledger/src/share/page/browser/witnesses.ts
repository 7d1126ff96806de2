/** Which of the witnesses that the organization names have cosigned the checkpoint of the proof: verified here. */
import { verifyCosignatures } from '@rcpt/proof/log/checkpoint.ts';
import { parseProofFile } from '@rcpt/proof/log/proof-file.ts';
import { parseNote } from '@rcpt/proof/log/signed-note.ts';
import type { VerifierKey } from '@rcpt/proof/log/verifier-key.ts';

/** A sentence for a reader, who chose none of them. */
export async function cosignedBy(proof: string, witnesses: readonly VerifierKey[]): Promise<string> {
  if (witnesses.length === 0) return 'The organization names no witness: nobody else signs what it signs.';
  try {
    const cosigned = await verifyCosignatures(parseNote(parseProofFile(proof).checkpoint), witnesses);
    const count = `Cosigned by ${cosigned.length} of ${witnesses.length} witnesses`;
    if (cosigned.length === 0) return `${count}. The organization names them.`;
    const last = new Date(Math.max(...cosigned.map(({ time }) => time)) * 1000).toISOString().slice(0, 19);
    return `${count}, last at ${last}Z. The organization names them.`;
  } catch {
    return 'A cosignature of a witness that the organization names does not hold.';
  }
}
