/** Receipts as they were read for what stands beside them: the next call on the same bytes neither parses nor walks them again. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '@rcpt/proof/canonical.ts';
import { disclosureChecker } from '@rcpt/proof/disclosures.ts';

export interface ReadReceipt {
  readonly payload: JsonObject;
  /** As `checkDisclosure` on this receipt. */
  check: ReturnType<typeof disclosureChecker>;
}

const MOST = 32;
/** Of their texts together: parsed, they take several times of that. */
const MOST_CHARACTERS = 8_388_608;

export function readReceipt(payload: JsonObject): ReadReceipt {
  return { payload, check: disclosureChecker(payload) };
}

/** Keeps what was asked for last, by the SHA-256 of the bytes that were given: an altered receipt is another one. */
export function createReceiptReader({
  most = MOST,
  most_characters = MOST_CHARACTERS,
} = {}): (text: string) => ReadReceipt {
  const kept = new Map<string, { receipt: ReadReceipt; characters: number }>();
  let characters = 0;

  function forget(sha256: string): void {
    characters -= kept.get(sha256)!.characters;
    kept.delete(sha256);
  }

  return (text) => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    const receipt = kept.get(sha256)?.receipt ?? readReceipt(readable(text));
    if (kept.has(sha256)) forget(sha256);
    kept.set(sha256, { receipt, characters: text.length });
    characters += text.length;
    for (const oldest of kept.keys()) {
      if (kept.size <= most && characters <= most_characters) break;
      forget(oldest);
    }
    return receipt;
  };
}

/** What can be read of a payload that may have been altered. */
function readable(payload: string): JsonObject {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
