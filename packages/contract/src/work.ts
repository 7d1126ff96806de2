/** What a Run gathers on its way: the facts every lane is given, and the records the stages leave. */
import { z } from 'zod';
import type { GpuPrice } from './prices.ts';
import {
  CheckCategory,
  CheckSeverity,
  CheckStatus,
  ClientReady,
  Decision,
  EvidenceKind,
  type LaneName,
  Outcome,
  VerdictSeverity,
} from './vocabulary.ts';
import { Instant, Sha256 } from './wire.ts';

/** One attached piece of evidence as it is sealed: what it is and the hash of its bytes, never the bytes. */
export const EvidenceFact = z.strictObject({
  kind: EvidenceKind,
  label: z.string(),
  sha256: Sha256,
  content_type: z.string(),
  byte_size: z.int().nonnegative(),
});
export type EvidenceFact = z.infer<typeof EvidenceFact>;

/** One decided, open or skipped rule. `key` is unique within its Run. */
export const Check = z.strictObject({
  key: z.string(),
  label: z.string(),
  category: CheckCategory,
  status: CheckStatus,
  severity: CheckSeverity,
  detail: z.string(),
  decided_by: z
    .string()
    .describe('Set by the ledger: `rule`, or `<name> (<id>)` of who decided an open rule; empty while it is open'),
});
export type Check = z.infer<typeof Check>;

export const Verdict = z.strictObject({
  outcome: Outcome,
  score_100: z.int().min(0).max(100),
  severity: VerdictSeverity,
  client_ready: ClientReady,
  recommended_action: z.string(),
  summary: z.string(),
});
export type Verdict = z.infer<typeof Verdict>;

export const Approval = z.strictObject({
  decision: Decision,
  approved_by: z.string().describe('A person’s public name; a key’s label, else its id'),
  approver_id: z.string().describe('`user_…` or `key_…`: tells a person from a program, whatever the name says'),
  note: z.string(),
  approved_at: Instant,
});
export type Approval = z.infer<typeof Approval>;

/** Always an object of strings; `undeclared` for what was not declared. */
export const AgentProfile = z.strictObject({
  name: z.string(),
  capability_tier: z.string(),
  harness: z.string(),
  model: z.string(),
});
export type AgentProfile = z.infer<typeof AgentProfile>;

/** What a lane may know when it checks: everything the Run holds once its execution was posted. */
export interface Work<Inputs, Execution> {
  run: { id: string; lane: LaneName; title: string; created_at: string };
  inputs: Inputs;
  execution: Execution;
  evidence: EvidenceFact[];
  agent_profile: AgentProfile;
  /** What is sealed as a digest, by its path: a detail of a check that is sealed says nothing of it. Absent: none. */
  private_paths?: readonly string[];
  /** Of the node the lane `runs_on`, as it stood when the checks ran; null without one. */
  price: GpuPrice | null;
}

/** What a lane may know when it builds its block. `assignment` is set on the eval lane only. */
export interface ApprovedWork<Inputs, Execution> extends Work<Inputs, Execution> {
  checks: Check[];
  verdict: Verdict;
  approval: Approval;
  assignment: Assignment | null;
}

/** `sha256` is over the canonical JSON of `{flight_sheet, inputs}` with the full sheet. */
export interface Assignment {
  title: string;
  sha256: string;
}
