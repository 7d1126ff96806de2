/**
 * Whose key it was: the organization's activity says who enrolled which passkey, and when. An operator who slips in a key, or exchanges one in
 * the database, is found by its absence there.
 */
import type { Json } from '../canonical.ts';
import { ChainVerifier } from '../chain.ts';
import { ProofError } from '../error.ts';
import { decodeUtf8 } from '../parse.ts';
import { isObject } from '../receipt.ts';
import type { VerifiedApproval } from './approval.ts';
import { publicKeySha256 } from './public-key.ts';

export interface Enrolment {
  /** The line that says so. */
  receipt_id: string;
  org_seq: number;
  enrolled_at: string;
  member: { id: string; name: string };
}

interface Line extends Enrolment {
  kind: string;
  public_key_sha256: string;
}

/** An export of the activity, line by line, held against one approval. */
export class EnrolmentSearch {
  readonly #approval: VerifiedApproval;
  readonly #chain: ChainVerifier;
  readonly #own: Line[] = [];

  constructor(approval: VerifiedApproval) {
    this.#approval = approval;
    this.#chain = new ChainVerifier(approval.organization_id);
  }

  push(line: string | Uint8Array): void {
    this.#chain.push(line);
    const text = textOf(line);
    // What is not in a sound chain is not relied on: `finish` says so.
    if (!text?.includes('"passkey_') || !text.includes(this.#approval.credential_id)) return;
    const found = lineOf(text, this.#approval.credential_id);
    if (found !== null) this.#own.push(found);
  }

  /**
   * The enrolment of the key that signed. Throws `activity_broken`, `key_not_enrolled`, `key_replaced`, `key_of_another`, `key_removed`. A removal
   * that was cut off at the end is not noticed here: a checkpoint of the activity shows whether the export is whole.
   */
  finish(): Enrolment {
    const { violation, receipts_checked } = this.#chain.finish();
    if (violation !== null)
      throw new ProofError('activity_broken', `the activity itself does not hold: ${violation.detail}`);
    if (receipts_checked === 0) throw new ProofError('activity_broken', 'the activity holds nothing');
    const { approved_at, approver_id, public_key_pem } = this.#approval;
    const before = this.#own.filter(({ enrolled_at }) => enrolled_at <= approved_at);
    const last = before.findLast(({ kind }) => kind === 'passkey_enrolled');
    if (last === undefined)
      throw new ProofError(
        'key_not_enrolled',
        'the organization’s activity records no enrolment of this passkey before the approval: whoever runs the ledger may have put it in',
      );
    if (last.public_key_sha256 !== publicKeySha256(public_key_pem))
      throw new ProofError(
        'key_replaced',
        `${last.receipt_id} records another public key for this passkey: it was exchanged after it was enrolled`,
      );
    if (last.member.id !== approver_id)
      throw new ProofError(
        'key_of_another',
        `${last.receipt_id} records this passkey as ${last.member.id}’s, not ${approver_id}’s`,
      );
    const removed = before.find(({ kind, org_seq }) => kind === 'passkey_removed' && org_seq > last.org_seq);
    if (removed !== undefined)
      throw new ProofError(
        'key_removed',
        `${removed.receipt_id} records that this passkey was removed at ${removed.enrolled_at}, before the approval`,
      );
    const { receipt_id, org_seq, enrolled_at, member } = last;
    return { receipt_id, org_seq, enrolled_at, member };
  }
}

function textOf(line: string | Uint8Array): string | null {
  try {
    return typeof line === 'string' ? line : decodeUtf8(line);
  } catch {
    return null;
  }
}

/** Null: it is not of this passkey. */
function lineOf(text: string, credential_id: string): Line | null {
  let receipt: Json;
  try {
    receipt = JSON.parse(text) as Json;
  } catch {
    return null;
  }
  const at = (value: Json | undefined, name: string) => (isObject(value) ? value[name] : undefined);
  const activity = at(receipt, 'activity');
  const details = at(activity, 'details');
  const member = at(details, 'member');
  if (at(at(details, 'passkey'), 'id') !== credential_id) return null;
  const words = [at(receipt, 'receipt_id'), at(receipt, 'created_at'), at(activity, 'kind')];
  const more = [at(details, 'public_key_sha256'), at(member, 'id'), at(member, 'name')];
  const org_seq = at(receipt, 'org_seq');
  if (![...words, ...more].every((word) => typeof word === 'string') || typeof org_seq !== 'number') return null;
  const [receipt_id, enrolled_at, kind] = words as [string, string, string];
  const [public_key_sha256, id, name] = more as [string, string, string];
  return { receipt_id, org_seq, enrolled_at, kind, public_key_sha256, member: { id, name } };
}
