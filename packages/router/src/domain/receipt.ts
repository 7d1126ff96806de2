/** What is written into the receipts ledger, before it has an id, an instant and a checksum. */
import { decimal, formatDecimal, multiply, round } from '@rcpt/contract/money.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { RouterReceiptType } from '@rcpt/proof/router-ledger.ts';

export interface ReceiptDraft {
  receipt_type: RouterReceiptType;
  /** On `worker_registered`: the worker's id. */
  member_id: string;
  job_id: string | null;
  dataset_ids: string[];
  amount_cents: number;
  /** No number in it is a fraction: amounts and hours are strings with two decimals, exact durations are integers. */
  metadata: JsonObject;
}

/** Hours that were asked for, as a receipt holds them: to two decimals for people, and as exact as a receipt can. */
export function estimateInReceipt(estimated_hours: number): JsonObject {
  const hours = decimal(estimated_hours);
  const milliseconds = round(multiply(hours, decimal(3_600_000)), 0);
  return { estimated_hours: formatDecimal(round(hours, 2)), estimated_milliseconds: Number(milliseconds.unscaled) };
}
