/** The incident lane: something happened while agents worked, and what was done about it at once. */
import { z } from 'zod';
import { LaneName } from '../vocabulary.ts';
import { Instant, Json, Line } from '../wire.ts';
import { LANE_WORDS } from '../words.ts';
import type { Work } from '../work.ts';
import { agent, declaredAgent, notify, optionalProse } from './body.ts';
import { evidenceAttached, evidenceBytesKnown, evidenceDistinct } from './evidence-rules.ts';
import type { Lane } from './lane.ts';
import * as print from './printed.ts';
import { decide, flag, type LaneRule, pass, plural, quote, skip } from './rule.ts';
import { secretsIn } from './secrets.ts';

const Inputs = z.object({
  kind: Line,
  tier: Line,
  detail: optionalProse,
  lane: z.string().trim().max(200).default(''),
  response: z
    .array(Line)
    .max(50)
    .default(() => []),
  notify,
});
type Inputs = z.infer<typeof Inputs>;

/** What was done; its members are the reporter's and are kept in the Run. */
const Execution = z.object(agent).catchall(Json);
type Execution = z.infer<typeof Execution>;

type IncidentWork = Work<Inputs, Execution>;

const Blocks = z.strictObject({
  incident: z.strictObject({
    id: z.string(),
    kind: z.string(),
    tier: z.string(),
    title: z.string(),
    detail: z.string(),
    lane: z.string(),
    response: z.array(z.string()),
    status: z.literal('open'),
    opened_at: Instant,
  }),
  agent_profile: z.strictObject({ name: z.string(), capability_tier: z.string() }),
});

/** From harmless to grave. Other words are allowed, and the checks say that their rank is not known here. */
export const INCIDENT_TIERS = ['info', 'low', 'medium', 'high', 'critical'] as const;
export const INCIDENT_KINDS = [
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
] as const;
/** What stops an agent or brings a person in, and what puts things right later. */
export const INCIDENT_RESPONSES = ['lane_locked', 'human_approval_required', 'repair_task_recommended'] as const;
const RESTRAINING: readonly string[] = ['lane_locked', 'human_approval_required'];
/** Numbered scales run upward in one house and downward in the next. */
const NUMBERED = /^(?:t|tier|p|sev|s|level|l)?[ _-]?\d$/i;

const kindKnown: LaneRule<IncidentWork> = {
  key: 'kind_known',
  label: 'The kind of incident is a known word',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { kind } }) {
    if ((INCIDENT_KINDS as readonly string[]).includes(kind)) return pass(`${quote(kind)} is a known kind.`);
    if (kind === 'other') return skip('The reporter says that no known kind fits.');
    return flag(`${quote(kind)} is not one of ${INCIDENT_KINDS.join(', ')}, other.`);
  },
};

const tierKnown: LaneRule<IncidentWork> = {
  key: 'tier_known',
  label: 'The tier says how grave it is',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { tier } }) {
    if (rank(tier) >= 0) return pass(`${quote(tier)} is a known tier.`);
    if (NUMBERED.test(tier)) return skip(`${quote(tier)} is a number on a scale whose direction is not known here.`);
    return flag(`${quote(tier)} is not one of ${INCIDENT_TIERS.join(', ')}.`);
  },
};

const responsePresent: LaneRule<IncidentWork> = {
  key: 'response_present',
  label: 'A grave incident was answered',
  category: 'policy',
  severity: 'medium',
  decide({ inputs: { tier, response } }) {
    if (response.length > 0) return pass(`${plural(response.length, 'response')}: ${named(response)}.`);
    if (rank(tier) >= rank('medium')) return flag(`An incident of tier ${quote(tier)} without any response.`);
    return skip(`No response, and tier ${quote(tier)} does not demand one.`);
  },
};

const responseRestrains: LaneRule<IncidentWork> = {
  key: 'response_restrains',
  label: 'A high incident stops the agent or brings a person in',
  category: 'policy',
  severity: 'medium',
  decide({ inputs: { tier, response } }) {
    if (rank(tier) < rank('high')) return skip(`Tier ${quote(tier)} does not demand it.`);
    const found = response.find((word) => RESTRAINING.includes(word));
    return found
      ? pass(`${quote(found)} is among the responses.`)
      : flag(`Neither ${RESTRAINING.join(' nor ')} is among the responses.`);
  },
};

const responsesKnown: LaneRule<IncidentWork> = {
  key: 'responses_known',
  label: 'The responses are known words',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { response } }) {
    if (response.length === 0) return skip('There is no response.');
    const unknown = response.find((word) => !(INCIDENT_RESPONSES as readonly string[]).includes(word));
    return unknown
      ? flag(`${quote(unknown)} is not one of ${INCIDENT_RESPONSES.join(', ')}.`)
      : pass('All responses are known.');
  },
};

