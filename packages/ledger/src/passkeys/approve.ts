/**
 * An approval that a passkey signs: the ledger fixes the block for this decision, note and instant → the browser signs its SHA-256 → the same
 * block is fixed again, and has to have the hash that was signed → what was signed is what is approved, and minted.
 */

import { AssertionJson, type AssertionOptions } from '@rcpt/contract/ledger/passkeys.ts';
import type { ApprovalDecision, ApprovalQuestion } from '@rcpt/contract/ledger/runs.ts';
import type { ApprovalFile } from '@rcpt/proof/approval/approval.ts';
import { type Answered, verifyAssertion } from '@rcpt/proof/approval/assertion.ts';
import { parsePublicKey } from '@rcpt/proof/approval/public-key.ts';
import { ProofError } from '@rcpt/proof/error.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { Refusal } from '@rcpt/service/error.ts';
import type { Principal } from '../people/principal.ts';
import type { SignedIn } from '../people/sessions.ts';
import { refuse } from '../problems.ts';
import { type PreparedApproval, prepareApproval } from '../runs/approval.ts';
import type { Deciders } from '../runs/deciders.ts';
import { findChallenge, findPasskey, insertChallenge, listPasskeys, type StoredPasskey } from '../store/passkeys.ts';
import { loadMarks } from '../store/runs.ts';
import { loadOrganization } from '../store/tenancy.ts';
import { clientChallenge } from './client-data.ts';
import { asCredential, CHALLENGE_SECONDS, endOfChallenge, type Passkeys } from './passkeys.ts';
import { relyingPartyAt } from './relying-party.ts';
import { type ApprovalSignature, assertionInvalid, passkeysOff } from './signature.ts';

export interface Approving extends Passkeys {
  deciders: Pick<Deciders, 'run'>;
}

/** Throws `invalid`, `passkeys_off`, `passkey_address`, `passkey_missing`, `rate_limited`, and as `prepareApproval`. */
export async function askToSign(
  ledger: Approving,
  { principal, person }: { principal: Principal; person: SignedIn | null },
  run_id: string,
  question: ApprovalQuestion,
): Promise<AssertionOptions> {
  const { db, now } = ledger;
  const { organization_id } = principal;
  await loadMarks(db, organization_id, run_id);
  if (person === null) throw new Refusal('forbidden', 'An API key has no passkey. A person signs, in the console.');
  if (question.decision !== 'approved') throw new Refusal('invalid', 'A rejection seals nothing and takes no passkey.');
  if ((await loadOrganization(db, organization_id)).passkey_approvals === 'off') throw passkeysOff();
  const { id: rpId } = relyingPartyAt(ledger.base_url);
  const passkeys = await listPasskeys(db, organization_id, principal.id);
  if (passkeys.length === 0)
    throw refuse(
      'passkey_missing',
      'You have no passkey in this organization. Enrol one in the console, under Settings, Organization, Your passkeys.',
    );
  const at = now();
  const { approved_sha256 = '' } = await prepareApproval(db, ledger.deciders, principal, run_id, question, at);
  const challenge = toBase64url(approved_sha256);
  const asked = {
    session_id: person.session_id,
    challenge,
    run_id,
    approved_at: at,
    note_sha256: hashOfNote(question),
  };
  const expires_at = endOfChallenge(at);
  await insertChallenge(db, organization_id, asked, expires_at);
  return {
    challenge,
    rpId,
    allowCredentials: passkeys.map(asCredential),
    userVerification: 'required',
    timeout: CHALLENGE_SECONDS * 1_000,
    approved_sha256,
    approved_at: at,
    expires_at,
  };
}

