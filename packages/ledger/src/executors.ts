/** Flight sheets made ready to decide, the last few: a published version never changes, and compiling it takes its time. */
import { setImmediate as otherWork } from 'node:timers/promises';
import type { SheetExecutor } from '@rcpt/contract/lanes/lane.ts';
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { compileInParts, compileSheet } from './domain/sheet/compile.ts';
import { shareSheetTime } from './sheet-time.ts';

const KEPT = 32;
const kept = new Map<string, SheetExecutor>();
const time = shareSheetTime('flight sheets');

/** Compiling and deciding throw `rate_limited` once the organization's sheets have had their share of the time. */
export function executorOf(organization_id: string, sheet: FlightSheet): SheetExecutor {
  const name = `${organization_id} ${sheet.name} ${sheet.version}`;
  const executor = kept.get(name) ?? time.spend(organization_id, () => compileSheet(sheet));
  kept.delete(name);
  kept.set(name, executor);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return { run: (facts) => time.spend(organization_id, () => executor.run(facts)) };
}

/** Whether a sheet may be published, found while others go on. Throws `flight_sheet_invalid`, `rate_limited`. */
export async function tryToCompile(organization_id: string, sheet: FlightSheet): Promise<void> {
  const parts = compileInParts(sheet);
  while (!time.spend(organization_id, () => parts.next()).done) await otherWork();
}
