/** Which checkpoint a proof is made against. */
import type { Queries } from '@rcpt/service/db/db.ts';
import type { LogName } from '../store/logs.ts';
import { cosignatureLines, mostCosigned } from '../store/witnesses.ts';

interface Signed {
  size: number;
  checkpoint: string;
}

/**
 * With its cosignatures: the last one, unless more witnesses have cosigned an older one that holds the entry. While receipts are minted one
 * after the other the last one is often a second too young, and where a witness is away an older one says more.
 * @param last holds the entry
 */
export async function witnessed(
  db: Queries,
  organization_id: string,
  log: LogName,
  index: number,
  last: Signed,
): Promise<Signed> {
  const lines = await cosignatureLines(db, organization_id, log, last);
  const most = await mostCosigned(db, organization_id, log, index);
  const [{ size, checkpoint }, own] =
    most !== null && most.lines.length > lines.length ? [most, most.lines] : [last, lines];
  return { size, checkpoint: checkpoint + own.join('') };
}
