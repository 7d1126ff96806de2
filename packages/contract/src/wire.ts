/** Shapes that recur on both wires. */
import { numberFault } from '@rcpt/proof/canonical.ts';
import { z } from 'zod';
import { isOneLine, LINE_CHARACTERS, PROSE_CHARACTERS } from './text-limits.ts';

/** 64 lower-case hexadecimal characters. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal characters');

/** Ledger timestamp: ISO 8601, UTC, milliseconds, e.g. `2026-05-29T20:14:33.123Z`. */
export const Instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'must be an ISO 8601 UTC timestamp');

/** Any value RFC 8785 can represent, at most `MAX_JSON_DEPTH` deep. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deeper nesting is refused, so that no later recursion over a stored value can exhaust the stack. */
export const MAX_JSON_DEPTH = 64;

/** Kept by reference, not copied: what is hashed later is what was checked here. */
export const Json: z.ZodType<Json> = z.unknown().check((ctx) => {
  const fault = findJsonFault(ctx.value, MAX_JSON_DEPTH);
  if (fault) ctx.issues.push({ code: 'custom', input: ctx.value, ...fault });
}) as unknown as z.ZodType<Json>;

export type JsonObject = { [key: string]: Json };
export const JsonObject: z.ZodType<JsonObject> = z
  .unknown()
  .check((ctx) => {
    const fault = isRecord(ctx.value)
      ? findJsonFault(ctx.value, MAX_JSON_DEPTH)
      : { path: [], message: 'must be a JSON object' };
    if (fault) ctx.issues.push({ code: 'custom', input: ctx.value, ...fault });
  })
  .meta({ type: 'object' }) as unknown as z.ZodType<JsonObject>;

/** What is shown many at a time: JSON values of at most so many bytes altogether, as JSON in UTF-8. */
export function bounded<Schema extends z.ZodType>(schema: Schema, most: number): Schema {
  return schema.check((ctx) => {
    // Looked through first: too deep a value cannot be written at all.
    const fault = findJsonFault(ctx.value, MAX_JSON_DEPTH) ?? (jsonBytes(ctx.value) > most ? tooLong(most) : null);
    if (fault) ctx.issues.push({ code: 'custom', input: ctx.value, ...fault });
  });
}

export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function tooLong(most: number): JsonFault {
  return { path: [], message: `must be at most ${most} bytes as JSON` };
}

/** As an answer shows it: it was checked when it came in, and looking through a megabyte again takes its time. */
export const KnownObject = z.unknown().meta({ type: 'object' }) as unknown as z.ZodType<JsonObject>;

/** A line of text a person reads: not blank, at most 500 characters, no control characters. */
export const Line = z
  .string()
  .trim()
  .min(1)
  .max(LINE_CHARACTERS)
  .refine(isOneLine, 'must be one line of readable text');
/** Any text of at most `most` characters that both databases can store: PostgreSQL takes no NUL. */
export const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((value) => value.isWellFormed() && !value.includes('\u0000'), 'must be readable text');
/** Running text, at most 20,000 characters. */
export const Prose = text(PROSE_CHARACTERS);

/** A whole number as a query writes it, in digits: an empty value, which `Number` takes for 0, is none. */
export const inDigits = <Integer extends z.ZodType<number | undefined>>(integer: Integer) =>
  z.preprocess((value) => (typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value), integer);

/** Entries of a page, and how many before it are left out. */
export const PageSize = inDigits(z.int().min(1).max(500).default(50));
export const Offset = inDigits(z.int().min(0).max(1_000_000_000).default(0));

interface JsonFault {
  path: PropertyKey[];
  message: string;
}

/** The first thing in `value` that RFC 8785 cannot write, or null. Takes what `JSON.parse` and clients hand over. */
export function findJsonFault(value: unknown, depth: number): JsonFault | null {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? null : { path: [], message: 'must not hold a lone surrogate' };
    case 'number':
      return faultOfNumber(value);
    case 'boolean':
      return null;
    case 'object':
      if (value === null) return null;
      if (depth === 0) return { path: [], message: `must not be nested deeper than ${MAX_JSON_DEPTH}` };
      if (Array.isArray(value)) return listFault(value, depth - 1);
      if (isRecord(value)) return recordFault(value, depth - 1);
  }
  return { path: [], message: value === undefined ? 'is required' : 'must be a JSON value' };
}

const NUMBERS = {
  not_finite: 'must be a finite number',
  integer_too_large: 'must be an integer within ±(2^53 − 1), or be sent as a string',
};

function faultOfNumber(value: number): JsonFault | null {
  const fault = numberFault(value);
  return fault && { path: [], message: NUMBERS[fault] };
}

function listFault(list: unknown[], depth: number): JsonFault | null {
  for (let index = 0; index < list.length; index++) {
    const fault = findJsonFault(list[index], depth);
    if (fault) return { ...fault, path: [index, ...fault.path] };
  }
  return null;
}

/** `__proto__` as a member name is refused: half of all JavaScript drops it silently, and then hashes differ. */
function recordFault(record: Record<string, unknown>, depth: number): JsonFault | null {
  for (const key of Object.keys(record)) {
    if (key === '__proto__') return { path: [key], message: 'is not a usable member name' };
    if (!key.isWellFormed()) return { path: [], message: 'must not hold a lone surrogate in a member name' };
    const fault = findJsonFault(record[key], depth);
    if (fault) return { ...fault, path: [key, ...fault.path] };
  }
  return null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
