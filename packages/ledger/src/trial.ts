/** A flight sheet tried on one submission as the stages of an eval Run would decide it. Nothing is read or stored. */
import { assignedInputs, evaluation } from '@rcpt/contract/lanes/eval.ts';
import type { FlightSheetFindings, FlightSheetTrial } from '@rcpt/contract/ledger/flight-sheet.ts';
import { openChecks, verdict } from '@rcpt/contract/verdict.ts';
import { compileSheet } from './domain/sheet/compile.ts';
import { accept } from './stages.ts';

/**
 * The executor is compiled for this call alone: what is tried may bear the name of a published version and be another
 * sheet, and must never decide a Run. Throws `flight_sheet_invalid`, `invalid`.
 */
export function trySheet({ flight_sheet, output, inputs, evidence = [] }: FlightSheetTrial): FlightSheetFindings {
  const executor = compileSheet(flight_sheet);
  const { name, version } = flight_sheet;
  const checks = executor.run({
    submission: output,
    inputs: assignedInputs(accept(evaluation.inputs, { ...inputs, flight_sheet: { name, version } }, 'inputs')),
    evidence: evidence.map((item) => ({ ...item })),
  });
  return { checks, verdict: openChecks(checks).length > 0 ? null : verdict(checks, flight_sheet) };
}
