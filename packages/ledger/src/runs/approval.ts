/**
 * The approval of a Run: what will be sealed is fixed before the transaction, of a large Run in a thread, and written in one that
 * computes nothing.
 */
import type { ApprovalQuestion } from '@rcpt/contract/ledger/runs.ts';
import type { Approval } from '@rcpt/contract/work.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import { changes } from '../changes/transaction.ts';
import { type ApprovalSignature, requireSignature, storeSignature } from '../passkeys/signature.ts';
import type { Principal } from '../people/principal.ts';
import { signatureOf } from '../people/signature.ts';
import { refuse } from '../problems.ts';
import { findSmallRun, loadMarks, loadStoredRun, lockMarks, updateRun } from '../store/runs.ts';
import type { Deciders } from './deciders.ts';
import { reach, requireStage } from './run.ts';
import { type ApprovedBlock, fixBlock } from './sealed-block.ts';
import { requireFourEyes } from './stages.ts';

/** Documents of a Run whose block is fixed on the event loop, which takes some milliseconds at most. */
const SMALL_BYTES = 65_536;

export interface PreparedApproval extends Partial<ApprovedBlock> {
  approval: Approval;
  /** When the Run that was decided on was written. */
  updated_at: string;
  /** By a passkey, over `approved_sha256`. */
  signature?: ApprovalSignature;
}

/**
 * Who decides, when and how, and of an approved Run its block to the byte. Throws `not_found`, `run_stage_conflict`, `four_eyes`,
 * `public_name_needed`, `not_representable`, `receipt_invalid`, and as `Pool.run`.
 */
export async function prepareApproval(
  db: Queries,
  deciders: Pick<Deciders, 'run'>,
  by: Principal,
  id: string,
  { decision, note = '' }: ApprovalQuestion,
  at: string,
): Promise<PreparedApproval> {
  const { organization_id } = by;
  const small = await findSmallRun(db, organization_id, id, SMALL_BYTES);
  const run = small ?? (await loadMarks(db, organization_id, id, 'executed_by'));
  requireStage(run, 'Verdict');
  await requireFourEyes(db, by, run);
  const { name: approved_by, id: approver_id } = await signatureOf(db, by);
  const approval: Approval = { decision, approved_by, approver_id, note, approved_at: at };
  if (decision === 'rejected') return { approval, updated_at: run.updated_at };
  if (small !== undefined) return { approval, ...fixBlock({ ...small, approval }), updated_at: small.updated_at };
  const unfixed = async () => ({ run: await loadStoredRun(db, organization_id, id), approval });
  return { approval, ...(await deciders.run('fix', organization_id, unfixed)) };
}

/**
 * Approval or rejection, which is final: what was prepared is what is stored, and minting adds only what its instant knows.
 * Throws `run_stage_conflict`, `four_eyes`, `passkey_required`, `passkeys_off`, `assertion_invalid`.
 */
export async function recordApproval(
  tx: Queries,
  by: Principal,
  id: string,
  { updated_at, signature, ...prepared }: PreparedApproval,
): Promise<Approval> {
  const run = await lockMarks(tx, by.organization_id, id, 'executed_by', 'lane');
  requireStage(run, 'Verdict');
  await requireFourEyes(tx, by, run);
  if (prepared.approval.decision === 'approved') await requireSignature(tx, by, run, signature);
  if (run.updated_at !== updated_at)
    throw refuse('run_stage_conflict', 'The Run was changed while its approval was prepared. Send the call again.', {
      stage: run.stage,
      needed_stage: 'Verdict',
    });
  if (signature !== undefined) await storeSignature(tx, by.organization_id, id, signature);
  const { approval } = prepared;
  await updateRun(tx, run, {
    stage: 'Approval',
    stages: reach(run.stages, 'Approval', approval.approved_at, by.id),
    ...prepared,
    updated_at: approval.approved_at,
  });
  changes(tx, by.organization_id, { runs: [id] });
  return approval;
}
