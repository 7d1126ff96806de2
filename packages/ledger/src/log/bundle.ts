/** A bundle of a log's entries, as C2SP's tiles have it: each behind its length in 16 bits. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';
import { notAsSigned } from './as-signed.ts';
import type { LogSource } from './source.ts';

const LARGEST_ENTRY = 65_535;
/** Read at once: an entry may have a megabyte, and the first one that is too large ends the reading. */
const FEW = 16;

/** Throws `entry_too_large`, `log_inconsistent`. */
export async function bundleOf(
  db: Queries,
  organization_id: string,
  source: Pick<LogSource, 'entries'>,
  from: number,
  count: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let read = 0; read < count; ) {
    const some = await source.entries(db, organization_id, from + read, Math.min(FEW, count - read));
    if (some.length === 0) throw notAsSigned(from + read);
    for (const entry of some) parts.push(...framed(entry));
    read += some.length;
  }
  return Buffer.concat(parts);
}

function framed(entry: string): [Buffer, Buffer] {
  const bytes = Buffer.from(entry);
  if (bytes.length > LARGEST_ENTRY)
    throw refuse(
      'entry_too_large',
      `A bundle takes entries of up to ${LARGEST_ENTRY} bytes, and one of these has ${bytes.length}. GET /ledger/export has them all.`,
    );
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return [length, bytes];
}
