/** The closed word lists of both wires (docs/spec.md §6.1, §13). A word that is not here cannot be stored. */
import { z } from 'zod';

export const LaneName = z.enum(['generic', 'eval', 'cook', 'incident', 'dataset-download', 'model-pin']);
export type LaneName = z.infer<typeof LaneName>;

export const SchemaId = z.enum([
  'service.receipt/v1',
  'service.eval-receipt/v1',
  'service.cook-receipt/v1',
  'service.incident-receipt/v1',
  'service.dataset-download-receipt/v1',
  'service.model-pin-receipt/v1',
]);
export type SchemaId = z.infer<typeof SchemaId>;

/** In the order a Run passes them. */
export const STAGES = ['Inputs', 'Evidence', 'Execution', 'Checks', 'Verdict', 'Approval', 'Receipt'] as const;
export const Stage = z.enum(STAGES);
export type Stage = z.infer<typeof Stage>;

export const Role = z.enum(['agent', 'approver', 'auditor', 'owner']);
export type Role = z.infer<typeof Role>;

export const EvidenceKind = z.enum(['file', 'note', 'url', 'observation', 'tool_output', 'model_output', 'log']);
export type EvidenceKind = z.infer<typeof EvidenceKind>;

export const CheckStatus = z.enum(['pass', 'flag', 'open', 'skip']);
export type CheckStatus = z.infer<typeof CheckStatus>;
export const CheckCategory = z.enum(['structure', 'schema', 'math', 'evidence', 'policy']);
export type CheckCategory = z.infer<typeof CheckCategory>;
export const CheckSeverity = z.enum(['low', 'medium', 'high']);
export type CheckSeverity = z.infer<typeof CheckSeverity>;

export const Outcome = z.enum(['pass', 'review', 'fail']);
export type Outcome = z.infer<typeof Outcome>;
export const VerdictSeverity = z.enum(['none', 'low', 'medium', 'high']);
export const ClientReady = z.enum(['yes', 'after_edits', 'no']);
export const Decision = z.enum(['approved', 'rejected']);
export type Decision = z.infer<typeof Decision>;
