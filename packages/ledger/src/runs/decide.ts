/** What a thread decides of a Run: its checks, and the block that an approval fixes. Loaded by threads; others take its types. */
import { assignmentOf } from '@rcpt/contract/lanes/eval.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { type GpuPrice, priceTable } from '@rcpt/contract/prices.ts';
import type { Approval } from '@rcpt/contract/work.ts';
import { executorOf } from '../flight-sheets/executors.ts';
import { readRun, type StoredRun } from '../store/runs.ts';
import type { Run } from './run.ts';
import { type ApprovedBlock, fixBlock, workOf } from './sealed-block.ts';

/** All that the checks are decided on, as texts: the thread reads them, and the event loop does not. */
export interface Undecided {
  run: StoredRun;
  /** Of the flight sheet that decides, as canonical JSON; null on lanes without one. */
  sheet: string | null;
  prices: readonly GpuPrice[];
}

export interface Decided extends Pick<Run, 'checks' | 'assignment' | 'price'> {
  /** When the Run that was decided on was written. */
  updated_at: string;
}

export interface Unfixed {
  run: StoredRun;
  approval: Approval;
}

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
