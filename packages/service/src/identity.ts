/** Ids, secrets and instants: everything in the services that comes from a clock or from chance. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { v7 } from 'uuid';

/** `run_` + 32 hexadecimal characters (UUIDv7): ids of one process sort by the instant they were made. */
export function newId(prefix: string): string {
  return `${prefix}_${v7().replaceAll('-', '')}`;
}

/** URL-safe, from the system's CSPRNG; 16 bytes are 128 bits in 22 characters. */
export function newSecret(bytes: 16 | 32 = 32): string {
  return randomBytes(bytes).toString('base64url');
}

/** Secrets are stored only like this. */
export function secretSha256(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Constant-time, whatever the lengths. */
export function secretsEqual(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** `2026-05-29T20:14:33.123Z`. */
export function now(): string {
  return new Date().toISOString();
}
