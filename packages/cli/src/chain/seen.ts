/** The head that was seen last, kept in a file between two looks: JSON, replaced whole. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { isHash } from '@rcpt/proof/receipt.ts';
import { NOTHING_SEEN, NotVerified, type Seen } from './chain-check.ts';

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

/** Throws `NotVerified`: what was seen could not be kept. */
export function writeSeen(file: string, { organization_id, head }: Seen, verified_at: string): void {
  try {
    const fd = openSync(`${file}.new`, 'w', 0o600);
    writeSync(fd, `${JSON.stringify({ organization_id, ...(head ?? NO_HEAD), verified_at })}\n`);
    fsyncSync(fd);
    closeSync(fd);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new NotVerified(`--seen: the chain is whole, but its head could not be kept: ${(error as Error).message}`);
  }
}

const NO_HEAD = { org_seq: null, receipt_sha256: null };

function parsed(text: string): Seen | null {
  let stored: Record<string, never>;
  try {
    stored = JSON.parse(text);
  } catch {
    return null;
  }
  const { organization_id, org_seq, receipt_sha256 } = stored ?? {};
  if (organization_id === null && org_seq === null) return NOTHING_SEEN;
  if (typeof organization_id !== 'string' || !Number.isSafeInteger(org_seq) || org_seq! < 0) return null;
  return isHash(receipt_sha256) ? { organization_id, head: { org_seq: org_seq!, receipt_sha256 } } : null;
}
