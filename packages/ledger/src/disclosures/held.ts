/** What of a receipt's Run is stored here, and so can be shown or erased. */
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { evidencePath, OUTPUT } from '@rcpt/proof/disclosures.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';
import type { Run } from '../runs/run.ts';
import type { Place } from '../store/disclosures.ts';
import { lockMarks, type RunMarks } from '../store/runs.ts';

export type BesideRun = RunMarks &
  Pick<Run, 'lane' | 'title' | 'inputs' | 'execution' | 'evidence' | 'checks' | 'commitments'>;

/** Locks the Run until the transaction ends: what is decided on one receipt is decided one after the other. */
export function lockBeside(tx: Queries, { organization_id, run_id }: Place): Promise<BesideRun> {
  return lockMarks(
    tx,
    organization_id,
    run_id,
    'lane',
    'title',
    'inputs',
    'execution',
    'evidence',
    'checks',
    'commitments',
  );
}

/** All paths, and whether there is something of each; what was erased is not here. */
export function heldOf(run: BesideRun): Map<string, boolean> {
  const lane = LANES[run.lane];
  const held = new Map<string, boolean>();
  for (const member of run.commitments?.members ?? []) held.set(member.path, 'salt' in member);
  const output = lane.output && run[lane.output.in]?.[lane.output.member];
  if (lane.output || lane.name === 'dataset-download') held.set(OUTPUT, output !== undefined && output !== null);
  if ('evidence' in lane.blocks.shape)
    for (const [i, item] of run.evidence.entries()) held.set(evidencePath(i), item.stored);
  return held;
}

/** Throws `not_found`, `disclosure_not_stored`. */
export function requireHeld(held: ReadonlyMap<string, boolean>, path: string): void {
  if (held.get(path)) return;
  if (!held.has(path))
    throw refuse(
      'disclosure_unknown',
      `There is no ${path} beside this receipt. GET …/disclosures lists what there is.`,
      {
        path,
      },
    );
  throw refuse('disclosure_not_stored', `Nothing of ${path} is stored here: only its hash.`, { path });
}
