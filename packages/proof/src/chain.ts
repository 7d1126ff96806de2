/**
 * A chain verified receipt by receipt, in constant memory (docs/spec.md §7.2).
 *
 * How blame is laid, so that one cause is one violation:
 * - An altered receipt (`payload_altered`) keeps its place. Its members cannot be believed, so they are held against no
 *   column, and its successor may link to any hash that it is known under.
 * - A receipt with a later org_seq than expected is a `sequence_gap` pinned to it: expected is the first missing
 *   org_seq. The chain goes on from it; its parent link, which leads to a missing receipt, is not judged. When the
 *   very next receipt is the first missing one, the chain goes back to it: the later one had been put in between.
 * - A receipt with an earlier org_seq (moved, duplicated, inserted) is a `sequence_gap` pinned to it, and passed over.
 * - `broken_parent_link`: the parent_hash is not the hash of the receipt before, or the receipt before belongs to
 *   another organization (organization.id is one along a chain). A receipt altered and sealed anew is
 *   intact by itself: its record tells where that still holds what was sealed (`record_mismatch`), else its successor's
 *   link, or the recorded head.
 */
import { blocksAgree } from './blocks.ts';
import type { JsonObject } from './canonical.ts';
import { ORG_SEQ, ORGANIZATION_ID, PARENT_HASH, RECEIPT_ID, RECEIPT_SHA256 } from './fast/scan.ts';
import { Scratch } from './fast/scratch.ts';
import { type Fault, isHash, isObject, type ReceiptVerdict, receiptIdOf, verifyReceipt } from './receipt.ts';
import { type ReceiptRecord, recordAgrees, recordFault } from './record.ts';

/** The parent of an organization's first receipt. */
export const GENESIS_HASH = '0'.repeat(64);
/** How many violations a report lists; the last one listed says how many more there are. */
export const MAX_VIOLATIONS = 100;

export type ViolationKind =
  | 'payload_altered'
  | 'sequence_gap'
  | 'broken_parent_link'
  | 'record_mismatch'
  | 'head_mismatch';

export interface Violation extends Fault {
  kind: ViolationKind;
  /** Of the receipt it is pinned to; null when neither the receipt nor its record says. */
  org_seq: number | null;
  receipt_id: string | null;
}

export interface Head {
  org_seq: number;
  receipt_sha256: string;
}

/** What was recorded beside a chain of its end; not all of it is always known. */
export interface RecordedHead {
  org_seq?: number;
  receipt_sha256: string;
  /** Of the receipt at the head. */
  receipt_id?: string | null;
}

export interface ChainReport {
  ok: boolean;
  receipts_checked: number;
  /** Where the chain ends: the last receipt that holds a place in it. */
  head: Head | null;
  violation: Violation | null;
  violations: Violation[];
}

/** Where the chain stands: the next org_seq, and the hashes its parent_hash may have; none: unknown, any will do. */
interface Position {
  org_seq: number;
  parents: string[];
}

export class ChainVerifier {
  readonly violations: Violation[] = [];
  #unlisted = 0;
  /** Also by a violation that is not listed any more. */
  #broken = false;
  #checked = 0;
  #next: Position = { org_seq: 0, parents: [GENESIS_HASH] };
  /** Where the chain stood before a gap; null when there was none just now. */
  #beforeGap: Position | null = null;
  #organization: string | null;
  /** The last receipt's id; undefined: it is still in `#last`. */
  #lastId: string | null | undefined = null;
  #last = new Scratch();
  #scratch = new Scratch();

  /** @param organization_id whose chain it should be; null: that of its first receipt */
  constructor(organization_id: string | null = null) {
    this.#organization = organization_id;
  }

  /** No receipt so far was altered or is missing: what they say can be relied on. */
  get isUnbroken(): boolean {
    return !this.#broken;
  }

  /** Whether the receipts so far end where this head says. */
  endsAt(head: RecordedHead | null): boolean {
    return this.#headFault(head, this.#end()) === null;
  }

  /** What the caller's other records of a receipt say differently; `org_seq` null: of no receipt there is. */
  blame(pin: Pick<Violation, 'org_seq' | 'receipt_id'>, fault: Fault): void {
    this.#violate('record_mismatch', pin, fault);
  }

