/**
 * What the console knows of each lane: what a person types to open a Run and to post its execution, and what its receipt makes public.
 * The lanes' own schemas have the last word.
 */

import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';

export interface LaneField {
  /** The member of `inputs`. */
  name: string;
  label: string;
  /** `line` and `text` are strings, `lines` one string per line, `json` any JSON. */
  kind: 'line' | 'text' | 'lines' | 'number' | 'json' | 'choice' | 'flight_sheet';
  optional?: true;
  hint?: string;
  mono?: true;
  /** Of `choice`; of `line` and `lines` suggestions. */
  options?: readonly string[];
  /** Stands beside its neighbour. */
  half?: true;
}

export const LANE_FIELDS: Record<LaneName, readonly LaneField[]> = {
  generic: [
    { name: 'task', label: 'Task', kind: 'text', hint: 'What was asked for, in words.' },
    {
      name: 'kind',
      label: 'Kind of work',
      kind: 'choice',
      optional: true,
      options: ['agent', 'dataset', 'compute', 'other'],
    },
  ],
  eval: [
    { name: 'flight_sheet', label: 'Flight sheet', kind: 'flight_sheet' },
    { name: '', label: 'Inputs that its rules read', kind: 'json', optional: true, hint: 'A JSON object.' },
  ],
  cook: [
    { name: 'base_model', label: 'Base model', kind: 'line', mono: true, half: true },
    { name: 'dataset', label: 'Dataset', kind: 'line', half: true },
    { name: 'pairs', label: 'Training pairs', kind: 'number', half: true },
    { name: 'eval_before', label: 'Score before', kind: 'number', half: true },
  ],
  incident: [
    {
      name: 'kind',
      label: 'Kind',
      kind: 'line',
      half: true,
      options: [
        'policy_violation',
        'unauthorized_access',
        'data_exposure',
        'secret_exposure',
        'prompt_injection',
        'tool_misuse',
        'unsafe_output',
        'budget_overrun',
        'runaway_loop',
        'quality_regression',
        'receipt_mismatch',
        'outage',
      ],
    },
    {
      name: 'tier',
      label: 'Tier',
      kind: 'line',
      half: true,
      options: ['info', 'low', 'medium', 'high', 'critical'],
    },
    { name: 'detail', label: 'What happened', kind: 'text', optional: true },
    { name: 'lane', label: 'Lane it happened in', kind: 'line', optional: true },
    {
      name: 'response',
      label: 'Response',
      kind: 'lines',
      optional: true,
      hint: 'One per line, such as lane_locked, human_approval_required or repair_task_recommended.',
    },
  ],
  'dataset-download': [
    { name: 'name', label: 'Dataset', kind: 'line', half: true },
    { name: 'slug', label: 'Slug', kind: 'line', mono: true, half: true },
    { name: 'version', label: 'Version', kind: 'line', half: true },
    { name: 'granted_to', label: 'Granted to', kind: 'line', half: true },
    { name: 'sha256', label: 'SHA-256 of the package', kind: 'line', mono: true },
    { name: 'size_bytes', label: 'Size in bytes', kind: 'number', half: true },
    { name: 'row_count', label: 'Rows', kind: 'number', half: true },
    { name: 'purpose', label: 'Purpose', kind: 'text', optional: true },
    {
      name: 'expires_at',
      label: 'Ends at',
      kind: 'line',
      optional: true,
      mono: true,
      hint: 'Such as 2027-01-31T00:00:00Z.',
    },
  ],
  'model-pin': [
    { name: 'name', label: 'Model', kind: 'line', half: true },
    { name: 'slug', label: 'Slug', kind: 'line', mono: true, half: true },
    { name: 'base', label: 'Base', kind: 'line', optional: true, half: true },
    { name: 'params_b', label: 'Parameters, in billions', kind: 'number', half: true },
    {
      name: 'card',
      label: 'Model card',
      kind: 'json',
      optional: true,
      hint: 'JSON. Its hash is sealed, not the card.',
    },
    { name: 'card_sha256', label: 'Or the card’s SHA-256', kind: 'line', optional: true, mono: true },
    { name: 'declaration', label: 'Declaration', kind: 'text', optional: true },
    { name: 'client_ref', label: 'Client reference', kind: 'line', optional: true },
  ],
};

/** What the execution of a lane usually says; a member that is left empty is not sent. */
export const EXECUTION_TEMPLATE: Record<LaneName, JsonObject> = {
  generic: { agent_name: '', model_name: '', provider: '', output: '' },
  eval: { agent_name: '', model_name: '', provider: '', output: {} },
  cook: { agent_name: '', model_name: '', eval_after: 0, runner: '', metrics: { duration_seconds: 0 } },
  incident: { agent_name: '', model_name: '' },
  'dataset-download': {},
  'model-pin': {},
};

