/**
 * An approval that a passkey signed, held against its receipt (docs/spec.md §5.3). It needs the receipt's bytes, the approval's file and nothing
 * else: no server, no network.
 */

import type { Json, JsonObject } from '../canonical.ts';
import { ProofError } from '../error.ts';
import { fromBase64, fromHex } from '../log/bytes.ts';
import { decodeUtf8, parseStrict } from '../parse.ts';
import { isHash, isObject, verifyReceipt } from '../receipt.ts';
import { approvedSha256 } from './approved-block.ts';
import { type Answered, type Assertion, verifyAssertion } from './assertion.ts';
import { type PasskeyKey, parsePublicKey, type SignatureAlgorithm } from './public-key.ts';

/** What is served beside a receipt. Bytes are base64, standard and padded; `credential_id` is as WebAuthn writes it. */
export interface ApprovalFile {
  approved_sha256: string;
  client_data_json: string;
  authenticator_data: string;
  signature: string;
  public_key_pem: string;
  credential_id: string;
  approver_id: string;
  approver_name: string;
}

export interface VerifiedApproval extends Answered {
  approved_sha256: string;
  credential_id: string;
  approver_id: string;
  approver_name: string;
  algorithm: SignatureAlgorithm;
  public_key_pem: string;
  /** The page on which the person signed. */
  origin: string;
  /** The receipt itself names this person; else the name is the ledger's word. */
  is_named_in_receipt: boolean;
  organization_id: string;
  /** As the receipt says; where it does not, the instant of its minting, before which the approval was given. */
  approved_at: string;
}

export interface ApprovalOptions {
  /** Where the person signed, e.g. `https://ledger.example`. Left out: where the receipt's own link leads. */
  origin?: string;
}

const MEMBERS = [
  'approved_sha256',
  'client_data_json',
  'authenticator_data',
  'signature',
  'public_key_pem',
  'credential_id',
  'approver_id',
  'approver_name',
] as const satisfies (keyof ApprovalFile)[];

/** Throws `not_an_approval`. */
export function parseApproval(file: string | Uint8Array): ApprovalFile {
  let value: Json;
  try {
    value = parseStrict(typeof file === 'string' ? file : decodeUtf8(file));
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new ProofError('not_an_approval', `this is no approval: ${error.reason}`);
  }
  if (!isObject(value)) throw new ProofError('not_an_approval', 'this is no approval: it is not a JSON object');
  for (const member of MEMBERS)
    if (typeof value[member] !== 'string')
      throw new ProofError('not_an_approval', `this is no approval: it has no text ${member}`);
  if (!isHash(value.approved_sha256))
    throw new ProofError('not_an_approval', 'this is no approval: its approved_sha256 is no SHA-256');
  return value as unknown as ApprovalFile;
}

/**
 * That the passkey of this approval signed exactly what the receipt seals. Throws `receipt_altered`, `not_an_approval`, `wrong_approved_sha256`,
 * `wrong_approver`, and as `verifyAssertion`.
 */
export async function verifyApproval(
  receipt: string | Uint8Array,
  file: string | Uint8Array,
  options: ApprovalOptions = {},
): Promise<VerifiedApproval> {
  const verdict = verifyReceipt(receipt);
  if (!verdict.ok || verdict.payload === null)
    throw new ProofError('receipt_altered', `the receipt itself does not hold: ${verdict.fault?.detail}`);
  return verifyApprovalOf(verdict.payload, file, options);
}

/** As `verifyApproval`, of a receipt that was verified already. */
export async function verifyApprovalOf(
  payload: JsonObject,
  file: string | Uint8Array,
  options: ApprovalOptions = {},
): Promise<VerifiedApproval> {
  const approval = parseApproval(file);
  const approved = approvedSha256(payload);
  if (approval.approved_sha256 !== approved)
    throw new ProofError(
      'wrong_approved_sha256',
      `the approval is of ${approval.approved_sha256}, the receipt seals ${approved}: it belongs to other bytes`,
    );
  const is_named_in_receipt = isNamed(payload, approval);
  const { assertion, key } = bytesOf(approval);
  const origin = originOf(options.origin ?? (payload.share_url as string));
  const answered = await verifyAssertion(assertion, key, { challenge: fromHex(approved), origin });
  const { credential_id, approver_id, approver_name, public_key_pem } = approval;
  return {
    ...answered,
    approved_sha256: approved,
    credential_id,
    approver_id,
    approver_name,
    algorithm: key.algorithm,
    public_key_pem,
    origin,
    is_named_in_receipt,
    organization_id: (payload.organization as JsonObject).id as string,
    approved_at: approvedAt(payload),
  };
}

function approvedAt({ approval, created_at }: JsonObject): string {
  const at = isObject(approval) ? approval.approved_at : created_at;
  return typeof at === 'string' ? at : (created_at as string);
}

function originOf(address: string): string {
  if (URL.canParse(address)) return new URL(address).origin;
  throw new ProofError('wrong_origin', `${JSON.stringify(address)} is no address of a ledger`);
}

/** Of the lanes that seal who approved. Throws `wrong_approver` where that is somebody else. */
function isNamed({ approval: sealed }: JsonObject, { approver_id, approver_name }: ApprovalFile): boolean {
  if (!isObject(sealed)) return false;
  if (sealed.approver_id !== approver_id || sealed.approved_by !== approver_name)
    throw new ProofError('wrong_approver', `the receipt names another approver than ${approver_id}`);
  return true;
}

function bytesOf(approval: ApprovalFile): { assertion: Assertion; key: PasskeyKey } {
  const decoded = (member: 'client_data_json' | 'authenticator_data' | 'signature') => {
    const bytes = fromBase64(approval[member]);
    if (bytes === null) throw new ProofError('not_an_approval', `its ${member} is no base64`);
    return bytes;
  };
  return {
    assertion: {
      client_data_json: decoded('client_data_json'),
      authenticator_data: decoded('authenticator_data'),
      signature: decoded('signature'),
    },
    key: parsePublicKey(approval.public_key_pem),
  };
}
