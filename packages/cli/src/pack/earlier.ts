/** Two packs of one ledger held against each other: the later one has to continue what the earlier one's checkpoints count. */
import { ask, type ClientSettings } from '@rcpt/contract/client/call.ts';
import type { Checkpoint } from '@rcpt/proof/log/checkpoint.ts';
import { parseConsistency } from '@rcpt/proof/log/consistency-file.ts';
import { extendsTree } from '@rcpt/proof/log/merkle.ts';
import { type PackReport, sameTree } from './check-pack.ts';

/** What does not hold, in words; null: it continues. The proof between sizes that no pack holds is asked of the ledger. */
export async function breakSince(
  earlier: PackReport,
  later: PackReport,
  ledger: ClientSettings,
): Promise<string | null> {
  const seen = earlier.newest ?? earlier.end;
  if (seen === null) return null;
  const now = later.newest ?? later.end;
  if (now === null)
    return `THE CHAIN WAS CUT: the earlier pack's checkpoint counts ${seen.size} receipts, and now none is signed`;
  if (now.origin !== seen.origin) return `the earlier pack is of another log, ${seen.origin}`;
  if (now.size < seen.size)
    return `THE CHAIN WAS CUT: the earlier pack's checkpoint counts ${seen.size} receipts, the newest one now ${now.size}`;
  for (const [was, is] of pairs(earlier, later)) if (was.size === is.size && !sameTree(was, is)) return rewritten(was);
  if (sameTree(seen, now)) return null;
  if (seen.size === now.size) return rewritten(seen);
  const proof = await consistency(ledger, seen.size, now.size);
  return extendsTree(seen, now, proof) ? null : rewritten(seen);
}

function* pairs(earlier: PackReport, later: PackReport): Generator<[Checkpoint, Checkpoint]> {
  const all = ({ before, end, newest }: PackReport) => [before, end, newest].filter((one) => one !== null);
  for (const was of all(earlier)) for (const is of all(later)) yield [was, is];
}

async function consistency(ledger: ClientSettings, from: number, to: number): Promise<Uint8Array[]> {
  const answer = await ask(ledger, `/ledger/consistency?from=${from}&to=${to}`, { accept: 'text/plain' });
  return parseConsistency(await answer.text());
}

function rewritten({ size }: Checkpoint): string {
  return `THE CHAIN WAS REWRITTEN: the first ${size} receipts are not those of the earlier pack's checkpoint`;
}
