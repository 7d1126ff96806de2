/**
 * What stands beside a receipt and is bound to it by a hash (docs/spec.md §31): members that were committed when the Run was opened, by
 * RFC 9901's salted disclosures; the output and the evidence, by the hashes that are sealed. One rule for the ledger, the share page, the
 * console and verifiers. A match means something only for a receipt that was verified just before.
 */
import { fromBase64Url, toBase64Url } from './base64url.ts';
import type { Json, JsonObject } from './canonical.ts';
import { ProofError } from './error.ts';
import { sha256Of } from './log/bytes.ts';
import { parseStrict } from './parse.ts';
import { pointerOf, tokensOf } from './pointer.ts';
import { isObject } from './receipt.ts';
import { type SealedFile, sealedFilesOf } from './sealed-files.ts';

/** The member that holds the digests of what was committed, in the object that would have held them. */
export const DIGESTS = '_sd';
/** RFC 9901 §4.2.1: no committed member has such a name. */
const RESERVED = new Set([DIGESTS, '...']);
/** base64url of 32 bytes. */
const DIGEST = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

export interface Disclosure {
  salt: string;
  name: string;
  value: Json;
}

/** base64url of SHA-256 over the ASCII bytes of the text. */
export function digestOf(text: string): string {
  return toBase64Url(sha256Of(new TextEncoder().encode(text)));
}

/** What a disclosure says, however its JSON is formatted; null for what is none. Never throws. */
export function readDisclosure(text: string): Disclosure | null {
  const bytes = fromBase64Url(text);
  try {
    const parts = bytes && parseStrict(bytes);
    if (!Array.isArray(parts) || parts.length !== 3) return null;
    const [salt, name, value] = parts as [Json, Json, Json];
    return typeof salt === 'string' && typeof name === 'string' && !RESERVED.has(name) ? { salt, name, value } : null;
  } catch (error) {
    if (error instanceof ProofError) return null;
    throw error;
  }
}

/** Where each lane seals what a path names: what the path begins with, and what stands there in the receipt. */
const PLACES: Record<string, [path: string[], sealed: string[]][]> = {
  'service.receipt/v1': [
    [['title'], ['run', 'title']],
    [['note'], ['approval', 'note']],
    [['inputs'], ['run', 'inputs']],
  ],
  'service.dataset-download-receipt/v1': [[['inputs'], ['package']]],
  'service.model-pin-receipt/v1': [[['inputs'], ['model']]],
};

/** `/inputs/patient` → `run`, `inputs`, `patient`. Null where the lane commits no such member. */
export function sealedPlace(schema: unknown, path: string): string[] | null {
  const tokens = tokensOf(path);
  if (tokens === null || typeof schema !== 'string' || !Object.hasOwn(PLACES, schema)) return null;
  for (const [from, to] of PLACES[schema]!) {
    if (!from.every((token, i) => tokens[i] === token)) continue;
    const place = [...to, ...tokens.slice(from.length)];
    if (place.length > to.length || from[0] !== 'inputs') return place;
  }
  return null;
}

/** The value there, of any JSON; undefined where there is none. An item of a list is named by its number. */
export function valueAt(value: Json | undefined, tokens: string[]): Json | undefined {
  let at = value;
  for (const token of tokens) {
    if (Array.isArray(at)) at = /^(?:0|[1-9]\d{0,8})$/.test(token) ? at[Number(token)] : undefined;
    else at = isObject(at) && Object.hasOwn(at, token) ? at[token] : undefined;
  }
  return at;
}

/** Why a disclosure does not show what the receipt sealed. */
export type DisclosureFault =
  | 'not_committed'
  | 'digests_malformed'
  | 'digest_differs'
  | 'not_a_disclosure'
  | 'another_name'
  | 'member_in_clear';

export type DisclosureCheck =
  | { ok: true; name: string; value: Json }
  | { ok: false; fault: DisclosureFault; name: null; value: null };

/** Holds the text of a disclosure against the receipt that is said to have sealed it at `path`. Never throws. */
export function checkDisclosure(payload: JsonObject, path: string, text: string): DisclosureCheck {
  return disclosureChecker(payload)(path, text);
}

/** The same for many disclosures of one receipt, which is walked once; it must not change meanwhile. */
export function disclosureChecker(payload: JsonObject): (path: string, text: string) => DisclosureCheck {
  let distinct: boolean | undefined;
  return (path, text) =>
    check(payload, path, text, () => {
      distinct ??= areDistinct(payload);
      return distinct;
    });
}

function check(payload: JsonObject, path: string, text: string, isDistinct: () => boolean): DisclosureCheck {
  const place = sealedPlace(payload.schema, path);
  const holder = place === null ? undefined : valueAt(payload, place.slice(0, -1));
  if (!place || !isObject(holder) || !Object.hasOwn(holder, DIGESTS)) return failed('not_committed');
  const digests = digestsIn(holder);
  if (digests === null || !isDistinct()) return failed('digests_malformed');
  if (!digests.includes(digestOf(text))) return failed('digest_differs');
  const read = readDisclosure(text);
  if (read === null) return failed('not_a_disclosure');
  const { name, value } = read;
  if (name !== place.at(-1)) return failed('another_name');
  if (Object.hasOwn(holder, name)) return failed('member_in_clear');
  return { ok: true, name, value };
}

function failed(fault: DisclosureFault): DisclosureCheck {
  return { ok: false, fault, name: null, value: null };
}

/** Null where they are no digests in ascending order, each once. */
export function digestsIn(holder: JsonObject): string[] | null {
  const digests = holder[DIGESTS];
  if (!Array.isArray(digests) || digests.length === 0) return null;
  const inOrder = digests.every(
    (digest, i) =>
      typeof digest === 'string' && DIGEST.test(digest) && (i === 0 || (digests[i - 1] as string) < digest),
  );
  return inOrder ? (digests as string[]) : null;
}

export interface Committed {
  /** Where the object stands that would have held the members, e.g. `/run/inputs`. */
  holder: string;
  digests: string[];
}

/** All digests of committed members in a receipt. A list that is malformed is left out. */
export function committedIn(payload: JsonObject): Committed[] {
  const found: Committed[] = [];
  const look = (value: Json, at: string[]) => {
    if (typeof value !== 'object' || value === null) return;
    const digests = Array.isArray(value) ? null : digestsIn(value);
    if (digests !== null) found.push({ holder: pointerOf(at), digests });
    for (const [name, inner] of Object.entries(value)) look(inner, [...at, name]);
  };
  look(payload, []);
  return found;
}

/** RFC 9901 §7.1: no digest stands twice. */
function areDistinct(payload: JsonObject): boolean {
  const all = committedIn(payload).flatMap(({ digests }) => digests);
  return new Set(all).size === all.length;
}

/** The file that a receipt knows by its hash: `/output`, `/evidence/0`. Null for another path. */
export function sealedFileAt(payload: JsonObject, path: string): SealedFile | null {
  const { output, evidence } = sealedFilesOf(payload);
  if (path === OUTPUT) return output;
  const [, number] = /^\/evidence\/(0|[1-9]\d{0,5})$/.exec(path) ?? [];
  return (number !== undefined && evidence[Number(number)]) || null;
}

export const OUTPUT = '/output';
export const evidencePath = (i: number) => `/evidence/${i}`;
