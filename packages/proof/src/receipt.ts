/** One receipt: how it is sealed, and how one is checked by itself (docs/spec.md §5). */
import {
  type CanonicalMember,
  canonicalize,
  canonicalizeFor,
  type Insertable,
  insertMember,
  type Json,
  type JsonObject,
  membersOfText,
} from './canonical.ts';
import { ProofError } from './error.ts';
import { decodeUtf8, parseStrict } from './parse.ts';
import { sha256Hex } from './sha256.ts';

const SEAL = 'receipt_sha256';
const HASH = /^[0-9a-f]{64}$/;

export interface SealedReceipt {
  receipt_sha256: string;
  /** What is stored, hashed and served: canonical JSON with `receipt_sha256` in its sorted place. */
  canonical: string;
}

/**
 * Seals a payload: SHA-256 over its canonical JSON, then that hash as one more member. The payload is canonicalized
 * once. Throws what `canonicalize` throws, and `already_sealed` when `receipt_sha256` is a member.
 */
export function seal(payload: object): SealedReceipt {
  return sealed(canonicalizeFor(SEAL, payload));
}

/**
 * As `seal` of `{...block, ...own}`, where the block is canonical text already: its members are put between those of `own` as they
 * stand, and not read. Throws what `seal` throws of `own`, and `not_json` as `membersOfText`.
 */
export function sealWith(block: string, own: object): SealedReceipt {
  const theirs = membersOfText(block).filter(({ key }) => !Object.hasOwn(own, key));
  const members = [...theirs, ...membersOfText(canonicalize(own))].sort(byKey);
  if (members.some(({ key }) => key === SEAL)) throw new ProofError('already_sealed', `${SEAL} is a member already`);
  const text = `{${members.map((member) => member.text).join(',')}}`;
  const before = members.filter(({ key }) => key < SEAL);
  const at = before.reduce((length, member) => length + member.text.length + 1, before.length === 0 ? 1 : 0);
  return sealed({ text, at });
}

/** Whether this text was sealed under this hash: its bytes alone are checked, and nothing in it is read. Never throws. */
export function isSealedAs(receipt: string, receipt_sha256: string): boolean {
  try {
    const members = membersOfText(receipt);
    const unsealed = members.filter(({ key }) => key !== SEAL).map(({ text }) => text);
    return (
      members.some(({ text }) => text === `"${SEAL}":"${receipt_sha256}"`) &&
      sha256Hex(`{${unsealed.join(',')}}`) === receipt_sha256
    );
  } catch {
    return false;
  }
}

/** The members of the envelope alone, of a receipt that is canonical text. Throws `not_json` as `membersOfText`. */
export function envelopeOf(receipt: string): JsonObject {
  const members = membersOfText(receipt).filter(({ key }) => ENVELOPE_MEMBERS.has(key));
  return JSON.parse(`{${members.map(({ text }) => text).join(',')}}`) as JsonObject;
}

function byKey(one: CanonicalMember, other: CanonicalMember): number {
  return one.key < other.key ? -1 : 1;
}

function sealed(unsealed: Insertable): SealedReceipt {
  const receipt_sha256 = sha256Hex(unsealed.text);
  return { receipt_sha256, canonical: insertMember(unsealed, `"${SEAL}":"${receipt_sha256}"`) };
}

/** The last 8 characters of a receipt_id: the first 8 hex digits of SHA-256 over the Run's id. */
export function receiptIdSuffix(run_id: string): string {
  return sha256Hex(run_id).slice(0, 8);
}

/** `RCPT-000042-9f86d081`: the org_seq in at least 6 digits, and the suffix (docs/spec.md §4.1). */
export function receiptIdOf(org_seq: number, run_id: string): string {
  return `RCPT-${String(org_seq).padStart(6, '0')}-${receiptIdSuffix(run_id)}`;
}

/** A fault in words, with what should have been there and what was. */
export interface Fault {
  expected: string | number | null;
  actual: string | number | null;
  detail: string;
}

/** What one receipt says of itself, and whether it holds. Members it lacks, or has of another type, are null. */
export interface ReceiptVerdict {
  ok: boolean;
  org_seq: number | null;
  receipt_id: string | null;
  parent_hash: string | null;
  /** As stored. */
  receipt_sha256: string | null;
  /** As recomputed from the payload; null when there is no payload. */
  computed_sha256: string | null;
  payload: JsonObject | null;
  fault: Fault | null;
}

