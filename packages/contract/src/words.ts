/** The closed word lists of both wires as plain values. The schemas are made of them; a browser loads them alone. */
export const LANE_NAMES = ['generic', 'eval', 'cook', 'incident', 'dataset-download', 'model-pin'] as const;
/** In the order a Run passes them. */
export const STAGES = ['Inputs', 'Evidence', 'Execution', 'Checks', 'Verdict', 'Approval', 'Receipt'] as const;
export const ROLES = ['agent', 'approver', 'auditor', 'owner'] as const;
export const EVIDENCE_KINDS = ['file', 'note', 'url', 'observation', 'tool_output', 'model_output', 'log'] as const;
export const CHECK_CATEGORIES = ['structure', 'schema', 'math', 'evidence', 'policy'] as const;
export const CHECK_SEVERITIES = ['low', 'medium', 'high'] as const;
export const OUTCOMES = ['pass', 'review', 'fail'] as const;

export const JOB_TYPES = ['inference', 'fine_tune', 'eval', 'dataset_build', 'embedding', 'batch'] as const;
export const JOB_STATUSES = ['queued', 'leased', 'running', 'completed', 'failed', 'canceled'] as const;
