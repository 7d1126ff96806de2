/** Flight sheets made ready to decide, the last few of this thread, by what they say: one name may stand for several. */
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { type CompiledSheet, compileSheet } from './compile.ts';

const KEPT = 32;
const kept = new Map<string, CompiledSheet>();

/** @param text the sheet as JSON. Throws `flight_sheet_invalid`. */
export function executorOf(text: string): CompiledSheet {
  const sha256 = sha256Hex(text);
  const executor = kept.get(sha256) ?? compileSheet(JSON.parse(text) as FlightSheet);
  kept.delete(sha256);
  kept.set(sha256, executor);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return executor;
}