interface LaneSeals {
  /** The lane's blocks in words: what the public page of the receipt will show. */
  what: string;
  /** Whether the receipt states the verdict. */
  verdict: boolean;
  /** `signed`: by whom, when and with which note; `stated`: that it was approved, and who decided checks by hand. */
  approval: 'signed' | 'stated' | 'nothing';
}

export const LANE_SEALS: Record<LaneName, LaneSeals> = {
  generic: {
    what: 'the title and inputs, the agent, its model and provider, the hash of the output, label, kind, size and hash of each piece of evidence, the checks with their details, the verdict, and this decision',
    verdict: true,
    approval: 'signed',
  },
  eval: {
    what: 'the flight sheet, the hashes of assignment and submission, the agent, its model, provider and profile, label, kind and hash of each piece of evidence, the findings with their details, the verdict, and that it was approved',
    verdict: true,
    approval: 'stated',
  },
  cook: {
    what: 'the title, the base model and its pin, the dataset and pairs, both scores, the lift, the runner, all metrics that were posted, and the cost of the compute',
    verdict: false,
    approval: 'nothing',
  },
  incident: {
    what: 'the title, what happened, its kind, tier and lane, the response, the agent’s name and tier',
    verdict: false,
    approval: 'nothing',
  },
  'dataset-download': {
    what: 'which package was granted to whom, for what and until when, with its hash and size',
    verdict: false,
    approval: 'nothing',
  },
  'model-pin': {
    what: 'the model’s identity, its declaration, your reference and the hash of its card',
    verdict: false,
    approval: 'nothing',
  },
};

/** What may be sealed as a digest instead of in clear: what the lane commits, of what is asked here. */
export function mayBePrivate(lane: LaneName): { path: string; label: string }[] {
  const names = PRIVATE[lane];
  if (names === undefined) return [];
  const inputs = LANE_FIELDS[lane].filter(({ name }) => names === 'any' || names.includes(name));
  const own = inputs.map(({ name, label }) => ({ path: `/inputs/${name}`, label }));
  return lane === 'generic'
    ? [{ path: '/title', label: 'Title' }, ...own, { path: '/note', label: 'Note of the approval' }]
    : own;
}

const PRIVATE: Partial<Record<LaneName, 'any' | readonly string[]>> = {
  generic: 'any',
  'dataset-download': ['slug', 'name', 'version', 'size_bytes', 'row_count', 'granted_to', 'purpose', 'expires_at'],
  'model-pin': ['name', 'base', 'declaration', 'client_ref'],
};

/** `typed` holds what stands in the fields by name. Throws a sentence where JSON or a number cannot be read. */
export function inputsOf(lane: LaneName, typed: Readonly<Record<string, string>>): JsonObject {
  const inputs: JsonObject = {};
  for (const field of LANE_FIELDS[lane]) {
    const text = typed[field.name]?.trim() ?? '';
    if (text === '') continue;
    const value = readField(field, text);
    if (field.name === '') Object.assign(inputs, value);
    else inputs[field.name] = value as JsonObject[string];
  }
  return inputs;
}

function readField({ name, kind, label }: LaneField, text: string): unknown {
  switch (kind) {
    case 'number':
      return readNumber(text, label);
    case 'json': {
      const value = parsedJson(text, label);
      if (name === '' && (typeof value !== 'object' || value === null || Array.isArray(value)))
        throw new Error(`${label}: it has to be an object: { … }.`);
      return value;
    }
    case 'lines':
      return text.split('\n').flatMap((line) => line.trim() || []);
    case 'flight_sheet': {
      const [name = '', version = ''] = text.split('\n');
      return { name, version };
    }
    default:
      return text;
  }
}

/** `1,200` groups thousands. Any other comma is refused: 0,61 would be sealed as 61. */
function readNumber(text: string, label: string): number {
  const plain = /^-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : text;
  const value = Number(plain);
  if (Number.isFinite(value)) return value;
  throw new Error(`${label}: ${text} is no number${text.includes(',') ? '; decimals take a point' : ''}.`);
}

/** Throws one sentence with where it stops being JSON. */
export function parsedJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const place = /position (\d+)/.exec((error as Error).message)?.[1];
    const line = place === undefined ? null : text.slice(0, Number(place)).split('\n').length;
    throw new Error(`${what} is not JSON yet${line === null ? '' : `: look at line ${line}`}.`);
  }
}
