/** Who did the work that a receipt seals, what they delivered and who approved it: as claims of the sealed bytes. */
import type { Json, JsonObject } from './canonical.ts';
import { isObject } from './receipt.ts';
import { sealedFilesOf } from './sealed-files.ts';

/** Texts are as they were written by others: to be shown with care. */
export interface SealedWork {
  agent_name: string | null;
  model_name: string | null;
  output: { name: string; sha256: string; byte_size: number | null } | null;
  approved_by: string | null;
  /** `user_…` a person, `key_…` an API key. */
  approver_id: string | null;
}

/** From the payload of a receipt that holds, of any lane. Null where the lane seals none of it. */
export function sealedWorkOf(payload: JsonObject): SealedWork | null {
  const work = isObject(payload.execution) ? payload.execution : payload.submission;
  const { output } = sealedFilesOf(payload);
  if (!isObject(work) && output === null) return null;
  return {
    agent_name: textAt(work, 'agent_name'),
    model_name: textAt(work, 'model_name'),
    output: output && { name: output.name, sha256: output.sha256, byte_size: output.byte_size },
    approved_by: textAt(payload.approval, 'approved_by'),
    approver_id: textAt(payload.approval, 'approver_id'),
  };
}

/** Null for what is absent or empty. */
function textAt(block: Json | undefined, name: string): string | null {
  const value = isObject(block) ? block[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}
