/** A consistency proof as a file: its hashes in base64, a line each; none where both trees are the same. */
import { ProofError } from '../error.ts';
import { fromBase64, toBase64 } from './bytes.ts';
import { HASH_BYTES } from './merkle.ts';

/** Two for each level of a tree of 2^53 leaves. */
const MOST_HASHES = 106;

export function formatConsistency(hashes: readonly Uint8Array[]): string {
  return hashes.map((hash) => `${toBase64(hash)}\n`).join('');
}

/** Throws `not_a_proof`. */
export function parseConsistency(text: string): Uint8Array[] {
  const lines = text === '' ? [] : text.split('\n');
  if (lines.length > 0 && lines.pop() !== '') throw notAProof('its last line has no end');
  if (lines.length > MOST_HASHES) throw notAProof(`it has more than ${MOST_HASHES} hashes`);
  return lines.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) throw notAProof('a line is no hash');
    return hash;
  });
}

function notAProof(reason: string): ProofError {
  return new ProofError('not_a_proof', `this is no consistency proof: ${reason}`);
}
