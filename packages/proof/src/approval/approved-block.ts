/** What an approval fixed, found again in the receipt (docs/spec.md §5.3): the SHA-256 of it is what a passkey signs. */
import { canonicalize, type JsonObject } from '../canonical.ts';
import { ENVELOPE_MEMBERS, isObject } from '../receipt.ts';
import { sha256Hex } from '../sha256.ts';

/** The members of a receipt that an approval cannot know: those of the envelope, and what a lane takes from the instant of minting. */
export function approvedBlock(payload: JsonObject): JsonObject {
  const block: JsonObject = {};
  for (const [name, value] of Object.entries(payload)) if (!ENVELOPE_MEMBERS.has(name)) block[name] = value;
  if (payload.schema === 'service.cook-receipt/v1') delete block.pinned_model;
  if (payload.schema === 'service.model-pin-receipt/v1' && isObject(block.model)) {
    const { pinned_at: _, ...model } = block.model;
    block.model = model;
  }
  return block;
}

/** Lower-case hex, of the canonical bytes. */
export function approvedSha256(payload: JsonObject): string {
  return sha256Hex(canonicalize(approvedBlock(payload)));
}
