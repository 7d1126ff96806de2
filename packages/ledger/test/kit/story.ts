/** Pieces of work, one per lane, and their way from Inputs to Approval. */
import type { LaneName, Stage } from '@rcpt/contract/vocabulary.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import type { Answer, Tenant } from './running.ts';

/** A sheet of two rules for tests that need an evaluation but not a particular one. */
export const SHEET = {
  name: 'arithmetic',
  version: '1.0.0',
  title: 'Arithmetic',
  assignment: { title: 'Add two numbers', instructions: 'State a, b and their sum.' },
  output_schema: {
    type: 'object',
    required: ['a', 'b', 'sum'],
    properties: { a: { type: 'number' }, b: { type: 'number' }, sum: { type: 'number' } },
  },
  rules: [
    {
      id: 'sum-holds',
      label: 'a + b is the sum',
      category: 'math',
      severity: 'high',
      expr: 'submission.a + submission.b == submission.sum',
    },
    {
      id: 'not-negative',
      label: 'The sum is not negative',
      category: 'policy',
      severity: 'low',
      expr: 'submission.sum >= 0.0',
    },
  ],
  pass_threshold: 80,
  fail_threshold: 40,
};

const HASH = '5e'.repeat(32);

export const WORK: Record<LaneName, { inputs: Record<string, unknown>; execution: Record<string, unknown> }> = {
  generic: {
    inputs: { task: 'Summarize the visit report', kind: 'agent' },
    execution: {
      agent_name: 'scribe',
      model_name: 'small-1',
      provider: 'local',
      output: 'The roof needs two new tiles.',
    },
  },
  eval: {
    inputs: { flight_sheet: { name: SHEET.name, version: SHEET.version } },
    execution: { agent_name: 'adder', model_name: 'small-1', provider: 'local', output: { a: 2, b: 3, sum: 5 } },
  },
  cook: {
    inputs: { base_model: 'acme/tiny-1b', dataset: 'support-chat', pairs: 1200, eval_before: 0.61 },
    execution: { eval_after: 0.74, runner: 'rog_astral_5090_32gb', metrics: { duration_seconds: 5400 } },
  },
  incident: {
    inputs: {
      kind: 'tool_misuse',
      tier: 'high',
      detail: 'The agent called a payment tool outside its lane.',
      lane: 'generic',
      response: ['lane_locked', 'human_approval_required'],
    },
    execution: {},
  },
  'dataset-download': {
    inputs: {
      slug: 'support-chat',
      name: 'Support chat',
      version: '2.1.0',
      sha256: HASH,
      size_bytes: 1_048_576,
      row_count: 1200,
      granted_to: 'Acme GmbH',
      purpose: 'fine-tuning',
    },
    execution: {},
  },
  'model-pin': {
    inputs: {
      slug: 'acme/tiny-1b',
      name: 'Acme Tiny',
      base: 'open-llama',
      params_b: 1,
      card_sha256: HASH,
      declaration: 'This is the model we mean.',
    },
    execution: {},
  },
};

export interface Change {
  title?: string;
  inputs?: object;
  execution?: object;
}

/** Opens a Run and takes it as far as `stage`; returns its id. The eval lane's sheet is published when missing. */
export async function runAt(
  tenant: Tenant,
  stage: Stage,
  lane: LaneName = 'generic',
  change: Change = {},
): Promise<string> {
  const agent = tenant.as('agent');
  const approver = tenant.as('approver');
  if (lane === 'eval') await tenant.as('owner')('POST', '/flight-sheets', SHEET);
  const { inputs, execution } = WORK[lane];
  const { id } = await agent('POST', '/runs', {
    lane,
    title: change.title ?? `A ${lane} Run`,
    inputs: { ...inputs, ...change.inputs },
  });
  const calls: Record<Stage, () => Promise<unknown>> = {
    Inputs: async () => {},
    Evidence: () =>
      agent('POST', `/runs/${id}/evidence`, { kind: 'note', label: 'What was seen', content: 'seen with own eyes' }),
    Execution: () => agent('POST', `/runs/${id}/execution`, { ...execution, ...change.execution }),
    Checks: () => agent('POST', `/runs/${id}/checks`),
    Verdict: async () => {
      const { checks } = await agent('GET', `/runs/${id}`);
      for (const check of checks as { key: string; status: string }[])
        if (check.status === 'open') await approver('PATCH', `/runs/${id}/checks/${check.key}`, { status: 'pass' });
      await agent('POST', `/runs/${id}/verdict`);
    },
    Approval: () => approver('POST', `/runs/${id}/approval`, { decision: 'approved' }),
    Receipt: () => approver('POST', `/runs/${id}/receipt`),
  };
  for (const passed of STAGES.slice(0, STAGES.indexOf(stage) + 1)) await calls[passed]();
  return id;
}

/** A Run that only waits to be minted. */
export function approvedRun(tenant: Tenant, lane: LaneName = 'generic', change: Change = {}): Promise<string> {
  return runAt(tenant, 'Approval', lane, change);
}

/** The minted envelope. */
export async function mintedReceipt(
  tenant: Tenant,
  lane: LaneName = 'generic',
  change: Change = {},
): Promise<Answer['json']> {
  const id = await approvedRun(tenant, lane, change);
  return tenant.as('approver')('POST', `/runs/${id}/receipt`);
}
