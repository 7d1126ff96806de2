/** The named rule sheet of the eval lane (contract §2). Immutable per (organization, name, version). */
import { z } from 'zod';
import { CheckCategory, CheckSeverity } from '../vocabulary.ts';
import { JsonObject, Line, Prose } from '../wire.ts';

const Slug = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'must be a slug: lower-case letters, digits, . _ -');

const RuleBase = { id: Slug, label: Line, category: CheckCategory, severity: CheckSeverity };

/** Either a CEL expression that must evaluate to bool, or a rule that a person applies. */
export const Rule = z.union([
  z.object({ ...RuleBase, expr: z.string().min(1).max(4000) }),
  z.object({ ...RuleBase, checklist: z.literal(true) }),
]);
export type Rule = z.infer<typeof Rule>;

export const FlightSheet = z.object({
  name: Slug,
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$/, 'must be a version such as 1.0.0'),
  title: Line,
  assignment: z.object({ title: Line, instructions: Prose }),
  /** JSON Schema 2020-12 of the submission's output. */
  output_schema: JsonObject,
  rules: z.array(Rule).min(1).max(200),
  /** Below it the outcome is at best `review`. */
  pass_threshold: z.int().min(0).max(100),
  /** Below it the outcome is `fail`. */
  fail_threshold: z.int().min(0).max(100),
});
export type FlightSheet = z.infer<typeof FlightSheet>;

export const FlightSheetList = z.object({ flight_sheets: z.array(FlightSheet) });
