/**
 * Skip this folder at a first reading: it changes no verdict. What it is unsure of, `../receipt.ts` and `../canonical.ts` decide.
 *
 * One pass over a receipt's bytes that makes no values: whether they are surely canonical (RFC 8785), and where the
 * members stand that a chain is judged by. It may be unsure of canonical bytes (a key that is not plain ASCII, a number
 * in exponent form, a \u escape): then they decide. It is never sure of bytes that are not canonical; the tests hold it to that.
 */
import { MAX_DEPTH } from '../canonical.ts';

/** The members noted. Of `organization` and `run` it is their `id`. */
export const CREATED_AT = 0;
export const ORG_SEQ = 1;
export const ORGANIZATION_ID = 2;
export const PARENT_HASH = 3;
export const RECEIPT_ID = 4;
export const RECEIPT_SHA256 = 5;
export const RUN_ID = 6;
export const SCHEMA = 7;
export const SHARE_URL = 8;
const NOWHERE = -1;

const NAMES = 'created_at org_seq organization parent_hash receipt_id receipt_sha256 run schema share_url'
  .split(' ')
  .map((name) => new TextEncoder().encode(name));
const ID = new TextEncoder().encode('id');

/** Where each noted value starts and ends, a string without its quotes; start 0: the member is absent. */
export class Spans {
  readonly start = new Int32Array(NAMES.length);
  readonly end = new Int32Array(NAMES.length);
}

/** Bytes that cannot be part of a plain ASCII string without an escape, its end included. */
const STOPS_KEY = new Uint8Array(256).fill(1, 0, 0x20).fill(1, 0x80);
STOPS_KEY[0x22] = STOPS_KEY[0x5c] = 1;

/** What surrounds the container being read, per depth: its closing byte and its last key. */
const outerClose = new Uint8Array(MAX_DEPTH + 1);
const outerKey = new Int32Array(MAX_DEPTH + 1);

/**
 * True: `bytes[0, length)` is one canonical JSON object, and `spans` is filled. The bytes must be valid UTF-8 and
 * `bytes[length]` 0, which stops the scan wherever the text is cut; `view` is over the same buffer, eight bytes longer.
 */
export function scanCanonical(bytes: Uint8Array, view: DataView, length: number, spans: Spans): boolean {
  spans.start.fill(0);
  if (bytes[0] !== 0x7b || bytes[1] !== 0x22) return false;
  let depth = 1;
  let close = 0x7d;
  let lastKey = 0; // start of the previous key of this object, 0 before the first
  let owner = NOWHERE; // the noted member this depth-2 object is the value of
  let i = 1;
  for (;;) {
    let place = NOWHERE;
    if (close === 0x7d) {
      if (bytes[i] !== 0x22) return false;
      const key = ++i;
      while (STOPS_KEY[bytes[i]!] === 0) i++;
      if (bytes[i] !== 0x22 || bytes[i + 1] !== 0x3a) return false;
      if (lastKey !== 0 && !precedes(bytes, lastKey, key)) return false;
      lastKey = key;
      if (depth === 1) place = placeOf(bytes, key, i);
      else if (depth === 2 && owner !== NOWHERE && is(bytes, key, i, ID)) place = owner;
      i += 2;
    }

    const first = bytes[i]!;
    if (place !== NOWHERE && !fits(place, depth, first)) return false;
    if (first === 0x22) {
      const start = i + 1;
      i = stringEnd(bytes, view, start);
      if (i === 0) return false;
      if (place !== NOWHERE) note(spans, place, start, i);
      i++;
    } else if (first === 0x7b || first === 0x5b) {
      if (bytes[i + 1] === first + 2) {
        i += 2; // {} or []
      } else {
        if (depth === MAX_DEPTH) return false;
        outerClose[depth] = close;
        outerKey[depth] = lastKey;
        depth++;
        if (depth === 2) owner = place;
        close = first + 2;
        lastKey = 0;
        i++;
        continue;
      }
    } else {
      const start = i;
      i = first > 0x39 ? wordEnd(bytes, start) : numberEnd(bytes, start);
      if (i === 0) return false;
      if (place !== NOWHERE) note(spans, place, start, i);
    }

    for (;;) {
      const next = bytes[i++];
      if (next === 0x2c) break;
      if (next !== close) return false;
      depth--;
      if (depth === 0) return i === length;
      close = outerClose[depth]!;
      lastKey = outerKey[depth]!;
    }
  }
}

