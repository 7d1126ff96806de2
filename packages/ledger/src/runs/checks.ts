/** The checks of a Run: read as stored, decided in a thread (decide.ts), written in a transaction that computes nothing. */
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { GpuPrice } from '@rcpt/contract/prices.ts';
import type { Check } from '@rcpt/contract/work.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { changes } from '../changes/transaction.ts';
import type { Principal } from '../people/principal.ts';
import { refuse } from '../problems.ts';
import { loadSheetText } from '../store/flight-sheets.ts';
import { loadStoredRun, lockMarks, updateRun } from '../store/runs.ts';
import type { Decided, Undecided } from './decide.ts';
import { reach, requireStage } from './run.ts';

/** At the prices of this instant. Throws `not_found`, `run_stage_conflict`, `flight_sheet_unknown`. */
export async function loadUndecided(
  db: Queries,
  { organization_id }: Principal,
  id: string,
  prices: readonly GpuPrice[],
): Promise<Undecided> {
  const run = await loadStoredRun(db, organization_id, id);
  requireStage({ stage: run.stage, approval: JSON.parse(run.approval ?? 'null') }, 'Execution');
  const named = LANES[run.lane].sheet?.(JSON.parse(run.inputs));
  const sheet = named === undefined ? null : await loadSheetText(db, organization_id, named);
  return { run, sheet, prices };
}

/** Checks: what was decided is what is stored. Throws `run_stage_conflict`. */
export async function recordChecks(
  tx: Queries,
  by: Principal,
  id: string,
  { updated_at, ...decided }: Decided,
  at: string,
): Promise<Check[]> {
  const run = await lockMarks(tx, by.organization_id, id);
  requireStage(run, 'Execution');
  if (run.updated_at !== updated_at)
    throw refuse('run_stage_conflict', 'The Run was changed while its checks were decided. Send the call again.', {
      stage: run.stage,
      needed_stage: 'Execution',
    });
  await updateRun(tx, run, {
    stage: 'Checks',
    stages: reach(run.stages, 'Checks', at, by.id),
    ...decided,
    updated_at: at,
  });
  changes(tx, by.organization_id, { runs: [id] });
  return decided.checks;
}
