/** Public keys of passkeys, as PEM of a SubjectPublicKeyInfo, and the three ways in which passkeys sign. */
import { ProofError } from '../error.ts';
import { concat, equal, fromBase64, fromHex, toBase64 } from '../log/bytes.ts';
import { sha256Hex } from '../sha256.ts';

/** As WebAuthn calls them: COSE −7, −8, −257. */
export type SignatureAlgorithm = 'ES256' | 'EdDSA' | 'RS256';

export interface PasskeyKey {
  algorithm: SignatureAlgorithm;
  /** DER. */
  spki: Uint8Array;
}

const P256 = fromHex('3059301306072a8648ce3d020106082a8648ce3d030107034200');
const ED25519 = fromHex('302a300506032b6570032100');
/** After the four bytes of the outer length. */
const RSA = fromHex('300d06092a864886f70d0101010500');
const PEM = /^-----BEGIN PUBLIC KEY-----\n((?:[A-Za-z0-9+/=]{1,64}\n)+)-----END PUBLIC KEY-----\n?$/;
const SHORTEST_RSA_BITS = 2048;

/** Throws `invalid_key`: also for a key of a kind that no passkey here has. */
export function parsePublicKey(pem: string): PasskeyKey {
  const spki = fromBase64((PEM.exec(pem)?.[1] ?? '').replaceAll('\n', ''));
  if (spki === null || spki.length === 0) throw new ProofError('invalid_key', 'the public key is no PEM');
  return publicKeyOf(spki);
}

/** Throws `invalid_key`. */
export function publicKeyOf(spki: Uint8Array): PasskeyKey {
  const begins = (prefix: Uint8Array, at = 0) => equal(spki.subarray(at, at + prefix.length), prefix);
  if (begins(P256) && spki.length === P256.length + 65) return { algorithm: 'ES256', spki };
  if (begins(ED25519) && spki.length === ED25519.length + 32) return { algorithm: 'EdDSA', spki };
  if (begins(RSA, 4)) return { algorithm: 'RS256', spki };
  throw new ProofError('invalid_key', 'the public key is none of P-256, Ed25519 and RSA');
}

export function formatPublicKey({ spki }: Pick<PasskeyKey, 'spki'>): string {
  const lines = toBase64(spki).match(/.{1,64}/g) ?? [];
  return `-----BEGIN PUBLIC KEY-----\n${lines.join('\n')}\n-----END PUBLIC KEY-----\n`;
}

const IMPORTED = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
};
const VERIFIED = {
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
  RS256: { name: 'RSASSA-PKCS1-v1_5' },
};

/** Whether this key signed the message. Throws `invalid_key` where the key cannot be used, or is an RSA key of fewer than 2048 bits. */
export async function isSignedBy(
  { algorithm, spki }: PasskeyKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = await importKey(algorithm, spki);
  const raw = algorithm === 'ES256' ? rawOfDer(signature) : signature;
  if (raw === null) return false;
  return crypto.subtle.verify(
    VERIFIED[algorithm],
    key,
    raw as Uint8Array<ArrayBuffer>,
    message as Uint8Array<ArrayBuffer>,
  );
}

async function importKey(algorithm: SignatureAlgorithm, spki: Uint8Array) {
  const imported = await crypto.subtle
    .importKey('spki', spki as Uint8Array<ArrayBuffer>, IMPORTED[algorithm], false, ['verify'])
    .catch(() => null);
  if (imported === null) throw new ProofError('invalid_key', `the ${algorithm} public key cannot be used`);
  const { modulusLength } = imported.algorithm as { modulusLength?: number };
  if (modulusLength !== undefined && modulusLength < SHORTEST_RSA_BITS)
    throw new ProofError('invalid_key', `an RSA key has ${SHORTEST_RSA_BITS} bits or more`);
  return imported;
}

const COORDINATE_BYTES = 32;

/** `r ‖ s` of an ECDSA signature in DER, which has one form for each pair; null for anything else. */
export function rawOfDer(der: Uint8Array): Uint8Array | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null;
  const r = integerAt(der, 2);
  const s = r && integerAt(der, r.end);
  return s?.end === der.length ? concat(r!.value, s.value) : null;
}

function integerAt(der: Uint8Array, at: number): { value: Uint8Array; end: number } | null {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== 0x02 || length === 0 || end > der.length) return null;
  const bytes = der.subarray(at + 2, end);
  const isPadded = bytes[0] === 0;
  // Negative, or padded without need: another spelling of the same number.
  if (bytes[0]! >= 0x80 || (isPadded && (bytes[1] ?? 0) < 0x80)) return null;
  const digits = isPadded ? bytes.subarray(1) : bytes;
  if (digits.length > COORDINATE_BYTES) return null;
  return { value: concat(new Uint8Array(COORDINATE_BYTES - digits.length), digits), end };
}

/** By which an organization's activity names a key: SHA-256 over its DER. Throws `invalid_key`. */
export function publicKeySha256(pem: string): string {
  return sha256Hex(parsePublicKey(pem).spki);
}
