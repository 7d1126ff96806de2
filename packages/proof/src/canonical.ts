/** Canonical JSON, RFC 8785 (JCS; docs/spec.md §3): one value, one text, so that a hash of the text is a hash of the value. */
import { ProofError } from './error.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Deepest nesting of arrays and objects; far under the stack, far over any receipt. */
export const MAX_DEPTH = 200;

/**
 * The canonical text of a value: members sorted by UTF-16 code units, numbers in ECMAScript form, no whitespace.
 * Stricter than RFC 8785 in one point: a number that it writes as an integer beyond ±(2^53 - 1) is refused, because
 * readers with exact integers would see another value than readers with doubles. Throws `not_finite`,
 * `integer_too_large`, `lone_surrogate`, `too_deep`, and `not_canonicalizable` for whatever JSON does not know: undefined,
 * functions, symbols, bigints, holes in arrays, and objects of a class (a Date is not silently `{}`, nor `toJSON` called).
 */
export function canonicalize(value: unknown): string {
  return text(value, 0);
}

/** The canonical text of an object, and where in it the member `key`, which it must not have, would be inserted. */
export interface Insertable {
  text: string;
  at: number;
}

/** `canonicalize` for an object that is to get one more member. Throws the same, and `already_sealed` for one it has. */
export function canonicalizeFor(key: string, value: object): Insertable {
  const keys = sortedKeys(value);
  if (Object.hasOwn(value, key)) throw new ProofError('already_sealed', `${key} is a member already`);
  const next = keys.findIndex((k) => k > key);
  const split = next === -1 ? keys.length : next;
  const before = members(value, keys, 0, split, 1);
  const after = members(value, keys, split, keys.length, 1);
  const comma = before !== '' && after !== '' ? ',' : '';
  return { text: `{${before}${comma}${after}}`, at: 1 + before.length };
}

/** The text with a member, itself canonical, put in its place; nothing is serialized again. */
export function insertMember({ text, at }: Insertable, member: string): string {
  const left = text.slice(0, at);
  const right = text.slice(at);
  if (left !== '{') return `${left},${member}${right}`;
  return right === '}' ? `{${member}}` : `{${member},${right}`;
}

/** A member as it stands in a canonical text: `"key":value`. */
export interface CanonicalMember {
  key: string;
  text: string;
}

/**
 * The members of an object that is canonical text already, in their order; what is in them is not read. Throws `not_json` for
 * a text of which even that much does not hold.
 */
export function membersOfText(canonical: string): CanonicalMember[] {
  if (canonical === '{}') return [];
  const members: CanonicalMember[] = [];
  for (let at = 0; at < canonical.length - 1; ) {
    if (canonical[at] !== (at === 0 ? '{' : ',')) throw notAnObject();
    const colon = endOfString(canonical, at + 1);
    const end = endOfValue(canonical, colon + 1);
    const key = JSON.parse(canonical.slice(at + 1, colon)) as string;
    const before = members.at(-1);
    if (canonical[colon] !== ':' || (before !== undefined && before.key >= key)) throw notAnObject();
    members.push({ key, text: canonical.slice(at + 1, end) });
    at = end;
  }
  if (members.length === 0 || !canonical.endsWith('}')) throw notAnObject();
  return members;
}

/** The value at a path of members; undefined where there is none. Nothing else is read. Throws as `membersOfText`. */
export function valueInText(canonical: string, [key, ...rest]: readonly string[]): Json | undefined {
  const member = membersOfText(canonical).find((one) => one.key === key);
  const value = member?.text.slice(JSON.stringify(key).length + 1);
  if (value === undefined) return undefined;
  return rest.length === 0 ? (JSON.parse(value) as Json) : valueInText(value, rest);
}

/** Behind the quote that ends the string at `at`. Throws `not_json`. */
function endOfString(text: string, at: number): number {
  if (text[at] !== '"') throw notAnObject();
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let escapes = quote;
    while (text[escapes - 1] === '\\') escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
  }
  throw notAnObject();
}

/** Where the comma or brace stands that ends the value at `at`. Throws `not_json`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) i = endOfString(text, i) - 1;
    else if (unit === 0x7b || unit === 0x5b) depth++;
    else if (unit === 0x7d || unit === 0x5d) {
      if (depth === 0) return i;
      depth--;
    } else if (unit === 0x2c && depth === 0) return i;
  }
  throw notAnObject();
}

function notAnObject(): ProofError {
  return new ProofError('not_json', 'not the canonical text of an object');
}

function text(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      return numeral(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === MAX_DEPTH) throw new ProofError('too_deep', `nested deeper than ${MAX_DEPTH} levels`);
      if (Array.isArray(value)) return `[${elements(value, depth + 1)}]`;
      return `{${object(value, depth + 1)}}`;
    default:
      throw new ProofError('not_canonicalizable', `JSON has no ${typeof value}`);
  }
}

function object(value: object, depth: number): string {
  const keys = sortedKeys(value);
  return members(value, keys, 0, keys.length, depth);
}

function members(value: object, keys: string[], from: number, to: number, depth: number): string {
  let out = '';
  let i = from;
  try {
    for (; i < to; i++) {
      const key = keys[i]!;
      if (i > from) out += ',';
      out += `${quote(key)}:${text((value as Record<string, unknown>)[key], depth)}`;
    }
  } catch (error) {
    throw error instanceof ProofError ? error.under(keys[i]!) : error;
  }
  return out;
}

function elements(value: unknown[], depth: number): string {
  let out = '';
  let i = 0;
  try {
    for (; i < value.length; i++) {
      if (i > 0) out += ',';
      out += text(value[i], depth);
    }
  } catch (error) {
    throw error instanceof ProofError ? error.under(i) : error;
  }
  return out;
}

/** By UTF-16 code units, which is what `<` compares. Objects are small, so insertion beats the general sort. */
function sortedKeys(value: object): string[] {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new ProofError('not_canonicalizable', 'not a plain object');
  }
  const keys = Object.keys(value);
  if (keys.length > 24) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

function quote(value: string): string {
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit >= 0xd800 && unit <= 0xdfff)) return escaped(value);
  }
  return `"${value}"`;
}

/** JSON.stringify escapes exactly as RFC 8785 section 3.2.2.2 asks, once lone surrogates are ruled out. */
function escaped(value: string): string {
  if (!value.isWellFormed()) throw new ProofError('lone_surrogate', 'a string holds half a surrogate pair');
  return JSON.stringify(value);
}

/** ECMAScript's Number::toString is RFC 8785's number form, -0 as 0 included. */
function numeral(value: number): string {
  checkNumber(value);
  return String(value);
}

/** From here on numbers are written with an exponent, `1e+21`, which readers do not take for an integer. */
const EXPONENT_FROM = 1e21;

/** What no two readers are sure to read alike. */
export function numberFault(value: number): 'not_finite' | 'integer_too_large' | null {
  if (value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) return null;
  if (!Number.isFinite(value)) return 'not_finite';
  return Math.abs(value) < EXPONENT_FROM ? 'integer_too_large' : null;
}

/** Throws `not_finite`, `integer_too_large`. */
export function checkNumber(value: number): void {
  const fault = numberFault(value);
  if (fault === 'not_finite') throw new ProofError(fault, 'not a finite number');
  if (fault !== null) throw integerTooLarge();
}

export function integerTooLarge(): ProofError {
  return new ProofError('integer_too_large', 'beyond 2^53 - 1, where integers are no longer exact');
}
