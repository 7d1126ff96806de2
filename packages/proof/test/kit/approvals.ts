/** A receipt whose approval a passkey signed, as both are served. */
import type { SoftAssertion, SoftPasskey } from '../../../../test/kit/passkey.ts';
import type { ApprovalFile } from '../../src/approval/approval.ts';
import { approvedSha256 } from '../../src/approval/approved-block.ts';
import { GENESIS_HASH } from '../../src/chain.ts';
import { type Payload, payloadOf, rowOf } from './receipts.ts';

export const ORIGIN = 'https://ledger.example';
export const APPROVER = { approver_id: 'user_1', approver_name: 'Ada Examiner' };

export function approvedPayload(more: object = {}): Payload {
  const approval = {
    decision: 'approved',
    approved_by: APPROVER.approver_name,
    approver_id: APPROVER.approver_id,
    note: 'Compared.',
    approved_at: '2026-05-29T20:10:00.000Z',
  };
  return payloadOf(0, GENESIS_HASH, { approval, ...more });
}

export const receiptOf = (payload: Payload): string => rowOf(payload).text;

export const challengeOf = (approved_sha256: string): string =>
  Buffer.from(approved_sha256, 'hex').toString('base64url');

export function fileOf(passkey: SoftPasskey, approved_sha256: string, { response }: SoftAssertion): ApprovalFile {
  const padded = (text: string) => Buffer.from(text, 'base64url').toString('base64');
  return {
    approved_sha256,
    client_data_json: padded(response.clientDataJSON),
    authenticator_data: padded(response.authenticatorData),
    signature: padded(response.signature),
    public_key_pem: passkey.public_key_pem,
    credential_id: passkey.credential_id,
    ...APPROVER,
  };
}

export function approvalOf(passkey: SoftPasskey, payload: Payload, change = {}): ApprovalFile {
  const approved_sha256 = approvedSha256(payload as never);
  return fileOf(passkey, approved_sha256, passkey.assert(challengeOf(approved_sha256), change));
}
