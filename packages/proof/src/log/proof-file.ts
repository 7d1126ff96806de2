/** The proof file of one receipt (C2SP tlog-proof): its place, the hashes on the way to the root, and the checkpoint. */
import { ProofError } from '../error.ts';
import { fromBase64, toBase64 } from './bytes.ts';
import { openCheckpoint, type VerifiedCheckpoint } from './checkpoint.ts';
import { HASH_BYTES, includes, leafHash } from './merkle.ts';
import type { VerifierKey } from './verifier-key.ts';

export interface ProofFile {
  /** The receipt's org_seq. */
  index: number;
  /** The leaf's sibling first. */
  hashes: Uint8Array[];
  /** The note, verbatim, with its cosignatures. */
  checkpoint: string;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** A tree of 2^53 leaves has no more. */
const MOST_HASHES = 53;

export function formatProofFile({ index, hashes, checkpoint }: ProofFile): string {
  return `${[FIRST_LINE, `index ${index}`, ...hashes.map(toBase64)].join('\n')}\n\n${checkpoint}`;
}

/** Throws `not_a_proof`. */
export function parseProofFile(text: string): ProofFile {
  const blank = text.indexOf('\n\n');
  const [first, second, ...encoded] = text.slice(0, Math.max(blank, 0)).split('\n');
  const digits = /^index (0|[1-9]\d{0,15})$/.exec(second ?? '')?.[1];
  if (first !== FIRST_LINE || digits === undefined || !Number.isSafeInteger(Number(digits)))
    throw notAProof('it does not begin with its format and an index');
  if (encoded.length > MOST_HASHES) throw notAProof(`it has more than ${MOST_HASHES} hashes`);
  const hashes = encoded.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) throw notAProof('a line is no hash');
    return hash;
  });
  return { index: Number(digits), hashes, checkpoint: text.slice(blank + 2) };
}

/**
 * That this receipt stands at its place in the tree of the checkpoint, which this log's key signed. Throws `not_a_proof`, `not_a_note`,
 * `not_a_checkpoint`, `bad_signature`, and `not_included`.
 * @param receipt the stored canonical bytes
 */
export async function verifyProofFile(
  text: string,
  receipt: Uint8Array,
  log: VerifierKey,
  witnesses: readonly VerifierKey[] = [],
): Promise<{ index: number; checkpoint: VerifiedCheckpoint }> {
  const { index, hashes, checkpoint: note } = parseProofFile(text);
  const checkpoint = await openCheckpoint(note, log, witnesses);
  const { size, root } = checkpoint;
  if (!includes({ index, size, leaf: leafHash(receipt), root }, hashes))
    throw new ProofError('not_included', `the checkpoint’s tree does not hold this receipt at ${index}`);
  return { index, checkpoint };
}

function notAProof(reason: string): ProofError {
  return new ProofError('not_a_proof', `this is no proof file: ${reason}`);
}
