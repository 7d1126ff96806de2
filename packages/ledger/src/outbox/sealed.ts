/** A stored receipt that was checked to be what was sealed, and to stand where it is stored. */
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { envelopeOf, isSealedAs, verifyReceipt } from '@rcpt/proof/receipt.ts';
import type { StoredCopy } from '../store/outbox.ts';

/** A receipt is checked in a millisecond per 100 kB: a larger one is held against its hash as text, and its blocks are not read. */
const SMALL = 32_768;

export interface SealedReceipt {
  /** Of a large one, the envelope alone. */
  receipt: JsonObject & {
    schema: string;
    receipt_id: string;
    org_seq: number;
    receipt_sha256: string;
    created_at: string;
    share_url: string;
    organization: { id: string; name: string };
  };
  /** The canonical JSON, as text. */
  bytes: string;
}

/** Returns, never throws, why it is not: the payload is gone or altered, or is another receipt with a seal of its own. */
export function openSealed(stored: StoredCopy | undefined): SealedReceipt | Error {
  if (stored === undefined) return new Error('the receipt is not in the chain any more');
  const receipt = stored.payload.length > SMALL ? openLarge(stored) : openSmall(stored);
  if (receipt instanceof Error) return receipt;
  const in_place =
    receipt.receipt_sha256 === stored.receipt_sha256 &&
    receipt.org_seq === stored.org_seq &&
    receipt.organization?.id === stored.organization_id &&
    typeof receipt.organization.name === 'string' &&
    /^RCPT-\d{6,15}-[0-9a-f]{8}$/.test(receipt.receipt_id);
  return in_place ? { receipt, bytes: stored.payload } : new Error('the receipt was replaced by another');
}

function openSmall({ payload: text }: StoredCopy): SealedReceipt['receipt'] | Error {
  const { ok, fault, payload } = verifyReceipt(text);
  if (ok && payload !== null) return payload as SealedReceipt['receipt'];
  return new Error(`the receipt was altered: ${fault?.detail ?? 'it cannot be read'}`);
}

function openLarge({ payload, receipt_sha256 }: StoredCopy): SealedReceipt['receipt'] | Error {
  if (!isSealedAs(payload, receipt_sha256))
    return new Error('the receipt was altered: its bytes do not have the hash that is recorded');
  try {
    return envelopeOf(payload) as SealedReceipt['receipt'];
  } catch {
    return new Error('the receipt was altered: its envelope cannot be read');
  }
}
