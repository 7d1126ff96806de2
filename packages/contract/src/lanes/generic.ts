/** The generic lane: any work. Its checks are heuristics; what they cannot decide they say so. */
import { z } from 'zod';
import { type EvidenceKind, LaneName } from '../vocabulary.ts';
import { Json, JsonObject, Prose, Sha256 } from '../wire.ts';
import { LANE_WORDS } from '../words.ts';
import { Approval, Check, EvidenceFact, Verdict, type Work } from '../work.ts';
import { agent, declaredAgent, notify } from './body.ts';
import { type Claim, isEmpty, numberClaims, textsOf, timeClaims } from './claims.ts';
import { evidenceAttached, evidenceBytesKnown, evidenceDistinct } from './evidence-rules.ts';
import type { Lane } from './lane.ts';
import { sealOutput } from './output.ts';
import * as print from './printed.ts';
import { decide, type Finding, flag, type LaneRule, pass, plural, quote, skip } from './rule.ts';
import { secretsIn } from './secrets.ts';

/** Unknown members are kept: the task is theirs to describe. */
const Inputs = z
  .object({ task: Prose.trim().min(1), kind: z.enum(['agent', 'dataset', 'compute', 'other']).optional(), notify })
  .catchall(Json);
type Inputs = z.infer<typeof Inputs>;

const Execution = z.object({ ...agent, output: Json.optional() }).catchall(Json);
type Execution = z.infer<typeof Execution>;

type GenericWork = Work<Inputs, Execution>;

const Blocks = z.strictObject({
  run: z.strictObject({ id: z.string(), lane: LaneName, title: z.string(), inputs: JsonObject }),
  execution: z.strictObject({
    agent_name: z.string(),
    model_name: z.string(),
    provider: z.string(),
    output_sha256: z.union([z.literal(''), Sha256]),
    output_bytes: z.int().nonnegative(),
  }),
  evidence: z.array(EvidenceFact),
  checks: z.array(Check),
  verdict: Verdict,
  approval: Approval,
});

const REFERENCE = /^(?:https?:\/\/\S+|[A-Za-z]{2,10}[-_ ]?#?\d+|#\d+)$/;
const UNFINISHED = [
  /\bTODO\b/,
  /\bFIXME\b/,
  /\bTBD\b/,
  /\bXXX\b/,
  /lorem ipsum/i,
  /\[(?:insert|placeholder|your|fill in)\b[^\]\n]{0,60}\]/i,
  /<(?:insert|placeholder|your)[ _-][^>\n]{0,60}>/i,
  /\{\{[^{}\n]{1,60}\}\}/,
  /\bas an ai (?:language )?model\b/i,
];
/** What is looked through for the names of evidence: every name costs a pass over the text. */
const SEARCHED_TEXT = 100_000;
const SEARCHED_ITEMS = 100;
const FITTING = {
  agent: ['file', 'url', 'observation', 'tool_output', 'model_output', 'log'],
  compute: ['file', 'log', 'tool_output', 'observation'],
  dataset: ['file', 'url', 'log', 'tool_output'],
} satisfies Record<string, EvidenceKind[]>;

const TASK = '/inputs/task';
const KIND = '/inputs/kind';

const taskDescribed: LaneRule<GenericWork> = {
  key: 'task_described',
  label: 'The task is described',
  category: 'structure',
  severity: 'low',
  decide({ inputs, private_paths }) {
    const task = inputs.task.trim();
    if (isPrivate(private_paths, TASK)) return skip('The task is private: what is said of it would be sealed.');
    if (REFERENCE.test(task)) return skip(`The task is only a reference, ${quote(task)}: its words are elsewhere.`);
    const count = task.split(/\s+/).length;
    if (count < 2 && task.length < 12) return flag(`The task is one short word, ${quote(task)}.`);
    return pass(`The task is described in ${plural(count, 'word')}.`);
  },
};

const outputPresent: LaneRule<GenericWork> = {
  key: 'output_present',
  label: 'There is an output',
  category: 'structure',
  severity: 'medium',
  decide({ inputs, execution, evidence, private_paths }) {
    if (!isEmpty(execution.output)) return pass('The execution has an output.');
    if (isPrivate(private_paths, KIND) && execution.output === undefined && evidence.length > 0)
      return skip('The kind of work is private: what it made may be the attached evidence.');
    if (execution.output === undefined && isProduct(inputs.kind) && evidence.length > 0) {
      return skip(`Work of kind ${inputs.kind}: what it made is the attached evidence.`);
    }
    return flag(execution.output === undefined ? 'The execution has no output.' : 'The output is empty.');
  },
};

