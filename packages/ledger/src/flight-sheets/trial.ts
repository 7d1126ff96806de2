/** A flight sheet tried on one submission as the stages of an eval Run would decide it. Nothing is read or stored. */
import { assignedInputs, evaluation } from '@rcpt/contract/lanes/eval.ts';
import type { FlightSheetFindings, FlightSheetTrial } from '@rcpt/contract/ledger/flight-sheet.ts';
import { openChecks, verdict } from '@rcpt/contract/verdict.ts';
import { validated } from '@rcpt/service/http/body.ts';
import { executorOf } from './executors.ts';

/** @param text a `FlightSheetTrial` as JSON. Throws `flight_sheet_invalid`, `invalid`. */
export function trySheet(text: string): FlightSheetFindings {
  const { flight_sheet, output, inputs, evidence = [] } = JSON.parse(text) as FlightSheetTrial;
  const executor = executorOf(JSON.stringify(flight_sheet));
  const { name, version } = flight_sheet;
  const checks = executor.run({
    submission: output,
    inputs: assignedInputs(validated(evaluation.inputs, { ...inputs, flight_sheet: { name, version } }, 'inputs')),
    evidence: evidence.map((item) => ({ ...item })),
  });
  return { checks, verdict: openChecks(checks).length > 0 ? null : verdict(checks, flight_sheet) };
}