/** As `prepareApproval`, and `assertion_invalid`, `passkey_address`: what the passkey signed is what would be fixed. */
export async function prepareDecision(
  ledger: Approving,
  { principal, person }: { principal: Principal; person: SignedIn | null },
  run_id: string,
  { assertion, ...question }: ApprovalDecision,
): Promise<PreparedApproval> {
  const { db, deciders, now } = ledger;
  const at = now();
  if (assertion === undefined) return prepareApproval(db, deciders, principal, run_id, question, at);
  const { organization_id, id: person_id } = principal;
  if (person === null) throw assertionInvalid('an API key has no passkey');
  if (question.decision !== 'approved') throw assertionInvalid('a rejection seals nothing and takes no passkey');
  const { origin } = relyingPartyAt(ledger.base_url);
  const { success, data: answer } = AssertionJson.safeParse(assertion);
  if (!success) throw assertionInvalid('it is not in the JSON form of WebAuthn');
  const challenge = clientChallenge(answer.response.clientDataJSON);
  const { session_id } = person;
  const asked = await findChallenge(db, organization_id, { session_id, run_id, challenge }, at);
  // A repeat finds that the Run has gone on.
  const prepared = await prepareApproval(db, deciders, principal, run_id, question, asked?.approved_at ?? at);
  if (asked === null) throw assertionInvalid('it answers nothing that this session was asked in the last five minutes');
  if (asked.note_sha256 !== hashOfNote(question)) throw assertionInvalid('another note was asked for');
  if (prepared.approved_sha256 === undefined || toBase64url(prepared.approved_sha256) !== challenge)
    throw assertionInvalid('the Run or your public name has changed since, and other bytes would be approved');
  const passkey = await findPasskey(db, organization_id, person_id, answer.id);
  if (passkey === null) throw assertionInvalid('this passkey is not one of yours in this organization, or was removed');
  const { sign_count } = await check(answer, passkey, { challenge: Buffer.from(challenge, 'base64url'), origin });
  const signature: ApprovalSignature = {
    session_id,
    challenge,
    passkey_id: passkey.id,
    sign_count,
    file: fileOf(answer, passkey, prepared),
    replay_sha256: replayHash(answer, passkey),
    at,
  };
  return { ...prepared, signature };
}

/** With the code that auditors run. Throws `assertion_invalid`. */
async function check(
  { response }: AssertionJson,
  passkey: StoredPasskey,
  asked: { challenge: Uint8Array; origin: string },
): Promise<Answered> {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
  const signed = {
    client_data_json: bytes(response.clientDataJSON),
    authenticator_data: bytes(response.authenticatorData),
    signature: bytes(response.signature),
  };
  try {
    return await verifyAssertion(signed, parsePublicKey(passkey.public_key_pem), asked);
  } catch (error) {
    if (error instanceof ProofError) throw assertionInvalid(error.reason);
    throw error;
  }
}

function fileOf(
  { response }: AssertionJson,
  { public_key_pem, credential_id }: StoredPasskey,
  { approval, approved_sha256 }: PreparedApproval,
): ApprovalFile {
  const padded = (text: string) => Buffer.from(text, 'base64url').toString('base64');
  return {
    approved_sha256: approved_sha256!,
    client_data_json: padded(response.clientDataJSON),
    authenticator_data: padded(response.authenticatorData),
    signature: padded(response.signature),
    public_key_pem,
    credential_id,
    approver_id: approval.approver_id,
    approver_name: approval.approved_by,
  };
}

/**
 * What two signatures never have in common. Two Runs may have the same block, so the same bytes may be signed twice. Of an ECDSA signature
 * (r, s) its mirror (r, −s) holds as well: only r tells them apart.
 */
function replayHash({ response }: AssertionJson, { credential_id, algorithm }: StoredPasskey): string {
  const signature = Buffer.from(response.signature, 'base64url');
  const own = algorithm === 'ES256' ? signature.subarray(4, 4 + signature[3]!) : signature;
  return sha256Hex(
    `${credential_id}\n${response.authenticatorData}\n${response.clientDataJSON}\n${own.toString('hex')}`,
  );
}

function hashOfNote({ note = '' }: ApprovalQuestion): string {
  return sha256Hex(note);
}

function toBase64url(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}
