/** The receipt envelope (docs/spec.md §4): flat, every lane the same. */
import { z } from 'zod';
import { SchemaId } from './vocabulary.ts';
import { Instant, Sha256 } from './wire.ts';

export const ReceiptId = z.string().regex(/^RCPT-\d{6,}-[0-9a-f]{8}$/);

/** Every member but the lane's blocks and `receipt_sha256`. */
export const Envelope = z.strictObject({
  schema: SchemaId,
  receipt_id: ReceiptId,
  org_seq: z.int().nonnegative(),
  parent_hash: Sha256,
  created_at: Instant,
  organization: z.strictObject({ id: z.string(), name: z.string() }),
  share_url: z.string(),
});
export type Envelope = z.infer<typeof Envelope>;
