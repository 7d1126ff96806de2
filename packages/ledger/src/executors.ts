/** Flight sheets made ready to decide, the last few: a published version never changes, and compiling it takes its time. */
import type { SheetExecutor } from '@rcpt/contract/lanes/lane.ts';
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { compileSheet } from './domain/sheet/compile.ts';

const KEPT = 32;
const kept = new Map<string, SheetExecutor>();

export function executorOf(organization_id: string, sheet: FlightSheet): SheetExecutor {
  const name = `${organization_id} ${sheet.name} ${sheet.version}`;
  const executor = kept.get(name) ?? compileSheet(sheet);
  kept.delete(name);
  kept.set(name, executor);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return executor;
}
