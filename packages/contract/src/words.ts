/** The closed word lists of both wires as plain values. The schemas are made of them; a browser loads them alone. */

/** The lanes: the schema id of each one's receipts, and its name as people read it. */
export const LANE_WORDS = {
  generic: { schema: 'service.receipt/v1', label: 'Run' },
  eval: { schema: 'service.eval-receipt/v1', label: 'Evaluation' },
  cook: { schema: 'service.cook-receipt/v1', label: 'Fine-tune lift' },
  incident: { schema: 'service.incident-receipt/v1', label: 'Incident' },
  'dataset-download': { schema: 'service.dataset-download-receipt/v1', label: 'Dataset download' },
  'model-pin': { schema: 'service.model-pin-receipt/v1', label: 'Model pin' },
} as const;
export const LANE_NAMES = Object.keys(LANE_WORDS) as (keyof typeof LANE_WORDS)[];

/** In the order a Run passes them. */
export const STAGES = ['Inputs', 'Evidence', 'Execution', 'Checks', 'Verdict', 'Approval', 'Receipt'] as const;
export const ROLES = ['agent', 'approver', 'auditor', 'owner'] as const;
export const EVIDENCE_KINDS = ['file', 'note', 'url', 'observation', 'tool_output', 'model_output', 'log'] as const;
export const CHECK_CATEGORIES = ['structure', 'schema', 'math', 'evidence', 'policy'] as const;
export const CHECK_SEVERITIES = ['low', 'medium', 'high'] as const;
export const OUTCOMES = ['pass', 'review', 'fail'] as const;

export const JOB_TYPES = ['inference', 'fine_tune', 'eval', 'dataset_build', 'embedding', 'batch'] as const;
export const JOB_STATUSES = ['queued', 'leased', 'running', 'completed', 'failed', 'canceled'] as const;

/** Whether people sign approvals with their passkeys. */
export const PASSKEY_APPROVALS = ['off', 'offered', 'required'] as const;
