/** The wire's words as a person reads them. */
import type { LaneName, Outcome } from '@rcpt/contract/vocabulary.ts';

/** A lane as the receipt's page calls it; the generic one by its own name, which beside a Run would say nothing. */
export const LANE_LABEL: Record<LaneName, string> = {
  generic: 'Generic',
  eval: 'Evaluation',
  cook: 'Fine-tune lift',
  incident: 'Incident',
  'dataset-download': 'Dataset download',
  'model-pin': 'Model pin',
};

export const OUTCOME_WORD: Record<Outcome, string> = { pass: 'Passed', review: 'Needs review', fail: 'Failed' };

/** `tool_output` → `Tool output`. */
export function sentence(word: string): string {
  const text = word.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
