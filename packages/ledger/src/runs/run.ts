/** A Run and the rules of its seven stages. Pure: a value or a coded refusal goes out. */
import type { Commitments } from '@rcpt/contract/lanes/private.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { Run as PublicRun, StageMark } from '@rcpt/contract/ledger/runs.ts';
import type { GpuPrice } from '@rcpt/contract/prices.ts';
import type { Stage } from '@rcpt/contract/vocabulary.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import type { AgentProfile, Assignment } from '@rcpt/contract/work.ts';
import { refuse } from '../problems.ts';

/** What is stored beyond what is shown. */
export interface Run extends Omit<PublicRun, 'agent_profile' | 'private'> {
  /** What is sealed by a digest, and the hash of an output that was erased; null: neither. */
  commitments: Commitments | null;
  /** The stored profile it was opened with, else, from the Execution stage on, what the execution declared; null before. */
  agent_profile: AgentProfile | null;
  notify: string[];
  /** The credential that posted the execution. */
  executed_by: string | null;
  assignment: Assignment | null;
  /** What the checks priced by; the receipt is priced by the same. */
  price: GpuPrice | null;
  /** What was approved, to the byte: the lane's blocks as they will be sealed, as canonical JSON. */
  approved_block: string | null;
  /** SHA-256 of `approved_block`. */
  approved_sha256: string | null;
}

/** Throws `run_stage_conflict` unless the Run is at one of `stages`. */
export function requireStage(run: Pick<Run, 'stage' | 'approval'>, ...stages: [Stage, ...Stage[]]): void {
  if (stages.includes(run.stage)) return;
  const needed = stages.join(' or ');
  const final = run.approval?.decision === 'rejected' ? ' It was rejected, which is final.' : '';
  throw refuse('run_stage_conflict', `The Run is at ${run.stage}; this call needs it at ${needed}.${final}`, {
    stage: run.stage,
    needed_stage: stages.at(-1),
  });
}

/** The marks after `stage` was reached; stages that were passed without a call of their own are marked too. */
export function reach(marks: StageMark[], stage: Stage, at: string, by: string): StageMark[] {
  const reached = marks.length === 0 ? -1 : STAGES.indexOf(marks.at(-1)!.stage);
  const passed = STAGES.slice(reached + 1, STAGES.indexOf(stage) + 1);
  return [...marks, ...passed.map((name) => ({ stage: name, at, by }))];
}

export const UNDECLARED = 'undeclared';

/** Always strings: the Run's own, else what the execution names, else `undeclared`. */
export function profileOf(run: Pick<Run, 'agent_profile'>, named: Partial<AgentProfile>): AgentProfile {
  if (run.agent_profile !== null) return run.agent_profile;
  const { name, capability_tier, harness, model } = named;
  return {
    name: name || UNDECLARED,
    capability_tier: capability_tier || UNDECLARED,
    harness: harness || UNDECLARED,
    model: model || UNDECLARED,
  };
}

/** The Run as its organization sees it. */
export function showRun(run: Run): PublicRun {
  const { notify: _, executed_by: __, assignment: ___, price: ____, ...rest } = run;
  const { approved_block: _____, approved_sha256: ______, commitments: _______, ...shown } = rest;
  const agent_profile = profileOf(run, LANES[run.lane].agent(run.execution ?? {}));
  const paths = privatePathsOf(run);
  return { ...shown, agent_profile, ...(paths.length > 0 && { private: paths }) };
}

/** What is sealed by a digest. */
export function privatePathsOf({ commitments }: Pick<Run, 'commitments'>): string[] {
  return (commitments?.members ?? []).map(({ path }) => path);
}
