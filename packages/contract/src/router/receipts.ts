/** Looking through the router's receipts ledger, a UTC date at a time. */
import { ROUTER_RECEIPT_TYPES } from '@rcpt/proof/router-ledger.ts';
import { z } from 'zod';
import { Offset, PageSize, Sha256, text } from '../wire.ts';
import { OffsetInstant } from './vocabulary.ts';

export const RouterReceiptQuery = z.object({
  /** UTC; default today. */
  date: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2026-05-29')
    .optional(),
  receipt_type: z.enum(ROUTER_RECEIPT_TYPES).optional(),
  job_id: text(100).optional(),
  /** As they stand in the file, or the last one first. */
  order: z.enum(['oldest', 'newest']).default('oldest'),
  limit: PageSize,
  offset: Offset,
});
export type RouterReceiptQuery = z.infer<typeof RouterReceiptQuery>;

/** One line of the ledger. `member_id` is a worker's id on `worker_registered`. */
export const RouterReceipt = z.looseObject({
  receipt_id: z.string(),
  receipt_type: z.string(),
  member_id: z.string(),
  job_id: z.string().nullable(),
  dataset_ids: z.array(z.string()),
  /** Exact decimals, e.g. `10.00`. */
  amount_usd: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: OffsetInstant,
  checksum_sha256: Sha256,
});
export type RouterReceipt = z.infer<typeof RouterReceipt>;
export const RouterReceiptPage = z.object({ date: z.string(), receipts: z.array(RouterReceipt) });
export type RouterReceiptPage = z.infer<typeof RouterReceiptPage>;

const RouterViolation = z.looseObject({
  kind: z.string(),
  file: z.string(),
  line: z.int().nullable(),
  receipt_id: z.string().nullable(),
  detail: z.string(),
});
/** `GET /receipts/verify`: every receipt against itself and the database. */
export const RouterVerification = z.object({
  ok: z.boolean(),
  receipts_checked: z.int(),
  violation: RouterViolation.nullable(),
  violations: z.array(RouterViolation),
});
export type RouterVerification = z.infer<typeof RouterVerification>;
