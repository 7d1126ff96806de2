/** Looking through receipts, and the links they are shared by. */
import { z } from 'zod';
import { LaneName, Outcome, SchemaId } from '../vocabulary.ts';
import { Instant, inDigits, PageSize, Sha256, text } from '../wire.ts';

/** `2026-05-29`, or a whole timestamp. */
export const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/, 'must be a UTC date such as 2026-05-29')
  .refine((day) => !Number.isNaN(Date.parse(day)), 'must be a date of the calendar');

export const ReceiptQuery = z.object({
  /** A receipt id or its number, at least 6 characters of a hash, or part of a title. */
  search: text(200).optional(),
  lane: LaneName.optional(),
  /** Minted at or after. */
  from: Day.optional(),
  /** Minted before; a date alone means until its end. */
  to: Day.optional(),
  /** `next_before_seq` of the page before. */
  before_seq: inDigits(z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional()),
  limit: PageSize,
});
export type ReceiptQuery = z.infer<typeof ReceiptQuery>;

/** One line of a list; the receipt itself is at `GET /receipts/{receipt_id}`. */
export const ReceiptSummary = z.object({
  receipt_id: z.string(),
  org_seq: z.int(),
  run_id: z.string(),
  lane: LaneName,
  schema: SchemaId,
  title: z.string(),
  /** Of the verdict that is sealed; null where the lane seals none. */
  outcome: Outcome.nullable(),
  created_at: Instant,
  receipt_sha256: Sha256,
  parent_hash: z.string(),
  share_url: z.string(),
});
export type ReceiptSummary = z.infer<typeof ReceiptSummary>;

/**
 * Newest first. A search looks through a bounded stretch of the chain per call: a page may be short or empty while
 * `next_before_seq` is not null, and then the search goes on there.
 */
export const ReceiptPage = z.object({
  receipts: z.array(ReceiptSummary),
  next_before_seq: z.int().nullable(),
  /** Of the chain's last receipt; null while there is none. */
  head_seq: z.int().nullable(),
});
export type ReceiptPage = z.infer<typeof ReceiptPage>;

/** The public link of a receipt: switched off it answers 410; the receipt and its hash stay as they are. */
export const Share = z.object({
  receipt_id: z.string(),
  share_url: z.string(),
  enabled: z.boolean(),
  /** When and by whom it was last switched: a public name or a key's label, else the id. Null while it never was. */
  changed_at: Instant.nullable(),
  changed_by: z.string().nullable(),
});
export type Share = z.infer<typeof Share>;
export const ShareChange = z.object({ enabled: z.boolean() });
