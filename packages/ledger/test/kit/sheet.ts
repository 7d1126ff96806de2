/** Sheets for tests: one sound sheet, and small changes to it. */
import type { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { compileSheet, type FlightSheetInvalid, FORM_KEY } from '../../src/flight-sheets/compile.ts';

export function sheetOf(expressions: string[], output_schema: JsonObject = {}): FlightSheet {
  return {
    name: 'sheet',
    version: '1.0.0',
    title: 'A sheet',
    assignment: { title: 'Do it', instructions: '' },
    output_schema,
    rules: expressions.map((expr, index) => ({
      id: `rule-${index}`,
      label: `Rule ${index}`,
      category: 'math',
      severity: 'high',
      expr,
    })),
    pass_threshold: 80,
    fail_threshold: 50,
  };
}

export interface Given {
  inputs?: JsonObject;
  evidence?: Json[];
}

/** The finding of one rule on one submission. */
export function decide(expr: string, submission: Json, { inputs = {}, evidence = [] }: Given = {}): Check {
  const [, finding] = compileSheet(sheetOf([expr])).run({ submission, inputs, evidence });
  return finding!;
}

/** The finding on the submission's form. */
export function form(output_schema: JsonObject, submission: Json): Check {
  const finding = compileSheet(sheetOf(['true'], output_schema)).run({ submission, inputs: {}, evidence: [] })[0]!;
  if (finding.key !== FORM_KEY) throw new Error('the form is decided first');
  return finding;
}

/** What is wrong with a sheet; empty when it compiles. */
export function errorsOf(sheet: FlightSheet): FlightSheetInvalid['errors'] {
  try {
    compileSheet(sheet);
    return [];
  } catch (error) {
    return (error as FlightSheetInvalid).errors;
  }
}
