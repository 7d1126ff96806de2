/** What was seen last, kept in a file between two looks: JSON, replaced whole. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import type { Head } from '@rcpt/proof/chain.ts';
import { fromBase64 } from '@rcpt/proof/log/bytes.ts';
import { HASH_BYTES } from '@rcpt/proof/log/merkle.ts';
import { countPeaks } from '@rcpt/proof/log/peaks.ts';
import { isHash } from '@rcpt/proof/receipt.ts';
import { NotVerified } from './found.ts';

/** Where a chain and its log ended when they were last found whole. */
export interface Seen {
  /** Null as long as the chain holds no receipt, as is all of the rest. */
  organization_id: string | null;
  /** The last receipt that was read. */
  head: Head | null;
  /** The roots of the complete subtrees over the receipts up to `head`, in base64. */
  peaks: string[];
  /** The last signed one, verbatim. */
  checkpoint: string | null;
  /** Verifier keys: one of them has signed it. */
  keys: string[];
  /** When a checkpoint of this size was seen first, by the clock of this machine. */
  grown_at: string | null;
}

export const NOTHING_SEEN: Seen = {
  organization_id: null,
  head: null,
  peaks: [],
  checkpoint: null,
  keys: [],
  grown_at: null,
};

/** Null: nothing was seen yet. Throws `NotVerified`. */
export function readSeen(file: string): Seen | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new NotVerified(`--seen: ${(error as Error).message}`);
  }
  const seen = parsed(text);
  if (seen !== null) return seen;
  throw new NotVerified(
    `--seen: ${file} is not what this command wrote. Find out why; moved away, the next look begins anew and compares with nothing`,
  );
}

/** Throws `NotVerified`: what was seen could not be kept. @param folder to be made where it is missing */
export function writeSeen(file: string, seen: Seen, verified_at: string, folder: string | null = null): void {
  try {
    if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(`${file}.new`, 'w', 0o600);
    writeSync(fd, `${JSON.stringify({ ...seen, verified_at })}\n`);
    fsyncSync(fd);
    closeSync(fd);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new NotVerified(`--seen: all is well, but what was seen could not be kept: ${(error as Error).message}`);
  }
}

/** A signed checkpoint that contradicts what was seen, beside it. Returns where, null where it could not be kept. */
export function keepEvidence(file: string, checkpoint: string): string | null {
  try {
    writeFileSync(`${file}.found`, checkpoint, { mode: 0o600 });
    return `${file}.found`;
  } catch {
    return null;
  }
}

function parsed(text: string): Seen | null {
  let stored: Record<string, unknown> | null;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  const { organization_id, head, peaks, checkpoint, keys, grown_at } = stored ?? {};
  if (organization_id !== null && typeof organization_id !== 'string') return null;
  if (checkpoint !== null && typeof checkpoint !== 'string') return null;
  if (grown_at !== null && (typeof grown_at !== 'string' || Number.isNaN(Date.parse(grown_at)))) return null;
  if (!isTexts(keys) || !isTexts(peaks)) return null;
  const seen = { organization_id, peaks, checkpoint, keys, grown_at };
  if (head === null) return peaks.length === 0 ? { ...seen, head } : null;
  const { org_seq, receipt_sha256 } = (head ?? {}) as Partial<Head>;
  if (!Number.isSafeInteger(org_seq) || org_seq! < 0 || !isHash(receipt_sha256)) return null;
  // A single receipt that was looked at by its link has no tree.
  if (peaks.length > 0 && peaks.length !== countPeaks(org_seq! + 1)) return null;
  if (!peaks.every((peak) => fromBase64(peak)?.length === HASH_BYTES)) return null;
  return { ...seen, head: { org_seq: org_seq!, receipt_sha256 } };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