/**
 * Checks one stored receipt, strictly (docs/spec.md §5.2): it is JSON that no two readers can read differently, its hash is the hash of its
 * payload, its bytes are the canonical ones, and no member of the envelope (docs/spec.md §4) is missing or of
 * another type. Its place in a chain is not looked at. Never throws: a text that is no receipt is a verdict too.
 *
 * A receipt whose hash fits but whose bytes are not canonical is refused. An honest ledger never stores one, and a
 * forger who could reseal would gain from it: two readers could take two contents from the same sealed bytes.
 */
export function verifyReceipt(receipt: string | Uint8Array): ReceiptVerdict {
  let text: string;
  let payload: Json;
  let unsealed: Insertable;
  try {
    text = typeof receipt === 'string' ? receipt : decodeUtf8(receipt);
    payload = parseStrict(text);
    if (!isObject(payload)) return unreadable('not a JSON object');
    const { [SEAL]: _, ...rest } = payload;
    unsealed = canonicalizeFor(SEAL, rest);
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return unreadable(`${error.code}: ${error.message}`);
  }
  const computed_sha256 = sha256Hex(unsealed.text);
  const canonical = insertMember(unsealed, `"${SEAL}":"${computed_sha256}"`);
  const fault = hashFault(payload, computed_sha256) ?? formFault(text, canonical) ?? envelopeFault(payload);
  return {
    ok: fault === null,
    org_seq: isSeq(payload.org_seq) ? payload.org_seq : null,
    receipt_id: typeof payload.receipt_id === 'string' ? payload.receipt_id : null,
    parent_hash: isHash(payload.parent_hash) ? payload.parent_hash : null,
    receipt_sha256: isHash(payload[SEAL]) ? payload[SEAL] : null,
    computed_sha256,
    payload,
    fault,
  };
}

function unreadable(detail: string): ReceiptVerdict {
  const fault = { expected: 'a receipt', actual: null, detail: `cannot be read as a receipt: ${detail}` };
  const nothing = { org_seq: null, receipt_id: null, parent_hash: null, receipt_sha256: null, computed_sha256: null };
  return { ok: false, ...nothing, payload: null, fault };
}

function hashFault(payload: JsonObject, computed: string): Fault | null {
  const stored = payload[SEAL];
  if (stored === computed) return null;
  if (!isHash(stored)) return { expected: computed, actual: null, detail: `${SEAL} is missing or is not a SHA-256` };
  return { expected: stored, actual: computed, detail: `${SEAL} is not the hash of the payload` };
}

function formFault(text: string, canonical: string): Fault | null {
  if (text === canonical) return null;
  let at = 0;
  while (at < text.length && text[at] === canonical[at]) at++;
  const detail = `the bytes are not canonical JSON: they part from it at character ${at}`;
  return { expected: canonical.slice(at, at + 16), actual: text.slice(at, at + 16), detail };
}

/** Every member of the envelope and what it must be. */
const ENVELOPE: Record<string, (value: Json | undefined) => boolean> = {
  schema: isString,
  receipt_id: isString,
  org_seq: isSeq,
  parent_hash: isHash,
  created_at: isString,
  organization: (value) => isObject(value) && isString(value.id),
  share_url: isString,
};

/** Every member that is not of a lane's blocks. */
export const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set([...Object.keys(ENVELOPE), SEAL]);

function envelopeFault(payload: JsonObject): Fault | null {
  for (const [name, holds] of Object.entries(ENVELOPE)) {
    if (holds(payload[name])) continue;
    const found = Object.hasOwn(payload, name) ? 'is not of its type' : 'is missing';
    return { expected: name, actual: null, detail: `the envelope's ${name} ${found}` };
  }
  return null;
}

/** Of a payload that may be anything; null where it has none. */
export function organizationOf(payload: JsonObject | null): string | null {
  const organization = payload?.organization;
  return isObject(organization) && isString(organization.id) ? organization.id : null;
}

function isString(value: Json | undefined): value is string {
  return typeof value === 'string';
}

function isSeq(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** 64 lower-case hexadecimal characters. */
export function isHash(value: Json | undefined): value is string {
  return typeof value === 'string' && HASH.test(value);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
