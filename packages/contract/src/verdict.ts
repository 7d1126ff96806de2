/**
 * The verdict follows from the checks alone (docs/spec.md §15): any high flag fails, any medium flag needs review, and a
 * score below a threshold lowers the outcome further. It grades the work's checks, never the model.
 */
import { ContractError } from './error.ts';
import type { CheckSeverity } from './vocabulary.ts';
import type { Check, Verdict } from './work.ts';

/** Scores of a flight sheet, 0 to 100. Lanes without a sheet have none. */
export interface Thresholds {
  /** Below it the outcome is at best `review`. */
  pass_threshold: number;
  /** Below it the outcome is `fail`. */
  fail_threshold: number;
}

const WEIGHT: Record<CheckSeverity, number> = { high: 5, medium: 3, low: 1 };
const READY = { pass: 'yes', review: 'after_edits', fail: 'no' } as const;
/** Labels named in a sentence before it says "and n more". */
const NAMED = 3;

/** The checks that wait for a person. While there is one, there is no verdict. */
export function openChecks(checks: readonly Check[]): Check[] {
  return checks.filter((check) => check.status === 'open');
}

/**
 * Same checks, same verdict, to the byte. Skipped rules decide nothing and do not count. Where no rule could be decided
 * there is nothing to pass: the score is 0, the outcome `review`, and the thresholds are not applied.
 * Throws `checks_open` while a check is open.
 */
export function verdict(checks: readonly Check[], thresholds: Thresholds | null = null): Verdict {
  const open = openChecks(checks);
  if (open.length > 0) throw new ContractError('checks_open', `waiting for a person: ${names(open)}`);
  const decided = checks.filter((check) => check.status === 'pass' || check.status === 'flag');
  const flagged = (['high', 'medium', 'low'] as const).flatMap((severity) =>
    decided.filter((check) => check.status === 'flag' && check.severity === severity),
  );
  const score_100 = score(decided);
  const severity = flagged[0]?.severity ?? 'none';
  const outcome = decided.length === 0 ? 'review' : outcomeOf(severity, score_100, thresholds);
  return {
    outcome,
    score_100,
    severity,
    client_ready: READY[outcome],
    recommended_action: actionFor(outcome, flagged, decided.length),
    summary: summaryOf(checks, decided.length, flagged, score_100, thresholds),
  };
}

function outcomeOf(severity: Verdict['severity'], score: number, thresholds: Thresholds | null): Verdict['outcome'] {
  if (severity === 'high' || (thresholds && score < thresholds.fail_threshold)) return 'fail';
  if (severity === 'medium' || (thresholds && score < thresholds.pass_threshold)) return 'review';
  return 'pass';
}

/** Whole-number arithmetic, half up: the weighted share of decided rules that passed. */
function score(decided: readonly Check[]): number {
  const total = weight(decided);
  if (total === 0) return 0;
  return Math.floor((200 * weight(decided.filter((check) => check.status === 'pass')) + total) / (2 * total));
}

function weight(checks: readonly Check[]): number {
  return checks.reduce((sum, check) => sum + WEIGHT[check.severity], 0);
}

function actionFor(outcome: Verdict['outcome'], flagged: readonly Check[], decided: number): string {
  if (decided === 0) return 'Have a person review the work: no rule could be decided.';
  if (outcome === 'fail' && flagged.length > 0) return `Do not use this work. Put right first: ${names(flagged)}.`;
  if (outcome === 'review' && flagged.length > 0) return `Edit the work, then check it again: ${names(flagged)}.`;
  if (flagged.length > 0) return `Ready to use. Worth a look: ${names(flagged)}.`;
  return outcome === 'pass' ? 'Ready to use as it is.' : 'Have a person review the score before use.';
}

function summaryOf(
  checks: readonly Check[],
  decided: number,
  flagged: readonly Check[],
  score: number,
  thresholds: Thresholds | null,
): string {
  if (decided === 0) return `None of ${count(checks.length, 'rule')} could be decided.`;
  const parts = (['high', 'medium', 'low'] as const)
    .map((severity) => [flagged.filter((check) => check.severity === severity).length, severity] as const)
    .filter(([n]) => n > 0)
    .map(([n, severity]) => `${n} ${severity}`);
  const flags = parts.length > 0 ? `; flagged: ${parts.join(', ')}` : '';
  const skipped = checks.length > decided ? `; ${checks.length - decided} did not apply` : '';
  return `${decided - flagged.length} of ${count(decided, 'decided rule')} passed${flags}${skipped}. ${standing(score, thresholds)}`;
}

function standing(score: number, thresholds: Thresholds | null): string {
  if (!thresholds) return `Score ${score} of 100.`;
  if (score < thresholds.fail_threshold)
    return `Score ${score} of 100, below the ${thresholds.fail_threshold} that fails.`;
  if (score < thresholds.pass_threshold)
    return `Score ${score} of 100, below the ${thresholds.pass_threshold} needed to pass.`;
  return `Score ${score} of 100, at least the ${thresholds.pass_threshold} needed to pass.`;
}

function names(checks: readonly Check[]): string {
  const named = checks.slice(0, NAMED).map((check) => `"${check.label}"`);
  const rest = checks.length - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
