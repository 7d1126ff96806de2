/** A stored receipt that was checked to be what was sealed, and to stand where it is stored. */
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import type { StoredCopy } from '../store/outbox.ts';

export interface SealedReceipt {
  receipt: JsonObject & {
    schema: string;
    receipt_id: string;
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
  const { ok, fault, payload, receipt_sha256, org_seq } = verifyReceipt(stored.payload);
  if (!ok || payload === null) return new Error(`the receipt was altered: ${fault?.detail ?? 'it cannot be read'}`);
  const receipt = payload as SealedReceipt['receipt'];
  const in_place =
    receipt_sha256 === stored.receipt_sha256 &&
    org_seq === stored.org_seq &&
    receipt.organization.id === stored.organization_id &&
    typeof receipt.organization.name === 'string' &&
    /^RCPT-\d{6,15}-[0-9a-f]{8}$/.test(receipt.receipt_id);
  return in_place ? { receipt, bytes: stored.payload } : new Error('the receipt was replaced by another');
}
