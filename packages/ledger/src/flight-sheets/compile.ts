/** A flight sheet made ready to decide submissions. Deterministic and bounded: no clock, no I/O, counted work. */

import type { SheetExecutor } from '@rcpt/contract/lanes/lane.ts';
import type { FlightSheet, Rule } from '@rcpt/contract/ledger/flight-sheet.ts';
import { BY_RULE } from '@rcpt/contract/signer.ts';
import type { Json } from '@rcpt/contract/wire.ts';
import type { Check } from '@rcpt/contract/work.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { compileExpression, type Decided, type Facts, language, type Position } from './expression.ts';
import { COMPILE_LIMIT, CostLimitExceeded, Meter } from './meter.ts';
import { compileOutputSchema, type OutputSchema } from './output-schema.ts';
import { inOrder, toCelValue } from './values.ts';

/** `path` is dotted, as in `rules.2.expr`; `position` is inside that expression. */
export interface SheetError {
  path: string;
  message: string;
  position?: Position;
}

export class FlightSheetInvalid extends Refusal<'flight_sheet_invalid'> {
  readonly errors: SheetError[];

  constructor(errors: SheetError[]) {
    const [first] = errors;
    const at = first?.position ? ` at line ${first.position.line}, column ${first.position.column}` : '';
    super('flight_sheet_invalid', `The flight sheet does not compile: ${first?.path}${at}: ${first?.message}.`, {
      errors,
    });
    this.errors = errors;
  }
}

export interface CompiledSheet extends SheetExecutor {
  sheet: FlightSheet;
}

/** The key of the finding on the submission's form; no rule may have it as id. */
export const FORM_KEY = 'output_schema';
const SHOWN_FAULTS = 5;
/** Throws `FlightSheetInvalid` with everything that is wrong, not only the first. */
export function compileSheet(sheet: FlightSheet): CompiledSheet {
  const meter = new Meter();
  const errors = ruleErrors(sheet);
  const compiling = new Meter(COMPILE_LIMIT);
  const form = compileOutputSchema(sheet.output_schema, meter, compiling);
  if ('errors' in form) {
    errors.push(...form.errors.map(({ path, message }) => ({ path: ['output_schema', ...path].join('.'), message })));
  }
  const cel = language(meter);
  const rules: CompiledRule[] = [];
  for (const [index, rule] of sheet.rules.entries()) {
    const compiled = 'expr' in rule ? compileExpression(rule.expr, cel, compiling) : { decide: null };
    if ('fault' in compiled) errors.push({ path: `rules.${index}.expr`, ...compiled.fault });
    else rules.push({ rule, decide: compiled.decide });
  }
  if (errors.length > 0 || 'errors' in form) throw new FlightSheetInvalid(errors);
  return { sheet, run: (facts) => run(form, rules, meter, facts) };
}

type Given = Parameters<SheetExecutor['run']>[0];

interface CompiledRule {
  rule: Rule;
  /** Null for a rule that a person applies. */
  decide: ((facts: Facts) => Decided) | null;
}

function run(form: OutputSchema, rules: CompiledRule[], meter: Meter, given: Given): Check[] {
  meter.startRun();
  // An expression may fail on every item of a list, and the stack of a failure costs more than deciding it.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return findings(form, rules, meter, given);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function findings(form: OutputSchema, rules: CompiledRule[], meter: Meter, given: Given): Check[] {
  const submission = inOrder(given.submission);
  const facts = {
    submission: toCelValue(submission),
    inputs: toCelValue(inOrder(given.inputs)),
    evidence: toCelValue(inOrder(given.evidence)),
  };
  return [formFinding(form, meter, submission), ...rules.map((rule) => ruleFinding(rule, meter, facts))];
}

function formFinding(form: OutputSchema, meter: Meter, submission: Json): Check {
  const base = {
    key: FORM_KEY,
    label: 'The submission has the required form',
    category: 'schema',
    severity: 'high',
    decided_by: BY_RULE,
  } as const;
  meter.startRule();
  try {
    const faults = form.faults(submission);
    if (faults.length === 0) return { ...base, status: 'pass', detail: 'The output is as the sheet requires.' };
    const more = faults.length > SHOWN_FAULTS ? `; and ${faults.length - SHOWN_FAULTS} more` : '';
    return { ...base, status: 'flag', detail: `${faults.slice(0, SHOWN_FAULTS).join('; ')}${more}.` };
  } catch (error) {
    if (!(error instanceof CostLimitExceeded)) throw error;
    return { ...base, status: 'flag', detail: 'Could not be decided: exceeds the cost limit.' };
  }
}

function ruleFinding({ rule, decide }: CompiledRule, meter: Meter, facts: Facts): Check {
  const { id: key, label, category, severity } = rule;
  const base = { key, label, category, severity, decided_by: BY_RULE };
  if (!decide) return { ...base, status: 'open', detail: 'A person applies this rule.', decided_by: '' };
  meter.startRule();
  const decided = decide(facts);
  if ('undecided' in decided) return { ...base, status: 'flag', detail: `Could not be decided: ${decided.undecided}.` };
  return decided.value
    ? { ...base, status: 'pass', detail: 'The rule holds.' }
    : { ...base, status: 'flag', detail: `Does not hold: ${shown('expr' in rule ? rule.expr : '')}` };
}

function shown(expression: string): string {
  const line = expression.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299).toWellFormed()}…` : line;
}

function ruleErrors(sheet: FlightSheet): SheetError[] {
  const errors: SheetError[] = [];
  if (sheet.fail_threshold > sheet.pass_threshold) {
    errors.push({ path: 'fail_threshold', message: 'must not be above pass_threshold' });
  }
  const seen = new Set<string>([FORM_KEY]);
  for (const [index, { id }] of sheet.rules.entries()) {
    if (seen.has(id))
      errors.push({ path: `rules.${index}.id`, message: id === FORM_KEY ? 'is reserved' : `'${id}' is used twice` });
    seen.add(id);
  }
  return errors;
}
