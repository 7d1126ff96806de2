/** Works for the lanes' tests: one sound work per lane, and small changes to it. */
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import type { Lane } from '../../src/lanes/lane.ts';
import { LANES } from '../../src/lanes/registry.ts';
import { DEFAULT_PRICES, priceTable } from '../../src/prices.ts';
import { verdict } from '../../src/verdict.ts';
import type { LaneName } from '../../src/vocabulary.ts';
import type { JsonObject } from '../../src/wire.ts';
import type { ApprovedWork, EvidenceFact, Work } from '../../src/work.ts';

const PRICES = priceTable(DEFAULT_PRICES);
export const CREATED_AT = '2026-05-29T20:14:33.123Z';
export const MINTED_AT = '2026-05-29T20:20:00.000Z';

/** What a test changes on a sound work. Inputs and execution are bodies as a client posts them. */
export interface Change {
  title?: string;
  inputs?: JsonObject;
  execution?: JsonObject;
  evidence?: EvidenceFact[];
  agent?: { name?: string; model?: string };
}

export function evidence(label: string, kind: EvidenceFact['kind'] = 'file', content = label): EvidenceFact {
  return { kind, label, sha256: sha256Hex(content), content_type: 'text/plain', byte_size: content.length };
}

const card = { name: 'Llama 3.1 8B', license: 'llama3.1', trained_on: 'public text' };

export const SOUND: Record<LaneName, { inputs: JsonObject; execution: JsonObject; evidence: EvidenceFact[] }> = {
  generic: {
    inputs: { task: 'Summarize the attached quarterly report for the board', kind: 'agent' },
    execution: {
      agent_name: 'report-writer',
      model_name: 'example-model-1',
      provider: 'example',
      output: {
        summary: 'Revenue rose by four percent, as q1-report shows.',
        items: [{ amount: 10.1 }, { amount: 0.2 }],
        total: 10.3,
      },
      started_at: '2026-05-29T20:00:00Z',
      finished_at: '2026-05-29T20:01:00Z',
    },
    evidence: [evidence('q1-report.pdf'), evidence('trace.txt', 'log')],
  },
  eval: {
    inputs: { flight_sheet: { name: 'machine-benchmark', version: '1.0.0' }, machine: 'build-7' },
    execution: { agent_name: 'bench', model_name: 'none', provider: 'example', output: { rate: 12.5 } },
    evidence: [evidence('raw.log', 'log')],
  },
  cook: {
    inputs: { base_model: 'llama-3.1-8b', dataset: 'support-comments 2026.05', pairs: 1200, eval_before: 0.6 },
    execution: {
      eval_after: 0.7,
      runner: 'rtx6000_blackwell_96gb',
      metrics: {
        duration_seconds: 5400,
        billed_seconds: 5400,
        lift: 0.1,
        eval_before: 0.6,
        started_at: '2026-05-29T18:00:00Z',
        finished_at: '2026-05-29T19:30:00Z',
      },
      compute_usd: 7.5,
    },
    evidence: [evidence('train.log', 'log'), evidence('eval.json')],
  },
  incident: {
    inputs: {
      kind: 'tool_misuse',
      tier: 'high',
      detail: 'The agent called the payment tool twice for one invoice.',
      lane: 'generic',
      response: ['lane_locked', 'human_approval_required'],
    },
    execution: { agent_name: 'payer' },
    evidence: [evidence('calls.log', 'log'), evidence('invoice.pdf')],
  },
  'dataset-download': {
    inputs: {
      slug: 'support-comments',
      name: 'Support comments',
      version: '2026.05',
      sha256: sha256Hex('support-comments'),
      size_bytes: 16,
      row_count: 3,
      granted_to: 'Acme Research',
      purpose: 'Fine-tuning of an internal model',
      expires_at: '2026-08-29T00:00:00+02:00',
    },
    execution: {},
    evidence: [evidence('support-comments'), evidence('licence.txt')],
  },
  'model-pin': {
    inputs: {
      slug: 'llama-3.1-8b',
      name: 'Llama 3.1 8B',
      base: 'llama-3.1',
      params_b: 8.03,
      card,
      card_sha256: sha256Hex(canonicalize(card)),
      declaration: 'The model our support agents run on.',
      client_ref: 'ACME-7',
    },
    execution: {},
    evidence: [evidence('weights.txt', 'log'), evidence('card.json')],
  },
};

/** Parsed by the lane's own schemas, as the ledger does it. Throws where a body is refused. */
export function workOf(name: LaneName, change: Change = {}): Work<JsonObject, JsonObject> {
  const lane = LANES[name];
  const sound = SOUND[name];
  const execution = lane.execution.parse({ ...sound.execution, ...change.execution });
  const declared = { name: 'undeclared', capability_tier: 'undeclared', harness: 'undeclared', model: 'undeclared' };
  return {
    run: { id: 'run_0190a1b2c3d4', lane: name, title: change.title ?? 'A piece of work', created_at: CREATED_AT },
    inputs: lane.inputs.parse({ ...sound.inputs, ...change.inputs }),
    execution,
    evidence: change.evidence ?? sound.evidence,
    agent_profile: { ...declared, ...lane.agent(execution), ...change.agent },
    price: lane.runs_on ? PRICES.of(lane.runs_on(execution)) : null,
  };
}

export function approved(lane: Lane, work: Work<JsonObject, JsonObject>): ApprovedWork<JsonObject, JsonObject> {
  const checks = lane.checks(work, { run: () => [] });
  return {
    ...work,
    checks,
    verdict: verdict(checks),
    approval: { decision: 'approved', approved_by: 'nightly', approver_id: 'key_1', note: '', approved_at: MINTED_AT },
    assignment: { title: 'Measure this machine', sha256: sha256Hex('assignment') },
  };
}

/** The lane's block as it is sealed at the instant of minting. */
export function sealedBlock(lane: Lane, work: Work<JsonObject, JsonObject>): JsonObject {
  const block = lane.block(approved(lane, work));
  return { ...block, ...lane.complete?.({ created_at: MINTED_AT, pinned_model: null }, () => block) };
}
