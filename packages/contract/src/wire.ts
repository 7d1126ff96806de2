/** Shapes that recur on both wires. */
import { z } from 'zod';

/** 64 lower-case hexadecimal characters. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal characters');

/** Ledger timestamp: ISO 8601, UTC, milliseconds, e.g. `2026-05-29T20:14:33.123Z`. */
export const Instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'must be an ISO 8601 UTC timestamp');

/** Any value RFC 8785 can represent; refined by the canonicalizer itself before anything is written. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = z.json() as z.ZodType<Json>;
export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;

/** A line of text a person reads: not blank, at most 500 characters. */
export const Line = z.string().trim().min(1).max(500);
/** Running text, at most 20,000 characters. */
export const Prose = z.string().max(20_000);
