/** What was erased, by the organization's activity: it says so for good, so a list from before an erasure is known for an old one. */
import { ChainVerifier } from './chain.ts';
import { ProofError } from './error.ts';
import { decodeUtf8, parseStrict } from './parse.ts';
import { isObject } from './receipt.ts';

export interface Erasure {
  /** The line that says so. */
  activity_receipt_id: string;
  path: string;
  erased_at: string;
  reason: string;
}

/** An export of the activity, line by line: what it says was erased of one receipt. */
export class ErasureSearch {
  readonly #receipt_id: string;
  readonly #chain: ChainVerifier;
  readonly #found: Erasure[] = [];

  constructor(organization_id: string, receipt_id: string) {
    this.#receipt_id = receipt_id;
    this.#chain = new ChainVerifier(organization_id);
  }

  push(line: Uint8Array): void {
    this.#chain.push(line);
    const found = erasureIn(line, this.#receipt_id);
    if (found !== null) this.#found.push(found);
  }

  /**
   * Throws `activity_broken`. That the end was cut off with an erasure in it is not noticed here: a checkpoint of the activity shows whether the
   * export is whole.
   */
  finish(): Erasure[] {
    const { violation, receipts_checked } = this.#chain.finish();
    if (violation !== null)
      throw new ProofError('activity_broken', `the activity itself does not hold: ${violation.detail}`);
    if (receipts_checked === 0) throw new ProofError('activity_broken', 'the activity holds nothing');
    return this.#found;
  }
}

/** With the whole of what a path names all that stands below it is erased, too. */
export function erasureOf(erasures: readonly Erasure[], path: string): Erasure | null {
  return erasures.find((one) => one.path === path || path.startsWith(`${one.path}/`)) ?? null;
}

/** Null: the line is of something else. What is not in a sound chain is not relied on: `finish` says so. */
function erasureIn(line: Uint8Array, of: string): Erasure | null {
  try {
    const text = decodeUtf8(line);
    if (!text.includes('"erased"')) return null;
    const receipt = parseStrict(text);
    if (!isObject(receipt) || receipt.schema !== 'service.activity-receipt/v1') return null;
    const { activity, receipt_id, created_at } = receipt;
    if (!isObject(activity) || activity.kind !== 'erased' || !isObject(activity.details)) return null;
    const { receipt_id: erased, path, reason } = activity.details;
    if (erased !== of || typeof path !== 'string' || typeof reason !== 'string') return null;
    return { activity_receipt_id: String(receipt_id), path, erased_at: String(created_at), reason };
  } catch (error) {
    if (error instanceof ProofError) return null;
    throw error;
  }
}
