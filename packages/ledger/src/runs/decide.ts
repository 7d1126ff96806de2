/** What a thread decides of a Run. Beside the threads nothing needs it, nor what compiles flight sheets. */
import { assignmentOf } from '@rcpt/contract/lanes/eval.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { priceTable } from '@rcpt/contract/prices.ts';
import { executorOf } from '../flight-sheets/executors.ts';
import { readRun } from '../store/runs.ts';
import type { Unfixed } from './approval.ts';
import type { Decided, Undecided } from './checks.ts';
import type { Run } from './run.ts';
import { type ApprovedBlock, fixBlock, workOf } from './sealed-block.ts';

/** Pure: the same Run, sheet and prices are decided to the same bytes. */
export function decideChecks({ run: stored, sheet, prices }: Undecided): Decided {
  const run = readRun(stored);
  const lane = LANES[run.lane];
  const runs_on = lane.runs_on?.(run.execution ?? {});
  const price = runs_on === undefined ? null : priceTable(prices).of(runs_on);
  const executor = sheet === null ? null : executorOf(sheet);
  return {
    checks: lane.checks(workOf({ ...run, price }, lane), executor),
    assignment: executor === null ? null : assignmentOf(executor.sheet, run.inputs),
    price,
    updated_at: run.updated_at,
  };
}

/** Pure. Throws as `fixBlock`. */
export function fixApproved({ run: stored, approval }: Unfixed): ApprovedBlock & Pick<Run, 'updated_at'> {
  const run = readRun(stored);
  return { ...fixBlock({ ...run, approval }), updated_at: run.updated_at };
}
