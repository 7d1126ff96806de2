/** The signature of a passkey in the transaction of the approval that it is for. */
import type { ApprovalFile } from '@rcpt/proof/approval/approval.ts';
import type { Queries } from '@rcpt/service/db/db.ts';
import type { Principal } from '../people/principal.ts';
import { refuse } from '../problems.ts';
import type { Run } from '../runs/run.ts';
import { countUse, insertSignature, useChallenge } from '../store/passkeys.ts';
import { loadOrganization } from '../store/tenancy.ts';

/** Checked already; what only the transaction can say is left. */
export interface ApprovalSignature {
  session_id: string;
  challenge: string;
  passkey_id: string;
  sign_count: number;
  file: ApprovalFile;
  replay_sha256: string;
  /** When it was given. */
  at: string;
}

/** Throws `passkey_required`, `passkeys_off`. */
export async function requireSignature(
  tx: Queries,
  by: Pick<Principal, 'organization_id'>,
  { lane }: Pick<Run, 'lane'>,
  signature: ApprovalSignature | undefined,
): Promise<void> {
  const { passkey_approvals, passkey_lanes } = await loadOrganization(tx, by.organization_id);
  if (passkey_approvals === 'off' && signature !== undefined) throw passkeysOff();
  if (passkey_approvals === 'required' && passkey_lanes.includes(lane) && signature === undefined)
    throw refuse(
      'passkey_required',
      'This organization has approvals signed with the person’s passkey. Approve in the console; an API key cannot approve. Nothing was changed.',
    );
}

export function passkeysOff() {
  return refuse(
    'passkeys_off',
    'This organization signs no approvals with passkeys. An owner switches that on: PATCH /organization {"passkey_approvals": "offered"}.',
  );
}

/**
 * The challenge is used up, the passkey counts, the signature is kept: with the approval or not at all. Throws `assertion_invalid`: of two
 * at once with one challenge, the second; and where the passkey was removed meanwhile.
 */
export async function storeSignature(
  tx: Queries,
  organization_id: string,
  run_id: string,
  { session_id, challenge, passkey_id, sign_count, file, replay_sha256, at }: ApprovalSignature,
): Promise<void> {
  if (!(await useChallenge(tx, organization_id, { session_id, run_id, challenge }, at)))
    throw assertionInvalid('it answers nothing that this session was asked in the last five minutes');
  if (!(await countUse(tx, organization_id, { id: passkey_id, sign_count, at })))
    throw assertionInvalid('the passkey was removed, or its counter did not go on: there may be a copy of it');
  if (!(await insertSignature(tx, organization_id, run_id, file, replay_sha256)))
    throw assertionInvalid('this signature was used for another Run before');
}

export function assertionInvalid(reason: string) {
  return refuse(
    'assertion_invalid',
    `The signature does not count: ${reason}. Nothing was changed. Ask for new options and sign again.`,
  );
}
