/** Ids, secrets and instants: everything in the services that comes from a clock or from chance. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const COUNTER_BITS = 26;
const LOW_BITS = 14;
let id_ms = 0;
let id_hex = '';
let counter = 0;

/**
 * `run_` + 32 hexadecimal characters (UUIDv7, RFC 9562 section 6.2 method 1): ids of one process sort by the instant they
 * were made, also within a millisecond and when the clock is set back.
 */
export function newId(prefix: string): string {
  const now = Date.now();
  if (now > id_ms) startCounting(now);
  else if (++counter === 2 ** COUNTER_BITS) startCounting(id_ms + 1);
  const high = (counter >>> LOW_BITS).toString(16).padStart(3, '0');
  const low = (0x8000 | (counter & (2 ** LOW_BITS - 1))).toString(16);
  return `${prefix}_${id_hex}7${high}${low}${someBytes(6).toString('hex')}`;
}

/** Looks like an id of `newId` and is random throughout: it does not tell when it was made. */
export function newUntimedId(prefix: string): string {
  return `${prefix}_${someBytes(16).toString('hex')}`;
}

/** From a random number in the lower half, so that there is room to count. */
function startCounting(ms: number): void {
  id_ms = ms;
  id_hex = ms.toString(16).padStart(12, '0');
  counter = someBytes(4).readUInt32BE() >>> (32 - COUNTER_BITS + 1);
}

const POOL_BYTES = 6_000;
let pool = Buffer.alloc(0);
let used = 0;

/** Of the system's CSPRNG, fetched many at a time; each is handed out once. */
function someBytes(count: number): Buffer {
  if (used + count > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}

/** URL-safe, from the system's CSPRNG; 16 bytes are 128 bits in 22 characters. */
export function newSecret(bytes: 16 | 32 = 32): string {
  return someBytes(bytes).toString('base64url');
}

/** Milliseconds in base 36, in 9 digits: until the year 5188. */
const TIME_CHARACTERS = 9;

/** 128 random bits in 22 characters, after the instant in 9: new ones stand side by side in an index, not all over it. */
export function newSortedSecret(): string {
  return Date.now().toString(36).padStart(TIME_CHARACTERS, '0') + newSecret(16);
}

/** Secrets are stored only like this. */
export function secretSha256(secret: string): string {
  return hash('sha256', secret);
}

/** Constant-time, whatever the lengths. */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** `2026-05-29T20:14:33.123Z`. */
export function now(): string {
  return new Date().toISOString();
}