  /** Takes the next receipt, as stored, and the columns beside it. Never throws, whatever the receipt holds. */
  push(receipt: string | Uint8Array, record?: ReceiptRecord): void {
    if (!this.#continues(receipt, record)) this.examine(receipt, record);
  }

  /** The same as `push` without its shortcut, several times slower: what decides whenever the shortcut is unsure. */
  examine(receipt: string | Uint8Array, record: ReceiptRecord = {}): void {
    this.#checked++;
    const verdict = verifyReceipt(receipt);
    if (!verdict.ok) {
      this.#altered(verdict, record);
      return;
    }
    this.#place(verdict, record);
    const mismatch = recordFault(verdict, record);
    if (mismatch) this.#violate('record_mismatch', verdict, mismatch);
  }

  /**
   * The verdict. `head` is what was recorded when the last receipt was minted: undefined when not known (an export),
   * null when nothing was recorded. May be called once, after the last receipt.
   */
  finish(head?: RecordedHead | null): ChainReport {
    const end = this.#end();
    const fault = head === undefined ? null : this.#headFault(head, end);
    if (fault) this.#violate('head_mismatch', this.#headPin(head ?? null, end), fault);
    const last = this.violations.at(-1);
    if (last && this.#unlisted > 0) last.detail += `; ${this.#unlisted} more violations are not listed`;
    const violation = this.violations[0] ?? null;
    return {
      ok: violation === null,
      receipts_checked: this.#checked,
      head: end,
      violation,
      violations: this.violations,
    };
  }

  /** The shortcut: certain, from the bytes alone, that nothing is wrong with this receipt and that it comes next. */
  #continues(receipt: string | Uint8Array, record: ReceiptRecord | undefined): boolean {
    const { parents } = this.#next;
    const s = this.#scratch;
    if (this.#organization === null || parents.length !== 1 || !s.read(receipt)) return false;
    if (s.number(ORG_SEQ) !== this.#next.org_seq || !s.is(PARENT_HASH, parents[0]!)) return false;
    if (!s.is(ORGANIZATION_ID, this.#organization)) return false;
    const hash = s.hashWithoutSeal();
    if (!s.is(RECEIPT_SHA256, hash)) return false;
    if (record && !recordAgrees(s, this.#next.org_seq, parents[0]!, hash, record)) return false;
    if (record?.blocks !== undefined && !holdsBlocks(receipt, record.blocks)) return false;
    this.#checked++;
    this.#next.org_seq++;
    parents[0] = hash;
    this.#beforeGap = null;
    this.#lastId = undefined;
    this.#scratch = this.#last;
    this.#last = s;
    return true;
  }

  #altered(verdict: ReceiptVerdict, record: ReceiptRecord): void {
    const pin = {
      org_seq: record.org_seq ?? verdict.org_seq ?? this.#next.org_seq,
      receipt_id: record.receipt_id ?? idOfRecord(record) ?? verdict.receipt_id,
    };
    this.#violate('payload_altered', pin, verdict.fault!);
    const org_seq = this.#placeOfAltered(verdict, record);
    if (org_seq > this.#next.org_seq) this.#violate('sequence_gap', pin, gap(this.#next.org_seq, org_seq));
    const known = [verdict.receipt_sha256, verdict.computed_sha256, record.receipt_sha256].filter(isHash);
    this.#moveTo({ org_seq: org_seq + 1, parents: [...new Set(known)] }, pin.receipt_id);
  }

  /** The place expected, unless the column says a later one, or the payload does and its parent link agrees. */
  #placeOfAltered(verdict: ReceiptVerdict, record: ReceiptRecord): number {
    const { org_seq, parents } = this.#next;
    const inPlace = parents.length === 0 || (verdict.parent_hash !== null && parents.includes(verdict.parent_hash));
    const claimed = record.org_seq ?? (inPlace ? org_seq : verdict.org_seq) ?? org_seq;
    return Math.max(claimed, org_seq);
  }

  /** An intact receipt: it comes next, or leaves a gap, or has no place here. */
  #place(receipt: ReceiptVerdict, record: ReceiptRecord): void {
    const org_seq = receipt.org_seq!;
    // Sealed anew under its old column: the column is told of at this receipt, not at its successor again.
    const parents = [...new Set([receipt.receipt_sha256!, record.receipt_sha256].filter(isHash))];
    const before = this.#beforeGap;
    if (before && org_seq === before.org_seq && before.parents.includes(receipt.parent_hash!)) this.#next = before;
    if (org_seq === this.#next.org_seq) {
      const fault = this.#linkFault(receipt);
      if (fault) this.#violate('broken_parent_link', receipt, fault);
      this.#moveTo({ org_seq: org_seq + 1, parents }, receipt.receipt_id);
      return;
    }
    this.#violate('sequence_gap', receipt, gap(this.#next.org_seq, org_seq));
    if (org_seq < this.#next.org_seq) return;
    const left = this.#next;
    this.#moveTo({ org_seq: org_seq + 1, parents }, receipt.receipt_id);
    this.#beforeGap = left;
  }

  #linkFault(receipt: ReceiptVerdict): Fault | null {
    const { parents } = this.#next;
    const { organization } = receipt.payload!;
    const id = isObject(organization) ? String(organization.id) : '';
    this.#organization ??= id;
    if (parents.length > 0 && !parents.includes(receipt.parent_hash!)) {
      const detail = 'parent_hash is not the receipt_sha256 of the receipt before';
      return { expected: parents[0]!, actual: receipt.parent_hash, detail };
    }
    if (id === this.#organization) return null;
    return { expected: this.#organization, actual: id, detail: 'organization.id is not that of the chain' };
  }

  #moveTo(position: Position, receipt_id: string | null): void {
    this.#next = position;
    this.#beforeGap = null;
    this.#lastId = receipt_id;
  }

  #end(): Head | null {
    const { org_seq, parents } = this.#next;
    return org_seq === 0 ? null : { org_seq: org_seq - 1, receipt_sha256: parents[0] ?? '' };
  }

  /** Once the last receipt is altered beyond recognition, only its place can be held against the head. */
  #headFault(head: RecordedHead | null, end: Head | null): Fault | null {
    const { parents } = this.#next;
    if (head === null && end === null) return null;
    const sameSeq = head?.org_seq === undefined || head.org_seq === end?.org_seq;
    const sameHash = parents.length === 0 || (head !== null && parents.includes(head.receipt_sha256));
    if (head && end && sameSeq && sameHash) return null;
    const detail = end ? `the chain does not end at the recorded head${cutOff(head, end)}` : NO_RECEIPTS;
    return { expected: head && named(head), actual: end && named(end), detail };
  }

  /** Cut off: pinned to the last receipt that the head knows. Otherwise to the last one there. */
  #headPin(head: RecordedHead | null, end: Head | null): Pick<Violation, 'org_seq' | 'receipt_id'> {
    const next = this.#next.org_seq;
    if (end === null || (head?.org_seq ?? -1) >= next)
      return { org_seq: head?.org_seq ?? next, receipt_id: head?.receipt_id ?? null };
    return {
      org_seq: end.org_seq,
      receipt_id: this.#lastId === undefined ? this.#last.text(RECEIPT_ID) : this.#lastId,
    };
  }

  #violate(kind: ViolationKind, pin: Pick<Violation, 'org_seq' | 'receipt_id'>, fault: Fault): void {
    this.#broken ||= kind !== 'record_mismatch';
    if (this.violations.length === MAX_VIOLATIONS) this.#unlisted++;
    else this.violations.push({ kind, org_seq: pin.org_seq, receipt_id: pin.receipt_id, ...fault });
  }
}

/** What an altered receipt was called, when its columns tell. */
function idOfRecord({ org_seq, run_id }: ReceiptRecord): string | null {
  return org_seq === undefined || run_id === undefined ? null : receiptIdOf(org_seq, run_id);
}

function gap(expected: number, actual: number): Fault {
  const missing =
    actual > expected ? `receipts from ${expected} are missing before it` : 'it is here a second time or too late';
  return { expected, actual, detail: `org_seq ${expected} should stand here: ${missing}` };
}

const NO_RECEIPTS = 'a head is recorded but there are no receipts';

function cutOff(head: RecordedHead | null, end: Head): string {
  const last = head?.org_seq ?? -1;
  if (last <= end.org_seq) return '';
  const first = end.org_seq + 1;
  return first === last ? `: receipt ${last} is missing` : `: receipts ${first} to ${last} are missing`;
}

function holdsBlocks(receipt: string | Uint8Array, blocks: JsonObject | null): boolean {
  if (blocks === null) return false;
  const text = typeof receipt === 'string' ? receipt : new TextDecoder().decode(receipt);
  return blocksAgree(JSON.parse(text) as JsonObject, blocks);
}

function named(head: RecordedHead): string {
  return head.org_seq === undefined ? head.receipt_sha256 : `${head.org_seq}:${head.receipt_sha256}`;
}
