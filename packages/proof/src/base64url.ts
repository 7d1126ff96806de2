/** base64url without padding (RFC 4648 §5), in its one canonical form. */
import { fromBase64, toBase64 } from './log/bytes.ts';

export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Null for what is no base64url, is padded, or would be written otherwise. */
export function fromBase64Url(text: string): Uint8Array | null {
  if (/[^\w-]/.test(text)) return null;
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat(-text.length & 3));
}
