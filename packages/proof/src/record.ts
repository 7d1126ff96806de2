/** The columns stored beside a receipt, held against the receipt itself (docs/spec.md §7.3): once on values, once on bytes. */
import { blockDifferences } from './blocks.ts';
import { canonicalize, type Json, type JsonObject } from './canonical.ts';
import { CREATED_AT, RECEIPT_ID, RUN_ID, SCHEMA, SHARE_URL } from './fast/scan.ts';
import type { Scratch } from './fast/scratch.ts';
import { type Fault, isObject, type ReceiptVerdict, receiptIdSuffix } from './receipt.ts';

/** The columns stored beside a receipt; whichever are given must agree with the payload as stored. */
export interface ReceiptRecord {
  org_seq?: number;
  receipt_id?: string;
  parent_hash?: string;
  receipt_sha256?: string;
  schema?: string;
  created_at?: string;
  /** The last path segment of share_url. */
  share_token?: string;
  /** `run.id` where the lane seals it; and receipt_id ends in `receiptIdSuffix(run_id)`. */
  run_id?: string;
  /** The lane's blocks as the Run's own records make them; null: there is no such Run. */
  blocks?: JsonObject | null;
}

/** The first column that disagrees with the payload, the others named beside it. */
export function recordFault(receipt: ReceiptVerdict, record: ReceiptRecord): Fault | null {
  const payload = receipt.payload!;
  const differing: { name: string; expected: string | number; actual: string | number }[] = [];
  const compare = (name: string, expected: unknown, actual: string | number | undefined) => {
    if (actual === undefined || actual === expected) return;
    differing.push({ name, expected: typeof expected === 'number' ? expected : String(expected), actual });
  };
  for (const name of ['org_seq', 'receipt_id', 'parent_hash', 'receipt_sha256', 'schema', 'created_at'] as const) {
    compare(name, payload[name], record[name]);
  }
  compare('share_token', String(payload.share_url).replace(/^.*\//s, ''), record.share_token);
  if (record.run_id !== undefined) {
    if (isObject(payload.run) && Object.hasOwn(payload.run, 'id')) compare('run_id', payload.run.id, record.run_id);
    compare('receipt_id suffix', receipt.receipt_id!.slice(-8), receiptIdSuffix(record.run_id));
  }
  if (record.blocks === null) compare('run', 'a Run', 'none is stored');
  else if (record.blocks !== undefined)
    for (const { path, sealed, recorded } of blockDifferences(payload, record.blocks))
      compare(path, inWords(sealed), inWords(recorded));
  const [first] = differing;
  if (!first) return null;
  const names = differing.map((column) => column.name).join(', ');
  return {
    expected: first.expected,
    actual: first.actual,
    detail: `stored beside the receipt, but not as sealed: ${names}`,
  };
}

/** A member's value in a fault, cut to what a line holds. */
function inWords(value: Json | undefined): string {
  if (value === undefined) return '(absent)';
  const text = typeof value === 'string' ? value : canonicalize(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…`.toWellFormed() : text;
}
const VALUE_CHARACTERS = 200;

/**
 * The same on the bytes of an intact receipt in the scratch, of which org_seq, parent_hash and receipt_sha256 are known
 * already; the blocks are judged on values (`blocksAgree`). Yes: `recordFault` finds nothing. No: it has the word.
 */
export function recordAgrees(
  receipt: Scratch,
  org_seq: number,
  parent_hash: string,
  receipt_sha256: string,
  record: ReceiptRecord,
): boolean {
  const { receipt_id, schema, created_at, share_token, run_id } = record;
  return (
    (record.org_seq === undefined || record.org_seq === org_seq) &&
    (record.parent_hash === undefined || record.parent_hash === parent_hash) &&
    (record.receipt_sha256 === undefined || record.receipt_sha256 === receipt_sha256) &&
    (receipt_id === undefined || receipt.is(RECEIPT_ID, receipt_id)) &&
    (schema === undefined || receipt.is(SCHEMA, schema)) &&
    (created_at === undefined || receipt.is(CREATED_AT, created_at)) &&
    (share_token === undefined || receipt.lastSegmentIs(SHARE_URL, share_token)) &&
    (run_id === undefined ||
      ((!receipt.has(RUN_ID) || receipt.is(RUN_ID, run_id)) && receipt.endsIn(RECEIPT_ID, receiptIdSuffix(run_id))))
  );
}
