/**
 * Object storage: copies of receipts, and evidence. The chain in the database is the record of truth (docs/spec.md §17); what is
 * kept here may lag behind it, or be lost and written again.
 */
import { openStorage as open } from '@rcpt/storage/open.ts';
import type { Bounds, Storage } from '@rcpt/storage/storage.ts';

const BOUNDS: Bounds = {
  // Words joined by slashes; none is empty, starts with a dot or holds a separator.
  key: /^(?=.{1,512}$)\w[\w.-]{0,200}(\/\w[\w.-]{0,200})*$/,
  s3: { connect_ms: 2_000, request_ms: 10_000, attempts: 2 },
};

/** Returns at once and does not need the storage to be there. */
export function openStorage(url: string): Storage {
  return open(url, BOUNDS);
}

/** `<organization_id>/receipts/<receipt_id>.json` */
export function receiptKey(organization_id: string, receipt_id: string, form: 'json' | 'pdf'): string {
  return `${exactly(ORGANIZATION, organization_id)}/receipts/${exactly(RECEIPT, receipt_id)}.${form}`;
}

/** `<organization_id>/evidence/<run_id>/<sha256>`: named by its content, so the same bytes again change nothing. */
export function evidenceKey(organization_id: string, run_id: string, sha256: string): string {
  return `${exactly(ORGANIZATION, organization_id)}/evidence/${exactly(RUN, run_id)}/${exactly(SHA256, sha256)}`;
}

const ORGANIZATION = /^org_[A-Za-z0-9_-]{1,100}$/;
const RUN = /^run_[A-Za-z0-9_-]{1,100}$/;
const RECEIPT = /^RCPT-\d{6,15}-[0-9a-f]{8}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** What stands in the database is not believed to be an id: others may have written there. */
function exactly(form: RegExp, id: string): string {
  if (form.test(id)) return id;
  throw new Error('an id that cannot be part of an object key');
}
