/** Hashes as the database holds them: one after the other, in base64. */
import { HASH_BYTES } from '@rcpt/proof/log/merkle.ts';
import type { Peaks } from '@rcpt/proof/log/peaks.ts';

export function encodeHashes(hashes: Peaks): string {
  return Buffer.concat(hashes).toString('base64');
}

export function decodeHashes(text: string): Uint8Array[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
