/** The model that a model-pin receipt declares, and how a cook receipt points at it. */
import { z } from 'zod';
import { Instant, type Json, type JsonObject, Sha256 } from '../wire.ts';

const identity = {
  slug: z.string(),
  name: z.string(),
  base: z.string(),
  params_b: z.number(),
  card_sha256: Sha256,
  pinned_at: Instant,
  declaration: z.string(),
  client_ref: z.string(),
};
export const Model = z.strictObject(identity);

/** The declaration as a cook points at it: the sealed model and the receipt that sealed it. */
export const PinnedModel = z.strictObject({
  ...identity,
  pin_receipt_id: z.string(),
  pin_receipt_sha256: Sha256,
  pin_share_url: z.string(),
});
export type PinnedModel = z.infer<typeof PinnedModel>;

/** What a pin committed is absent in a cook, and an absent text is `""`: the receipt that it points at holds the digest. */
function inClear(model: Json | undefined): Json | undefined {
  if (typeof model !== 'object' || model === null || Array.isArray(model) || !Array.isArray(model._sd)) return model;
  const { _sd: _, ...rest } = model;
  return { name: '', base: '', declaration: '', client_ref: '', ...rest };
}

/** From a stored model-pin receipt. Null when the receipt no longer has the shape it was sealed with. */
export function pinnedModelOf(receipt: JsonObject): PinnedModel | null {
  const model = Model.safeParse(inClear(receipt.model));
  const pinned = PinnedModel.safeParse({
    ...model.data,
    pin_receipt_id: receipt.receipt_id,
    pin_receipt_sha256: receipt.receipt_sha256,
    pin_share_url: receipt.share_url,
  });
  return pinned.data ?? null;
}