const detailGiven: LaneRule<IncidentWork> = {
  key: 'detail_given',
  label: 'The detail says what happened',
  category: 'structure',
  severity: 'medium',
  decide({ inputs: { detail } }) {
    const text = detail.trim();
    if (/^https?:\/\/\S+$/.test(text)) return skip('The detail is only a link: its words are elsewhere.');
    if (text.length < 15) return flag(text === '' ? 'There is no detail.' : `The detail says only ${quote(text)}.`);
    return pass(`The detail has ${plural(text.split(/\s+/).length, 'word')}.`);
  },
};

const laneNamed: LaneRule<IncidentWork> = {
  key: 'lane_named',
  label: 'The lane it happened in is named',
  category: 'structure',
  severity: 'low',
  decide({ inputs: { lane } }) {
    if (lane === '') return flag('No lane is named.');
    if (LaneName.safeParse(lane).success) return pass(`It happened in the lane ${quote(lane)}.`);
    return skip(`${quote(lane)} is a lane that this ledger does not know.`);
  },
};

const agentNamed: LaneRule<IncidentWork> = {
  key: 'agent_named',
  label: 'The agent is named',
  category: 'policy',
  severity: 'low',
  decide({ inputs: { kind }, agent_profile: { name } }) {
    if (name !== '' && name !== 'undeclared') return pass(`The agent is ${quote(name)}.`);
    return kind === 'outage' ? skip('An outage may have no agent.') : flag('No agent is named.');
  },
};

const noSecrets: LaneRule<IncidentWork> = {
  key: 'no_secrets',
  label: 'No secret is in plain sight',
  category: 'policy',
  severity: 'high',
  decide({ run, inputs: { kind, tier, lane, detail, response } }) {
    const found = secretsIn([run.title, kind, tier, lane, detail, ...response].join('\n'));
    if (found.length > 0) return flag(`This looks like ${found.join(' and ')}. Take it out and revoke it.`);
    return detail === ''
      ? skip('There is no detail to search.')
      : pass('No key, token or password was found in what would be published.');
  },
};

export const incidentRules: readonly LaneRule<IncidentWork>[] = [
  kindKnown,
  tierKnown,
  detailGiven,
  laneNamed,
  responsePresent,
  responseRestrains,
  responsesKnown,
  agentNamed,
  noSecrets,
  evidenceAttached('low'),
  evidenceBytesKnown,
  evidenceDistinct,
];

/** The first five, and how many there are besides. */
function named(response: readonly string[]): string {
  const more = response.length > 5 ? ` and ${response.length - 5} more` : '';
  return `${response.slice(0, 5).join(', ')}${more}`;
}

/** −1 for a word that is no known tier. */
function rank(tier: string): number {
  return (INCIDENT_TIERS as readonly string[]).indexOf(tier.toLowerCase());
}

/** An incident has the unique part of its Run's id: one Run, one incident. */
function incidentId(runId: string): string {
  return `inc_${runId.replace(/^run_/, '')}`;
}

export const incident: Lane<Inputs, Execution> = {
  name: 'incident',
  ...LANE_WORDS.incident,
  inputs: Inputs,
  execution: Execution,
  agent: declaredAgent,
  checks: (work) => decide(incidentRules, work),
  block({ run, inputs: { kind, tier, detail, lane, response }, agent_profile: { name, capability_tier } }) {
    return {
      incident: {
        id: incidentId(run.id),
        kind,
        tier,
        title: run.title,
        detail,
        lane,
        response: [...response],
        status: 'open',
        opened_at: run.created_at,
      },
      agent_profile: { name, capability_tier },
    };
  },
  blocks: Blocks,
  print(receipt) {
    const at = (name: string) => print.member(receipt, 'incident', name);
    return {
      title: print.words(at('title')),
      kind: incident.label,
      outcome: null,
      approval: null,
      sections: [
        print.facts('What happened', [
          { label: 'Kind', value: print.sentence(at('kind')) },
          { label: 'Tier', value: print.sentence(at('tier')) },
          print.fact('Lane', at('lane')),
          { label: 'Status', value: print.sentence(at('status')) },
          { label: 'Opened', value: print.instant(at('opened_at')) },
          print.mono('Incident', at('id')),
        ]),
        ...print.text('Detail', at('detail')),
        print.facts('Response', responses(at('response'))),
        print.facts('Agent', [
          print.fact('Name', print.member(receipt, 'agent_profile', 'name')),
          print.fact('Capability tier', print.member(receipt, 'agent_profile', 'capability_tier')),
        ]),
      ],
    };
  },
};

function responses(value: Json | undefined): { label: string; value: string }[] {
  const taken = print.list(value);
  if (taken.length === 0) return [{ label: 'Response', value: 'None' }];
  return taken.map((word, index) => ({
    label: taken.length > 1 ? `Response ${index + 1}` : 'Response',
    value: print.sentence(word),
  }));
}
