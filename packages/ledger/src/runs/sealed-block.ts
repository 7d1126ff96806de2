/**
 * The blocks that a Run seals, built from what is stored of it: once when it is approved, and again whenever the chain is
 * verified. Pure: the same Run makes the same blocks.
 */
import type { Lane } from '@rcpt/contract/lanes/lane.ts';
import type { PinnedModel } from '@rcpt/contract/lanes/pinned-model.ts';
import { committedBlock } from '@rcpt/contract/lanes/private.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Work } from '@rcpt/contract/work.ts';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { refuse } from '../problems.ts';
import { privatePathsOf, profileOf, type Run } from './run.ts';

/** All of a Run that its blocks are made of, and what its approval fixed. */
export type SealedRun = Omit<Run, 'organization_id' | 'stage' | 'stages' | 'notify' | 'executed_by'>;

/** What the lane's checks and its block are made of. */
export function workOf(run: SealedRun, lane: Lane): Work<JsonObject, JsonObject> {
  const { id, title, created_at, inputs } = run;
  const execution = run.execution ?? {};
  return {
    run: { id, lane: run.lane, title, created_at },
    inputs,
    execution,
    evidence: run.evidence.map(({ kind, label, sha256, content_type, byte_size }) => ({
      kind,
      label,
      sha256,
      content_type,
      byte_size,
    })),
    agent_profile: profileOf(run, lane.agent(execution)),
    private_paths: privatePathsOf(run),
    price: run.price,
  };
}

/** The lane's blocks with all of their members in clear. */
function clearBlockOf(run: SealedRun): JsonObject {
  const lane = LANES[run.lane];
  return lane.block({
    ...workOf(run, lane),
    checks: run.checks,
    verdict: run.verdict!,
    approval: run.approval!,
    assignment: run.assignment,
  });
}

/** With digests in place of what is private. */
function withCommitments(run: SealedRun, block: JsonObject): JsonObject {
  const { lane, commitments, title, inputs, approval } = run;
  if (commitments === null) return block;
  return committedBlock(LANES[lane].schema, block, commitments, { title, inputs, note: approval!.note });
}

/** An output that was erased is hashed no more: its hash is kept. */
function withoutErased(run: SealedRun): SealedRun {
  const at = run.commitments?.erased_output && LANES[run.lane].output;
  return at ? { ...run, [at.in]: { ...run[at.in], [at.member]: '' } } : run;
}

/** The lane's blocks but for what only the instant of minting knows. The Run has a verdict and an approval. */
export function blockOf(run: SealedRun): JsonObject {
  return withCommitments(run, clearBlockOf(withoutErased(run)));
}

/** The blocks as they stand in the receipt of a Run that was minted. */
export function completeBlock(run: SealedRun, block: JsonObject, pinned_model: PinnedModel | null): JsonObject {
  return { ...block, ...LANES[run.lane].complete?.({ created_at: run.updated_at, pinned_model }, () => block) };
}

export interface ApprovedBlock {
  /** Canonical JSON. */
  approved_block: string;
  /** Of its UTF-8 bytes. */
  approved_sha256: string;
}

/**
 * What an approval fixes. What is refused here, where a person can still act, is never refused while minting.
 * Throws `not_representable`, `receipt_invalid`.
 */
export function fixBlock(run: SealedRun): ApprovedBlock {
  const lane = LANES[run.lane];
  const block = clearBlockOf(run);
  const approved_block = canonicalize(withCommitments(run, block));
  const minting = { created_at: run.approval!.approved_at, pinned_model: null };
  const completed = lane.blocks.safeParse({ ...block, ...lane.complete?.(minting, () => block) });
  if (!completed.success) throw refuse('receipt_invalid', completed.error.issues[0]?.message ?? 'invalid blocks');
  return { approved_block, approved_sha256: sha256Hex(approved_block) };
}

/** Whether this block, as canonical JSON, is the one that was approved. */
export function isAsApproved(
  approved: { approved_block: string | null; approved_sha256: string | null },
  block = approved.approved_block,
): boolean {
  const { approved_block, approved_sha256 } = approved;
  return approved_block !== null && block === approved_block && sha256Hex(approved_block) === approved_sha256;
}