const agentDeclared: LaneRule<GenericWork> = {
  key: 'agent_declared',
  label: 'The agent and its model are declared',
  category: 'policy',
  severity: 'low',
  decide({ inputs, agent_profile, private_paths }) {
    const { name, model } = agent_profile;
    const declared = [name, model].map((word) => word !== '' && word !== 'undeclared');
    if (declared[0] && declared[1]) return pass(`Agent ${quote(name)}, model ${quote(model)}.`);
    if (isPrivate(private_paths, KIND) && !declared[0])
      return skip('The kind of work is private: it may be one without an agent.');
    if (isProduct(inputs.kind) && !declared[0]) return skip(`Work of kind ${inputs.kind} may have no agent.`);
    return flag(
      declared[0] ? `Agent ${quote(name)} does not say which model it used.` : 'Nobody is declared as the agent.',
    );
  },
};

const evidenceFits: LaneRule<GenericWork> = {
  key: 'evidence_fits_kind',
  label: 'The evidence suits this kind of work',
  category: 'evidence',
  severity: 'low',
  decide({ inputs, evidence, private_paths }) {
    if (evidence.length === 0) return skip('No evidence is attached.');
    if (isPrivate(private_paths, KIND)) return skip('The kind of work is private: what is said of it would be sealed.');
    if (inputs.kind === undefined || inputs.kind === 'other')
      return skip('The kind of work is not declared, so any evidence may suit.');
    const fitting: readonly string[] = FITTING[inputs.kind];
    const found = evidence.find((item) => fitting.includes(item.kind));
    if (found) return pass(`${quote(found.label)} (${words(found.kind)}) suits work of kind ${inputs.kind}.`);
    return flag(`Work of kind ${inputs.kind} is usually shown by ${fitting.map(words).join(', ')}; none is attached.`);
  },
};

const outputRefers: LaneRule<GenericWork> = {
  key: 'output_refers_to_evidence',
  label: 'The output refers to its evidence',
  category: 'evidence',
  severity: 'low',
  decide({ execution, evidence }) {
    const whole = textsOf(execution.output);
    if (whole === '' || evidence.length === 0) return skip('There is no text or no evidence to compare.');
    const text = whole.slice(0, SEARCHED_TEXT).toLowerCase();
    const searchable = evidence.filter((item) => item.label.trim().length >= 3);
    const found = evidence
      .slice(0, SEARCHED_ITEMS)
      .find((item) => text.includes(item.sha256.slice(0, 12)) || namesOf(item).some((name) => text.includes(name)));
    if (found) return pass(`The output names ${quote(found.label)}.`);
    if (whole.length > SEARCHED_TEXT || evidence.length > SEARCHED_ITEMS)
      return skip('There is too much text or evidence to look through all of it.');
    if (searchable.length === 0) return skip('The labels of the evidence are too short to look for.');
    return flag(`The output names none of ${plural(evidence.length, 'item')} of evidence by label or hash.`);
  },
};

const outputFinished: LaneRule<GenericWork> = {
  key: 'output_finished',
  label: 'The output has no unfinished passages',
  category: 'structure',
  severity: 'medium',
  decide({ inputs, execution, private_paths }) {
    const text = textsOf(execution.output);
    if (text === '') return skip('The output has no text.');
    const found = UNFINISHED.map((pattern) => pattern.exec(text)?.[0]).filter((seen) => seen !== undefined);
    const [first] = found;
    if (first === undefined) return pass('No placeholder or unfinished passage was found.');
    if (found.every((seen) => inputs.task.toLowerCase().includes(seen.toLowerCase()))) {
      const said = isPrivate(private_paths, TASK) ? 'something unfinished' : quote(first);
      return skip(`The output says ${said}, and so does the task: it may be meant.`);
    }
    return flag(`The output still says ${quote(first)}.`);
  },
};

const outputIsNew: LaneRule<GenericWork> = {
  key: 'output_is_not_the_task',
  label: 'The output is more than the task repeated',
  category: 'structure',
  severity: 'medium',
  decide({ inputs, execution }) {
    const said = plainWords(textsOf(execution.output));
    const asked = plainWords(inputs.task);
    if (said === '') return skip('The output has no text.');
    if (asked.length < 12) return skip('The task is too short to compare with.');
    return said === asked || asked.includes(said)
      ? flag('The output only repeats the task.')
      : pass('The output differs from the task.');
  },
};

const noSecrets: LaneRule<GenericWork> = {
  key: 'no_secrets',
  label: 'No secret is in plain sight',
  category: 'policy',
  severity: 'high',
  decide({ run, inputs, execution }) {
    const { notify: _, ...sealed } = inputs;
    const text = [run.title, textsOf(sealed), textsOf(execution)].join('\n');
    const found = secretsIn(text);
    if (found.length > 0) return flag(`This looks like ${found.join(' and ')}. Take it out and revoke it.`);
    if (isEmpty(execution.output)) return skip('There is no output to search; the inputs are clean.');
    return pass('No key, token or password was found in title, inputs and execution.');
  },
};

const numbersAddUp: LaneRule<GenericWork> = {
  key: 'numbers_add_up',
  label: 'Totals and counts in the output add up',
  category: 'math',
  severity: 'medium',
  decide: ({ execution }) =>
    claimed(numberClaims(execution.output ?? null), 'The output states no total and no count of a list.'),
};

