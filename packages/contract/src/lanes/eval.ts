/** The eval lane: a submission against a named flight sheet, decided by a deterministic executor. */
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { z } from 'zod';
import { ContractError } from '../error.ts';
import { FlightSheet } from '../ledger/flight-sheet.ts';
import { signedDetail, unsignedDetail } from '../signer.ts';
import { CheckCategory, CheckSeverity, CheckStatus, Decision, EvidenceKind } from '../vocabulary.ts';
import { Json, type JsonObject, Line, Sha256 } from '../wire.ts';
import { LANE_WORDS } from '../words.ts';
import { AgentProfile, type Assignment, Verdict } from '../work.ts';
import { agent, declaredAgent, notify } from './body.ts';
import type { Lane } from './lane.ts';
import { outputSha256 } from './output.ts';
import * as print from './printed.ts';

/** Unknown members are kept: rules read them as `inputs`. */
const Inputs = z.object({ flight_sheet: z.object({ name: Line, version: Line }), notify }).catchall(Json);
type Inputs = z.infer<typeof Inputs>;

const Execution = z.object({ ...agent, agent_name: Line, output: Json });
type Execution = z.infer<typeof Execution>;

const Blocks = z.strictObject({
  flight_sheet: z.strictObject({ name: z.string(), version: z.string() }),
  assignment: z.strictObject({ title: z.string(), sha256: Sha256 }),
  submission: z.strictObject({ agent_name: z.string(), model_name: z.string(), provider: z.string(), sha256: Sha256 }),
  evidence: z.array(z.strictObject({ kind: EvidenceKind, label: z.string(), sha256: Sha256 })),
  findings: z.array(
    z.strictObject({
      label: z.string(),
      category: CheckCategory,
      status: CheckStatus,
      severity: CheckSeverity,
      detail: z.string(),
    }),
  ),
  verdict: Verdict,
  ownership: z.strictObject({
    agent_created: z.string(),
    audited_by: z.literal('receipt-ledger'),
    referee_logic: z.string(),
    approval: Decision,
  }),
  agent_profile: AgentProfile,
});

/** What the rules may read and the assignment's hash covers: the inputs without the addresses to notify. */
export function assignedInputs(inputs: JsonObject): JsonObject {
  const { notify: _, ...assigned } = inputs;
  return assigned;
}

/** Binds the full sheet and the inputs: SHA-256 over the canonical JSON of `{flight_sheet, inputs}`. */
export function assignmentOf(sheet: FlightSheet, inputs: JsonObject): Assignment {
  const flight_sheet = FlightSheet.parse(sheet);
  return {
    title: flight_sheet.assignment.title,
    sha256: sha256Hex(canonicalize({ flight_sheet, inputs: assignedInputs(inputs) })),
  };
}

/** A finding has no member for who decided it: that stands in its detail. */
function saidOf(detail: Json | undefined) {
  return typeof detail === 'string' ? unsignedDetail(detail) : { detail, decided_by: undefined };
}

export const evaluation: Lane<Inputs, Execution> = {
  name: 'eval',
  ...LANE_WORDS.eval,
  inputs: Inputs,
  execution: Execution,
  agent: declaredAgent,
  sheet: (inputs) => inputs.flight_sheet,
  checks({ inputs, execution, evidence }, executor) {
    if (!executor) throw new ContractError('flight_sheet_missing', 'an evaluation is decided by its flight sheet');
    return executor.run({
      submission: execution.output,
      inputs: assignedInputs(inputs),
      evidence: evidence.map((item) => ({ ...item })),
    });
  },
  output: { in: 'execution', member: 'output', hashed_as: 'value' },
  block({ inputs, execution, evidence, checks, verdict, approval, assignment, agent_profile }) {
    if (!assignment) throw new ContractError('flight_sheet_missing', 'an evaluation is sealed with its assignment');
    const { name, version } = inputs.flight_sheet;
    return {
      flight_sheet: { name, version },
      assignment: { title: assignment.title, sha256: assignment.sha256 },
      submission: {
        agent_name: execution.agent_name,
        model_name: execution.model_name ?? '',
        provider: execution.provider ?? '',
        sha256: outputSha256(execution.output),
      },
      evidence: evidence.map(({ kind, label, sha256 }) => ({ kind, label, sha256 })),
      findings: checks.map(({ label, category, status, severity, detail, decided_by }) => ({
        label,
        category,
        status,
        severity,
        // A finding has these five members (docs/spec.md §6.3): who decided stands before their words.
        detail: signedDetail(decided_by, detail),
      })),
      verdict: { ...verdict },
      ownership: {
        agent_created: execution.agent_name,
        audited_by: 'receipt-ledger',
        referee_logic: `${name} v${version}`,
        approval: approval.decision,
      },
      agent_profile: { ...agent_profile },
    };
  },
  blocks: Blocks,
  print(receipt) {
    const at = (...path: string[]) => print.member(receipt, ...path);
    return {
      title: print.words(at('assignment', 'title')),
      kind: evaluation.label,
      outcome: print.outcome(at('verdict')),
      approval: { decision: print.decision(at('ownership', 'approval')), by: null, at: null, note: '' },
      sections: [
        print.facts('What was evaluated', [
          print.fact('Flight sheet', at('flight_sheet', 'name')),
          print.fact('Version', at('flight_sheet', 'version')),
          print.mono('Assignment SHA-256', at('assignment', 'sha256')),
          print.fact('Submitted by', at('submission', 'agent_name')),
          print.fact('Model', at('submission', 'model_name')),
          print.fact('Provider', at('submission', 'provider')),
          print.mono('Submission SHA-256', at('submission', 'sha256')),
        ]),
        print.verdictSection(at('verdict')),
        print.checksSection('Findings', at('findings'), (finding) => saidOf(print.member(finding, 'detail'))),
        print.evidenceSection(at('evidence')),
        print.facts('Who did what', [
          print.fact('Created by', at('ownership', 'agent_created')),
          print.fact('Audited by', at('ownership', 'audited_by')),
          print.fact('Referee', at('ownership', 'referee_logic')),
          { label: 'Approval', value: print.decision(at('ownership', 'approval')) },
        ]),
        print.facts('Agent', [
          print.fact('Name', at('agent_profile', 'name')),
          print.fact('Model', at('agent_profile', 'model')),
          print.fact('Harness', at('agent_profile', 'harness')),
          print.fact('Capability tier', at('agent_profile', 'capability_tier')),
        ]),
      ],
    };
  },
};
