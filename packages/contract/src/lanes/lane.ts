/**
 * A lane is one file: what it takes, how it is checked, what it seals and how it is printed.
 * Lanes are pure: clock, ids, sheet and pin come in as arguments.
 */
import type { z } from 'zod';
import type { LaneName, SchemaId } from '../vocabulary.ts';
import type { Json, JsonObject } from '../wire.ts';
import type { AgentProfile, ApprovedWork, Check, Work } from '../work.ts';
import type { PinnedModel } from './pinned-model.ts';

/** What the eval lane needs to decide its rules. The ledger supplies it: CEL and JSON Schema live there. */
export interface SheetExecutor {
  /** Decides every rule of the sheet on one submission; same arguments, byte-identical answer. Never throws. */
  run(facts: { submission: Json; inputs: JsonObject; evidence: Json[] }): Check[];
}

/** A block and a member of it. */
export type MemberPath = readonly [block: string, member: string];

/** What only the instant of minting knows, read inside the minting transaction. */
export interface Minting {
  created_at: string;
  /** The organization's most recent pin of the slug the lane needs. */
  pinned_model: PinnedModel | null;
}

export interface Lane<Inputs extends JsonObject = JsonObject, Execution extends JsonObject = JsonObject> {
  name: LaneName;
  schema: SchemaId;
  /** Words a person reads: `Evaluation`, `Fine-tune lift`. */
  label: string;
  /** Validates the body of `POST /runs` `inputs`. Unknown members are dropped, or kept where the lane says so. */
  inputs: z.ZodType<Inputs>;
  /** Validates the body of `POST /runs/{id}/execution`. */
  execution: z.ZodType<Execution>;
  /** The agent this execution names, for Runs without a stored profile. */
  agent(execution: Execution): Partial<AgentProfile>;
  checks(work: Work<Inputs, Execution>, executor: SheetExecutor | null): Check[];
  /** The node whose price this lane needs: what the checks show is what is sealed. */
  runs_on?(execution: Execution): string;
  /** What of a Run may be sealed as a digest (private.ts): its title, the note of its approval, members of its inputs. */
  commits?: { title: boolean; note: boolean; inputs: 'any' | readonly string[] };
  /** Where the Run keeps what the sealed output is the hash of: `value` and `json` as in docs/spec.md §6.8. */
  output?: { in: 'inputs' | 'execution'; member: string; hashed_as: 'value' | 'json' };
  /** The flight sheet that decides this lane's Runs. */
  sheet?(inputs: Inputs): { name: string; version: string };
  /** What is approved: the lane's blocks as they will be sealed, but for what only the instant of minting knows. */
  block(work: ApprovedWork<Inputs, Execution>): JsonObject;
  /** What the instant of minting adds to the block, or puts in place of a member. Reads the block only where that one is small. */
  complete?(minting: Minting, block: () => JsonObject): JsonObject;
  /** Where in the block the slug stands whose most recent pin `complete` is given. */
  needs_pin?: MemberPath;
  /** Where in the block the slug stands that this receipt pins. */
  pins?: MemberPath;
  /** Strict: a member that is not in the lane's table (docs/spec.md §6) is refused, never silently dropped. */
  blocks: z.ZodObject;
  print(receipt: JsonObject): Print;
}

/** A receipt as people read it, the same for page and PDF. All strings are plain text: the renderer escapes them. */
export interface Print {
  /** What was done, in one line. */
  title: string;
  /** The lane in words: `Evaluation`. */
  kind: string;
  /** Null where the lane seals no verdict. */
  outcome: { word: string; tone: Tone; summary: string; score_100: number | null } | null;
  /** Who decided, in words; null where the lane seals no approval. */
  approval: { decision: string; by: PrintedSigner | null; at: string | null; note: string } | null;
  sections: Section[];
}

export type Tone = 'good' | 'caution' | 'bad' | 'neutral';

/** `left_out`: so many facts of the same kind stand in the JSON alone. */
export type Section =
  | { kind: 'facts'; title: string; facts: Fact[]; left_out?: number }
  | { kind: 'checks'; title: string; checks: PrintedCheck[] }
  | { kind: 'evidence'; title: string; evidence: PrintedEvidence[] }
  | { kind: 'text'; title: string; text: string };

/** `mono` is for hashes and ids. */
export interface Fact {
  label: string;
  value: string;
  mono?: boolean;
  href?: string;
}
/** Null: the receipt does not say who decided. */
export type PrintedCheck = Omit<Check, 'key' | 'decided_by'> & { decided_by: 'rule' | PrintedSigner | null };
/** `kind` follows from the id alone: a key may be called like a person. Null: the id is none of the ledger's. */
export interface PrintedSigner {
  name: string;
  id: string;
  kind: 'person' | 'API key' | null;
}
export interface PrintedEvidence {
  label: string;
  kind: string;
  sha256: string;
  size: string | null;
}
