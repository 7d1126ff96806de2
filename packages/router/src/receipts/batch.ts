/** The receipts of one commit: sealed when they are added, stored with the change they record, appended after the commit. */
import type { JsonObject } from '@rcpt/contract/wire.ts';
import { sealRouterReceipt } from '@rcpt/proof/router-ledger.ts';
import { newId } from '@rcpt/service/ids.ts';
import { usd } from '../domain/price.ts';
import type { ReceiptDraft } from '../domain/receipt.ts';
import { instant } from '../domain/time.ts';

export class ReceiptBatch {
  readonly id: string = newId('batch');
  /** One instant for the whole commit. */
  readonly now: number;
  readonly at: string;
  #lines = '';
  #receipts = 0;

  constructor(now: number) {
    this.now = now;
    this.at = instant(now);
  }

  /** Returns the receipt's id. */
  add({ receipt_type, member_id, job_id, dataset_ids, amount_cents, metadata }: ReceiptDraft): string {
    const receipt_id = newId('rcpt');
    const line = sealRouterReceipt({
      receipt_id,
      receipt_type,
      member_id,
      job_id,
      dataset_ids,
      amount_usd: usd(amount_cents),
      metadata: metadata satisfies JsonObject,
      created_at: this.at,
    });
    this.#lines += `${line}\n`;
    this.#receipts++;
    return receipt_id;
  }

  get receipts(): number {
    return this.#receipts;
  }

  /** UTC, `2026-05-29`. */
  get date(): string {
    return this.at.slice(0, 10);
  }

  /** Each line with its LF. */
  get lines(): string {
    return this.#lines;
  }
}
