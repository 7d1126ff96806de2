/**
 * What was erased has to stay erased (docs/spec.md §32.3): each erasure that the table of disclosures or the activity chain knows is held against
 * the Run. An earlier state of a table that was put back is told by the other, and by the activity chain's own head.
 */
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { type ChainVerifier, MAX_VIOLATIONS } from '@rcpt/proof/chain.ts';
import { OUTPUT } from '@rcpt/proof/disclosures.ts';
import { receiptIdOf } from '@rcpt/proof/receipt.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { SealedRun } from '../runs/sealed-block.ts';
import { seqOfReceiptId } from '../store/chains.ts';
import { erasedRows, recordedErasures, runIdsAt } from '../store/disclosures.ts';
import { loadRunsAsStored } from '../store/runs.ts';

/** Runs that are read together. */
const AT_ONCE = 64;

interface Erased {
  path: string;
  erased_at: string;
  in_table: boolean;
  in_activity: boolean;
}

export async function compareErasures(read: Queries, organization_id: string, verifier: ChainVerifier): Promise<void> {
  const erased = await erasuresOf(read, organization_id);
  const seqs = [...erased.keys()].sort((a, b) => a - b);
  let blamed = 0;
  for (let at = 0; at < seqs.length && blamed < MAX_VIOLATIONS; at += AT_ONCE) {
    const run_ids = await runIdsAt(read, organization_id, seqs.slice(at, at + AT_ONCE));
    const runs = await loadRunsAsStored(read, organization_id, [...run_ids.values()]);
    for (const [org_seq, run_id] of run_ids)
      for (const one of erased.get(org_seq)!.values()) {
        const detail = faultOf(one, runs.get(run_id) ?? null);
        if (detail === null || blamed++ >= MAX_VIOLATIONS) continue;
        const receipt_id = receiptIdOf(org_seq, run_id);
        verifier.blame({ org_seq, receipt_id }, { expected: 'erased', actual: one.path, detail });
      }
  }
}

async function erasuresOf(read: Queries, organization_id: string): Promise<Map<number, Map<string, Erased>>> {
  const found = new Map<number, Map<string, Erased>>();
  const add = (org_seq: number, path: string, erased_at: string, where: 'in_table' | 'in_activity') => {
    const of_receipt = found.get(org_seq) ?? new Map<string, Erased>();
    const known = of_receipt.get(path) ?? { path, erased_at, in_table: false, in_activity: false };
    found.set(org_seq, of_receipt.set(path, { ...known, [where]: true }));
  };
  for (const { org_seq, path, erased_at } of await erasedRows(read, organization_id))
    add(org_seq, path, erased_at, 'in_table');
  for (const { receipt_id, path, erased_at } of await recordedErasures(read, organization_id))
    add(seqOfReceiptId(receipt_id), path, erased_at, 'in_activity');
  return found;
}

/** Null: it is gone, and both say so. */
function faultOf({ path, erased_at, in_table, in_activity }: Erased, run: SealedRun | null): string | null {
  if (run !== null && isHere(run, path))
    return `${path} was erased at ${erased_at} and is stored again: an earlier state was put back. Erase it again.`;
  if (!in_activity) return `${path} is erased, and no line of the activity chain says so`;
  return in_table ? null : `${path} was erased at ${erased_at}, and that is not recorded beside the receipt any more`;
}

function isHere({ lane, commitments, evidence, ...run }: SealedRun, path: string): boolean {
  const { output } = LANES[lane];
  if (path === OUTPUT) return output !== undefined && run[output.in]?.[output.member] != null;
  const [, number] = /^\/evidence\/(\d+)$/.exec(path) ?? [];
  if (number !== undefined) return evidence[Number(number)]?.stored === true;
  return commitments?.members.some((member) => member.path === path && 'salt' in member) ?? false;
}
