/** Receipts, the chain and its verification on the ledger's wire. */
import { z } from 'zod';
import { Envelope } from '../receipt.ts';
import { SchemaId } from '../vocabulary.ts';
import { inDigits, PageSize, Sha256 } from '../wire.ts';

/** The envelope with its lane's blocks and `receipt_sha256`, as stored. */
export const Receipt = z.looseObject({ ...Envelope.shape, receipt_sha256: Sha256 });
export type Receipt = z.infer<typeof Receipt>;

export const RecentQuery = z.object({ limit: PageSize, schema: SchemaId.optional() });
export const RecentReceipts = z.object({ receipts: z.array(Receipt) });

export const LedgerQuery = z.object({
  after_seq: inDigits(z.int().min(-1).max(Number.MAX_SAFE_INTEGER).default(-1)),
  limit: PageSize,
});
export const LedgerPage = z.object({ receipts: z.array(Receipt), next_after_seq: z.int().nullable() });

export const ViolationKind = z.enum([
  'payload_altered',
  'sequence_gap',
  'broken_parent_link',
  'record_mismatch',
  'head_mismatch',
]);
export const Violation = z.object({
  kind: ViolationKind,
  org_seq: z.int().nullable(),
  receipt_id: z.string().nullable(),
  expected: z.union([z.string(), z.int()]).nullable(),
  actual: z.union([z.string(), z.int()]).nullable(),
  detail: z.string(),
});

export const Verification = z.object({
  ok: z.boolean(),
  receipts_checked: z.int(),
  /** Where the chain ends as it is stored now; null when it holds no receipt. */
  head: z.object({ org_seq: z.int(), receipt_sha256: z.string() }).nullable(),
  /** The first. */
  violation: Violation.nullable(),
  /** The first hundred. */
  violations: z.array(Violation),
});

export const Health = z.object({
  ok: z.boolean(),
  db: z.boolean(),
  storage: z.boolean(),
  email: z.boolean(),
  version: z.string(),
});
