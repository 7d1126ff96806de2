/**
 * The wire's closed word lists as plain values: the contract's own are zod schemas, which a browser need not load. A list that
 * is not the contract's, word for word, does not compile.
 */
import type {
  CheckSeverity,
  EvidenceKind as ContractEvidenceKind,
  LaneName as ContractLaneName,
  Outcome as ContractOutcome,
  Role as ContractRole,
  Stage as ContractStage,
} from '@rcpt/contract/vocabulary.ts';
import type { z } from 'zod';

/** Every word of `Words` and no other, in any order. */
export const all =
  <Words extends string>() =>
  <const List extends readonly Words[]>(
    ...list: [Words] extends [List[number]] ? List : [missing: Exclude<Words, List[number]>]
  ) =>
    list as unknown as List;

export type LaneName = ContractLaneName;
export type Stage = ContractStage;
export type Role = ContractRole;
export type EvidenceKind = ContractEvidenceKind;
export type Severity = CheckSeverity;
export type Outcome = z.infer<typeof ContractOutcome>;

export const LANES = all<LaneName>()('generic', 'eval', 'cook', 'incident', 'dataset-download', 'model-pin');
export const STAGES = all<Stage>()('Inputs', 'Evidence', 'Execution', 'Checks', 'Verdict', 'Approval', 'Receipt');
export const OUTCOMES = all<Outcome>()('pass', 'review', 'fail');
export const ROLES = all<Role>()('agent', 'approver', 'auditor', 'owner');
export const EVIDENCE_KINDS = all<EvidenceKind>()(
  'file',
  'note',
  'url',
  'observation',
  'tool_output',
  'model_output',
  'log',
);

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
