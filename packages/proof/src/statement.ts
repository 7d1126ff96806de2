/**
 * What a receipt says of itself, as tools for attestations read it (docs/spec.md §33): an in-toto Statement v1 in a DSSE envelope, in a Sigstore
 * bundle that names the organization's Ed25519 key and holds no entry of a log.
 */
import { canonicalize, type Json, type JsonObject } from './canonical.ts';
import { ProofError } from './error.ts';
import { concat, fromBase64, sha256Of, toBase64 } from './log/bytes.ts';
import { isSigned, verifierKey } from './log/verifier-key.ts';
import { parseStrict } from './parse.ts';
import { isHash, isObject, verifyReceipt } from './receipt.ts';
import { sha256Hex } from './sha256.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
/** Stable: another predicate is another URI. */
export const PREDICATE_TYPE = 'urn:uuid:61a02f1e-2b9d-46c9-9e70-7e1b833df961#receipt/v1';
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';

/** Of an Ed25519 key as SubjectPublicKeyInfo (RFC 8410): these bytes and the 32 of the key. */
const SPKI_ED25519 = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00);
/** A statement takes less than 2 kB. */
const MOST_CHARACTERS = 100_000;

export interface Statement {
  receipt_id: string;
  receipt_sha256: string;
  predicate: JsonObject;
}

/**
 * The statement of a receipt that verifies, always the same bytes for the same receipt: canonical JSON. Throws `not_a_statement`.
 * @param receipt the stored canonical bytes
 * @param log the origin of the log that holds it
 */
export function statementOf(receipt: string | Uint8Array, log: string): Uint8Array {
  const { ok, receipt_id, receipt_sha256, payload } = verifyReceipt(receipt);
  if (!ok) throw notAStatement('the receipt does not verify');
  const { schema, org_seq, parent_hash, created_at, organization } = payload!;
  const predicate = { schema, org_seq, parent_hash, created_at, organization, log, file_sha256: sha256Hex(receipt) };
  const subject = [{ name: receipt_id, digest: { sha256: receipt_sha256 } }];
  return encoded(canonicalize({ _type: STATEMENT_TYPE, subject, predicateType: PREDICATE_TYPE, predicate }));
}

/** What is signed (DSSE's pre-authentication encoding, PAE). */
export function preAuthEncoding(type: string, payload: Uint8Array): Uint8Array {
  return concat(encoded(`DSSEv1 ${encoded(type).length} ${type} ${payload.length} `), payload);
}

/** The bytes that the organization's key signs for this statement. */
export function signedBytesOf(statement: Uint8Array): Uint8Array {
  return preAuthEncoding(PAYLOAD_TYPE, statement);
}

/** The bundle as it is served: one line of JSON. @param key 32 bytes @param signature 64 bytes */
export function bundleOf(statement: Uint8Array, key: Uint8Array, signature: Uint8Array): string {
  const keyid = keyHint(key);
  return JSON.stringify({
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { publicKey: { hint: keyid } },
    dsseEnvelope: {
      payload: toBase64(statement),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ sig: toBase64(signature), keyid }],
    },
  });
}

/** How a bundle names a key: SHA-256 over the key as SubjectPublicKeyInfo, in base64. */
export function keyHint(key: Uint8Array): string {
  return toBase64(sha256Of(SPKI_ED25519, key));
}

/** For openssl. @param key 32 bytes */
export function publicKeyPem(key: Uint8Array): string {
  return `-----BEGIN PUBLIC KEY-----\n${toBase64(concat(SPKI_ED25519, key))}\n-----END PUBLIC KEY-----\n`;
}

/**
 * What one of these keys has signed; which one. What a bundle says of its key is a hint and is not trusted. Throws `not_a_statement`,
 * `bad_signature`.
 * @param keys 32 bytes each
 */
export async function openStatement(
  bundle: string,
  keys: readonly Uint8Array[],
): Promise<Statement & { key: Uint8Array }> {
  const { payload, signature } = envelopeOf(bundle);
  const message = signedBytesOf(payload);
  for (const key of keys)
    if (await isSigned(verifierKey('statement', 1, key), message, signature)) return { ...parsed(payload), key };
  throw new ProofError('bad_signature', 'none of the keys has signed this statement');
}

/** As `openStatement`, of this receipt: its hash and the hash of its bytes are those of the statement. @param receipt the stored bytes */
export async function verifyStatement(
  bundle: string,
  receipt: Uint8Array,
  keys: readonly Uint8Array[],
): Promise<Statement & { key: Uint8Array }> {
  const statement = await openStatement(bundle, keys);
  const { ok, receipt_id, receipt_sha256 } = verifyReceipt(receipt);
  if (!ok || receipt_sha256 !== statement.receipt_sha256 || receipt_id !== statement.receipt_id)
    throw notAStatement(`it is about ${statement.receipt_id} with the hash ${statement.receipt_sha256}`);
  if (statement.predicate.file_sha256 !== sha256Hex(receipt)) throw notAStatement('it is about other bytes');
  return statement;
}

function envelopeOf(bundle: string): { payload: Uint8Array; signature: Uint8Array } {
  const { mediaType, dsseEnvelope } = object(read(bundle));
  const { payload, payloadType, signatures } = object(dsseEnvelope);
  if (mediaType !== BUNDLE_TYPE || payloadType !== PAYLOAD_TYPE) throw notAStatement('it is of another type');
  if (!Array.isArray(signatures) || signatures.length !== 1) throw notAStatement('it has not one signature');
  const { sig } = object(signatures[0]!);
  return { payload: bytes(payload), signature: bytes(sig) };
}

function parsed(payload: Uint8Array): Statement {
  const { _type, subject, predicateType, predicate } = object(read(payload));
  if (_type !== STATEMENT_TYPE || predicateType !== PREDICATE_TYPE) throw notAStatement('it is of another type');
  if (!Array.isArray(subject) || subject.length !== 1) throw notAStatement('it has not one subject');
  const { name, digest } = object(subject[0]!);
  const { sha256 } = object(digest);
  if (typeof name !== 'string' || !isHash(sha256)) throw notAStatement('its subject is no receipt');
  return { receipt_id: name, receipt_sha256: sha256, predicate: object(predicate) };
}

function read(text: string | Uint8Array): Json {
  if (text.length > MOST_CHARACTERS) throw notAStatement('it is too long');
  try {
    return parseStrict(text);
  } catch (error) {
    throw notAStatement((error as ProofError).message);
  }
}

function object(value: Json | undefined): JsonObject {
  if (value === undefined || !isObject(value)) throw notAStatement('a member is missing');
  return value;
}

function bytes(value: Json | undefined): Uint8Array {
  const decoded = typeof value === 'string' ? fromBase64(value) : null;
  if (decoded === null) throw notAStatement('a member is no base64');
  return decoded;
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function notAStatement(reason: string): ProofError {
  return new ProofError('not_a_statement', `this is no statement of a receipt: ${reason}`);
}