/** Whether a noted value starts as its kind must; on another kind the slow way has the word. */
function fits(place: number, depth: number, first: number): boolean {
  if (depth === 1 && (place === ORGANIZATION_ID || place === RUN_ID)) return first === 0x7b;
  return place === ORG_SEQ ? isDigit(first) : first === 0x22;
}

function note(spans: Spans, place: number, start: number, end: number): void {
  spans.start[place] = start;
  spans.end[place] = end;
}

/** The closing quote, 0 when unsure: an escape other than the two-character ones, or a raw control character. */
function stringEnd(bytes: Uint8Array, view: DataView, at: number): number {
  for (let i = at; ; i += 2) {
    let stops = stopsIn(view.getInt32(i, true));
    while (stops === 0) {
      i += 4;
      stops = stopsIn(view.getInt32(i, true));
    }
    i += (31 - Math.clz32(stops & -stops)) >> 3;
    if (bytes[i] === 0x22) return i;
    if (bytes[i] !== 0x5c || !isEscape(bytes[i + 1]!)) return 0;
  }
}

/** Four bytes at once: the top bit of the first that is a quote, a backslash or a control character is set. */
function stopsIn(word: number): number {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash) | ((word - 0x20202020) & ~word)) &
    0x80808080
  );
}

/** One of " \ b f n r t. */
function isEscape(byte: number): boolean {
  return (
    byte === 0x6e || byte === 0x22 || byte === 0x5c || byte === 0x74 || byte === 0x72 || byte === 0x62 || byte === 0x66
  );
}

/** The end of true, false or null; 0 otherwise. */
function wordEnd(bytes: Uint8Array, at: number): number {
  for (const word of WORDS) if (is(bytes, at, at + word.length, word)) return at + word.length;
  return 0;
}
const WORDS = ['true', 'false', 'null'].map((word) => new TextEncoder().encode(word));

/**
 * The end of a number that is surely in ECMAScript form, else 0: plain decimal, at most 15 digits (such a number
 * survives a double, and no shorter one means the same), no zero too many at either end, not -0, not under 0.000001.
 */
function numberEnd(bytes: Uint8Array, at: number): number {
  const start = bytes[at] === 0x2d ? at + 1 : at;
  let i = start;
  while (isDigit(bytes[i]!)) i++;
  const whole = i - start;
  const zero = bytes[start] === 0x30;
  if (whole === 0 || whole > 15 || (zero && whole > 1)) return 0;
  if (bytes[i] !== 0x2e) return zero && start !== at ? 0 : i;

  const point = i++;
  while (bytes[i] === 0x30) i++;
  const zeros = i - point - 1;
  while (isDigit(bytes[i]!)) i++;
  const digits = whole + i - point - 1;
  return digits > 15 || i === point + 1 || bytes[i - 1] === 0x30 || (zero && zeros > 5) ? 0 : i;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Two keys, each ended by its quote: strictly in order, which for plain ASCII is the order of UTF-16 code units. */
function precedes(bytes: Uint8Array, left: number, right: number): boolean {
  let i = 0;
  while (bytes[left + i] === bytes[right + i] && bytes[left + i] !== 0x22) i++;
  const l = bytes[left + i]!;
  const r = bytes[right + i]!;
  return r !== 0x22 && (l === 0x22 || l < r);
}

function placeOf(bytes: Uint8Array, start: number, end: number): number {
  const place = candidate(end - start, bytes[start]!);
  return place !== NOWHERE && is(bytes, start, end, NAMES[place]!) ? place : NOWHERE;
}

/** The noted names differ in length, but for one pair. */
function candidate(length: number, first: number): number {
  switch (length) {
    case 3:
      return RUN_ID;
    case 6:
      return SCHEMA;
    case 7:
      return ORG_SEQ;
    case 9:
      return SHARE_URL;
    case 10:
      return first === 0x63 ? CREATED_AT : RECEIPT_ID;
    case 11:
      return PARENT_HASH;
    case 12:
      return ORGANIZATION_ID;
    case 14:
      return RECEIPT_SHA256;
    default:
      return NOWHERE;
  }
}

/** Whether the bytes from start to end are those of the name. */
export function is(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
