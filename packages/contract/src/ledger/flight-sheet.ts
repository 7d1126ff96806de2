/** The named rule sheet of the eval lane (docs/spec.md §34). Immutable per (organization, name, version). */
import { z } from 'zod';
import { EXPRESSION_CHARACTERS, SHEET_RULES, SHEET_VERSION, SLUG } from '../text-limits.ts';
import { CheckCategory, CheckSeverity } from '../vocabulary.ts';
import { Json, JsonObject, Line, PageSize, Prose } from '../wire.ts';
import { Check, EvidenceFact, Verdict } from '../work.ts';

const Slug = z.string().regex(SLUG, 'must be a slug: lower-case letters, digits, . _ -');

const RuleBase = { id: Slug, label: Line, category: CheckCategory, severity: CheckSeverity };

/** Either a CEL expression that must evaluate to bool, or a rule that a person applies. */
export const Rule = z.union([
  z.object({ ...RuleBase, expr: z.string().min(1).max(EXPRESSION_CHARACTERS) }),
  z.object({ ...RuleBase, checklist: z.literal(true) }),
]);
export type Rule = z.infer<typeof Rule>;

export const FlightSheet = z.object({
  name: Slug,
  version: z.string().regex(SHEET_VERSION, 'must be a version such as 1.0.0'),
  title: Line,
  assignment: z.object({ title: Line, instructions: Prose }),
  /** JSON Schema 2020-12 of the submission's output. */
  output_schema: JsonObject,
  rules: z.array(Rule).min(1).max(SHEET_RULES),
  /** Below it the outcome is at best `review`. */
  pass_threshold: z.int().min(0).max(100),
  /** Below it the outcome is `fail`. */
  fail_threshold: z.int().min(0).max(100),
});
export type FlightSheet = z.infer<typeof FlightSheet>;

/** By name, the versions of each in the order they were published. */
export const FlightSheetList = z.object({ flight_sheets: z.array(FlightSheet), next_after: z.string().nullable() });
export const FlightSheetQuery = z.object({
  /** `next_after` of the page before: `<name>@<version>`. */
  after: z
    .string()
    .regex(
      new RegExp(`${SLUG.source.slice(0, -1)}@${SHEET_VERSION.source.slice(1)}`),
      'must be <name>@<version> of a flight sheet',
    )
    .optional(),
  limit: PageSize,
});
export type FlightSheetQuery = z.infer<typeof FlightSheetQuery>;

/** A sheet, published or not, tried on one submission: nothing is stored. */
export const FlightSheetTrial = z.object({
  flight_sheet: FlightSheet,
  /** The submission's output: text, or JSON. */
  output: Json,
  /** What the rules read as `inputs`, beside the sheet's name. */
  inputs: JsonObject.optional(),
  evidence: z.array(EvidenceFact).max(500).optional(),
});
export type FlightSheetTrial = z.infer<typeof FlightSheetTrial>;
/** `verdict` is null while a checklist rule is open. */
export const FlightSheetFindings = z.object({ checks: z.array(Check), verdict: Verdict.nullable() });
export type FlightSheetFindings = z.infer<typeof FlightSheetFindings>;
