/** What a passkey signed when it was asked (Web Authentication, §7.2): checked without the server that asked. */

import { toBase64Url } from '../base64url.ts';
import type { JsonObject } from '../canonical.ts';
import { ProofError } from '../error.ts';
import { concat, equal, sha256Of } from '../log/bytes.ts';
import { decodeUtf8, parseStrict } from '../parse.ts';
import { isObject } from '../receipt.ts';
import { isSignedBy, type PasskeyKey } from './public-key.ts';

export interface Assertion {
  client_data_json: Uint8Array;
  authenticator_data: Uint8Array;
  /** ES256 in DER. */
  signature: Uint8Array;
}

export interface Asked {
  challenge: Uint8Array;
  /** Of the page that asked; its host is the id of the relying party. */
  origin: string;
}

export interface Answered {
  /** 0: the authenticator does not count. */
  sign_count: number;
  /** The passkey may be copied to the person's other devices. */
  is_backup_eligible: boolean;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const ATTESTED_DATA = 0x40;
const EXTENSIONS = 0x80;
const SHORTEST_DATA = 37;

/**
 * That this key answered what was asked, on that page, with the person verified. Throws `not_an_assertion`, `wrong_challenge`, `wrong_origin`,
 * `wrong_relying_party`, `user_not_verified`, `bad_signature`, `invalid_key`.
 */
export async function verifyAssertion(assertion: Assertion, key: PasskeyKey, asked: Asked): Promise<Answered> {
  checkClientData(clientDataOf(assertion.client_data_json), asked);
  const answered = checkAuthenticatorData(assertion.authenticator_data, asked);
  const message = signedBytes(assertion);
  if (!(await isSignedBy(key, message, assertion.signature)))
    throw new ProofError('bad_signature', 'the signature is not one of this passkey over these bytes');
  return answered;
}

/** What the signature is over. */
export function signedBytes({ authenticator_data, client_data_json }: Omit<Assertion, 'signature'>): Uint8Array {
  return concat(authenticator_data, sha256Of(client_data_json));
}

/** Throws `not_an_assertion`. */
export function clientDataOf(client_data_json: Uint8Array): JsonObject {
  try {
    const data = parseStrict(decodeUtf8(client_data_json));
    if (isObject(data)) return data;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
  }
  throw new ProofError('not_an_assertion', 'the client data is no JSON object');
}

function checkClientData(data: JsonObject, { challenge, origin }: Asked): void {
  if (data.type !== 'webauthn.get')
    throw new ProofError('not_an_assertion', 'the client data is not that of a passkey that was asked to sign');
  if (data.challenge !== toBase64Url(challenge))
    throw new ProofError('wrong_challenge', 'the passkey signed other bytes than those that were approved');
  if (data.origin !== origin || data.crossOrigin === true)
    throw new ProofError('wrong_origin', `the passkey was asked by ${shown(data.origin)}, not by ${origin}`);
}

function checkAuthenticatorData(data: Uint8Array, { origin }: Asked): Answered {
  const flags = data[32] ?? 0;
  if (
    data.length < SHORTEST_DATA ||
    (flags & ATTESTED_DATA) !== 0 ||
    data.length > SHORTEST_DATA !== ((flags & EXTENSIONS) !== 0)
  )
    throw new ProofError('not_an_assertion', 'the authenticator data is not that of an assertion');
  if (!equal(data.subarray(0, 32), sha256Of(new TextEncoder().encode(relyingPartyOf(origin)))))
    throw new ProofError('wrong_relying_party', `the passkey is not one for ${relyingPartyOf(origin)}`);
  if ((flags & USER_PRESENT) === 0 || (flags & USER_VERIFIED) === 0)
    throw new ProofError('user_not_verified', 'the authenticator did not verify the person (fingerprint, face or PIN)');
  return {
    sign_count: new DataView(data.buffer, data.byteOffset).getUint32(33),
    is_backup_eligible: (flags & BACKUP_ELIGIBLE) !== 0,
  };
}

/** The id of the relying party (Web Authentication, §4). */
export function relyingPartyOf(origin: string): string {
  return new URL(origin).hostname;
}

function shown(origin: unknown): string {
  return typeof origin === 'string' ? JSON.stringify(origin.slice(0, 200)) : 'a page that is not named';
}
