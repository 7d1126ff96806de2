/** What is written into the receipts ledger, before it has an id, an instant and a checksum. */
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { RouterReceiptType } from '@rcpt/proof/router-ledger.ts';

export interface ReceiptDraft {
  receipt_type: RouterReceiptType;
  /** On `worker_registered`: the worker's id. */
  member_id: string;
  job_id: string | null;
  dataset_ids: string[];
  amount_cents: number;
  metadata: JsonObject;
}