const timesInOrder: LaneRule<GenericWork> = {
  key: 'times_in_order',
  label: 'Start, finish and duration agree',
  category: 'math',
  severity: 'medium',
  decide: ({ execution }) => claimed(timeClaims(execution), 'The execution states no start and finish.'),
};

export const genericRules: readonly LaneRule<GenericWork>[] = [
  taskDescribed,
  outputPresent,
  outputFinished,
  outputIsNew,
  numbersAddUp,
  timesInOrder,
  evidenceAttached('medium'),
  evidenceBytesKnown,
  evidenceDistinct,
  evidenceFits,
  outputRefers,
  agentDeclared,
  noSecrets,
];

function isPrivate(paths: readonly string[] = [], path: string): boolean {
  return paths.includes(path);
}

function claimed(claims: Claim[], none: string): Finding {
  const wrong = claims.find((claim) => claim.agrees === false);
  if (wrong) return flag(`${wrong.detail}.`);
  const right = claims.filter((claim) => claim.agrees);
  const [first] = right;
  if (first)
    return pass(right.length > 1 ? `${right.length} claims agree; first: ${first.detail}.` : `${first.detail}.`);
  return skip(claims[0] ? `Undecided: ${claims[0].detail}.` : none);
}

function isProduct(kind: string | undefined): boolean {
  return kind === 'dataset' || kind === 'compute';
}

/** The label, and a file name also without its folder and ending. */
function namesOf(item: EvidenceFact): string[] {
  const label = item.label.trim().toLowerCase();
  const file = label.split('/').at(-1) ?? '';
  return [label, file, file.replace(/\.[a-z0-9]{1,5}$/, '')].filter((name) => name.length >= 3);
}

function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function words(kind: string): string {
  return kind.replaceAll('_', ' ');
}

export const generic: Lane<Inputs, Execution> = {
  name: 'generic',
  ...LANE_WORDS.generic,
  inputs: Inputs,
  execution: Execution,
  agent: declaredAgent,
  commits: { title: true, note: true, inputs: 'any' },
  output: { in: 'execution', member: 'output', hashed_as: 'value' },
  checks: (work) => decide(genericRules, work),
  block({ run, inputs, execution, evidence, checks, verdict, approval }) {
    const { notify: _, ...sealed } = inputs;
    return {
      run: { id: run.id, lane: run.lane, title: run.title, inputs: sealed },
      execution: {
        agent_name: execution.agent_name ?? '',
        model_name: execution.model_name ?? '',
        provider: execution.provider ?? '',
        ...sealOutput(execution.output),
      },
      evidence: evidence.map(({ kind, label, sha256, content_type, byte_size }) => ({
        kind,
        label,
        sha256,
        content_type,
        byte_size,
      })),
      checks: checks.map(({ key, label, category, status, severity, detail, decided_by }) => ({
        key,
        label,
        category,
        status,
        severity,
        detail,
        decided_by,
      })),
      verdict: { ...verdict },
      approval: { ...approval },
    };
  },
  blocks: Blocks,
  print(receipt) {
    const run = print.block(receipt, 'run');
    const verdict = print.block(receipt, 'verdict');
    const approval = print.block(receipt, 'approval');
    const { task, ...others } = (print.member(run, 'inputs') ?? {}) as JsonObject;
    const approvedAt = print.member(approval, 'approved_at');
    return {
      title: print.titleWords(print.member(run, 'title')),
      kind: generic.label,
      outcome: print.outcome(verdict),
      approval: {
        decision: print.decision(print.member(approval, 'decision')),
        by: print.signer(print.member(approval, 'approved_by'), print.member(approval, 'approver_id')),
        at: approvedAt === undefined ? null : print.instant(approvedAt),
        note: (print.member(approval, 'note') as string | undefined) ?? '',
      },
      sections: [
        ...print.text('Task', task),
        ...print.members('Inputs', others),
        ...print.committed(receipt),
        workSection(print.block(receipt, 'execution')),
        print.verdictSection(verdict),
        print.checksSection('Checks', print.block(receipt, 'checks')),
        print.evidenceSection(print.block(receipt, 'evidence')),
        print.facts('Run', [print.mono('Run', print.member(run, 'id')), print.fact('Lane', print.member(run, 'lane'))]),
      ],
    };
  },
};

/** Who did the work, and the hash of what they delivered. */
function workSection(execution: Json | undefined) {
  const hash = print.member(execution, 'output_sha256');
  const bytes = print.member(execution, 'output_bytes');
  const output =
    hash === ''
      ? [{ label: 'Output', value: 'None was posted' }]
      : [
          print.mono('Output SHA-256', hash),
          { label: 'Output size', value: typeof bytes === 'number' ? print.byteSize(bytes) : print.words(bytes) },
        ];
  return print.facts('The work', [
    print.fact('Agent', print.member(execution, 'agent_name')),
    print.fact('Model', print.member(execution, 'model_name')),
    print.fact('Provider', print.member(execution, 'provider')),
    ...output,
  ]);
}
