/** What the signature of an approval shows, and what it does not, in words: the same on page, PDF, command line and offline file. */
import type { JsonObject } from '../canonical.ts';
import { ProofError, type ProofErrorCode } from '../error.ts';
import { type ApprovalOptions, type VerifiedApproval, verifyApprovalOf } from './approval.ts';
import type { Enrolment } from './enrolment.ts';

/** As the four answers are; a fifth, where a passkey signed. */
export interface ConsentAnswer {
  state: 'holds' | 'fails' | 'not_shown';
  code: 'signed' | 'cannot_check_signatures' | ProofErrorCode;
  text: string;
  advice: string;
  signed: VerifiedApproval | null;
}

/** @param receipt the payload; null: the receipt does not verify, so nothing is compared with it */
export async function consentTo(
  receipt: JsonObject | null,
  file: string | Uint8Array,
  options: ApprovalOptions = {},
): Promise<ConsentAnswer> {
  if (globalThis.crypto?.subtle === undefined)
    return {
      state: 'not_shown',
      code: 'cannot_check_signatures',
      text: 'A signature of the approver came along. This browser checks none on a page that came over plain HTTP.',
      advice: 'Open the page over HTTPS, or use rcpt verify --approval.',
      signed: null,
    };
  try {
    if (receipt === null) throw new ProofError('receipt_altered', 'the receipt itself does not verify');
    const signed = await verifyApprovalOf(receipt, file, options);
    return { state: 'holds', code: 'signed', text: consentInWords(signed), advice: whoseInWords(signed, null), signed };
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    const text = `The signature that came along does not hold: ${error.reason}.`;
    const advice = 'Do not rely on who approved. Ask the organization for the approval that belongs to this receipt.';
    return { state: 'fails', code: error.code, text, advice, signed: null };
  }
}

export function consentInWords({ algorithm, origin }: VerifiedApproval): string {
  return `A passkey signed exactly what this receipt seals (${algorithm}), on ${origin}, after it had verified its holder by fingerprint, face or PIN.`;
}

/** @param enrolment null: no activity was held against it */
export function whoseInWords({ approver_name, approver_id }: VerifiedApproval, enrolment: Enrolment | null): string {
  const who = `${approver_name} (${approver_id})`;
  const read = 'That they read what they signed, nothing shows.';
  if (enrolment === null)
    return `Whose passkey it is, is the ledger’s word: ${who}. The organization’s activity records who enrolled it: rcpt verify RECEIPT --approval FILE --activity FILE. ${read}`;
  return `It is that of ${who}: ${enrolment.receipt_id} of the activity records it, at ${enrolment.enrolled_at}. ${read}`;
}
