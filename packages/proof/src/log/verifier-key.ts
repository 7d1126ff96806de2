/**
 * Public keys by which notes are verified, as people pass them on (C2SP signed-note): `name+<key id>+base64(type ‖ key)`. The id follows from
 * name, type and key; one that does not is refused.
 */
import { ProofError } from '../error.ts';
import { concat, equal, fromBase64, sha256Of, toBase64, toHex } from './bytes.ts';

/** Ed25519: of a log (1) or of a witness (4, a cosignature with its time). */
export type KeyType = 1 | 4;

export interface VerifierKey {
  name: string;
  type: KeyType;
  /** 4 bytes. */
  id: Uint8Array;
  /** 32 bytes. */
  key: Uint8Array;
}

const KEY_BYTES = 32;
const NAME = /^[^\s+\p{Cc}]+$/u;

/** Throws `invalid_key`. */
export function verifierKey(name: string, type: KeyType, key: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new ProofError('invalid_key', 'a key has a name without spaces and plus signs');
  if (key.length !== KEY_BYTES) throw new ProofError('invalid_key', `an Ed25519 key has ${KEY_BYTES} bytes`);
  return { name, type, key, id: keyId(name, type, key) };
}

/** Throws `invalid_key`. */
export function parseVerifierKey(text: string): VerifierKey {
  const [, name, id, encoded] = /^([^+]*)\+([^+]*)\+(.*)$/su.exec(text) ?? [];
  const bytes = encoded === undefined ? null : fromBase64(encoded);
  const type = bytes?.[0];
  if (name === undefined || bytes === null || (type !== 1 && type !== 4))
    throw new ProofError('invalid_key', 'a verifier key is name+id+base64, of type 1 or 4');
  const key = verifierKey(name, type, bytes.subarray(1));
  if (toHex(key.id) !== id) throw new ProofError('invalid_key', 'the id of the key is not that of its name and bytes');
  return key;
}

/** A key a line; empty lines are passed over. Throws `invalid_key`. */
export function parseVerifierKeys(text: string): VerifierKey[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => parseVerifierKey(line.trim()));
}

export function formatVerifierKey({ name, type, id, key }: VerifierKey): string {
  return `${name}+${toHex(id)}+${toBase64(concat(Uint8Array.of(type), key))}`;
}

export function isKeyName(name: string): boolean {
  return NAME.test(name) && name.isWellFormed();
}

export function isOfKey(signature: { name: string; id: Uint8Array }, key: VerifierKey): boolean {
  return signature.name === key.name && equal(signature.id, key.id);
}

/** Whether this key signed the message; `signature` has 64 bytes. */
export async function isSigned(key: VerifierKey, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature.length !== 64) return false;
  const algorithm = { name: 'Ed25519' };
  const imported = await crypto.subtle.importKey('raw', key.key as Uint8Array<ArrayBuffer>, algorithm, false, [
    'verify',
  ]);
  return crypto.subtle.verify(
    algorithm,
    imported,
    signature as Uint8Array<ArrayBuffer>,
    message as Uint8Array<ArrayBuffer>,
  );
}

function keyId(name: string, type: KeyType, key: Uint8Array): Uint8Array {
  return sha256Of(new TextEncoder().encode(`${name}\n`), Uint8Array.of(type), key).subarray(0, 4);
}
