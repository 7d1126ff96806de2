/** The wire's words as a person reads them. */
import type { LaneName, Outcome } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES, LANE_WORDS } from '@rcpt/contract/words.ts';

/** A lane as the receipt's page calls it; the generic one by its own name, which beside a Run would say nothing. */
export const LANE_LABEL = {
  ...Object.fromEntries(LANE_NAMES.map((name) => [name, LANE_WORDS[name].label])),
  generic: 'Generic',
} as Record<LaneName, string>;

export const OUTCOME_WORD: Record<Outcome, string> = { pass: 'Passed', review: 'Needs review', fail: 'Failed' };

/** `tool_output` → `Tool output`. */
export function sentence(word: string): string {
  const text = word.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
