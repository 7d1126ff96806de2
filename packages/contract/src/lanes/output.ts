/** What is sealed of the work itself (docs/spec.md §6.1): the hash of the output, which any holder of the output can compare. */
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import type { Json } from '../wire.ts';

export interface SealedOutput {
  /** Empty when there is no output. */
  output_sha256: string;
  /** Length of the hashed bytes. */
  output_bytes: number;
}

/** The bytes that are hashed, as text: a text as it is, anything else as its canonical JSON (RFC 8785). Both are UTF-8. */
export function outputText(output: Json): string {
  return typeof output === 'string' ? output : canonicalize(output);
}

export function outputSha256(output: Json): string {
  return sha256Hex(outputText(output));
}

/** An absent output is sealed as no hash and 0 bytes; an empty text is an output and has the hash of no bytes. */
export function sealOutput(output: Json | undefined): SealedOutput {
  if (output === undefined || output === null) return { output_sha256: '', output_bytes: 0 };
  const bytes = new TextEncoder().encode(outputText(output));
  return { output_sha256: sha256Hex(bytes), output_bytes: bytes.length };
}
