/** Whether a stored receipt is the one that was minted at its place. */
import { equal } from '@rcpt/proof/log/bytes.ts';
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { type ReceiptVerdict, verifyReceipt } from '@rcpt/proof/receipt.ts';
import type { PackRow } from '../store/pack.ts';
import { reasonOf } from './anchors.ts';
import type { Packing } from './packing.ts';

export interface Judged {
  bytes: Buffer;
  verdict: ReceiptVerdict;
  /** Null: it is. */
  fault: Fault | null;
}

interface Fault {
  state: 'altered' | 'unsigned';
  /** Behind the receipt's name. */
  text: string;
}

/** By its own hash, by its record, and by the hash that was signed. */
export async function judge(packing: Pick<Packing, 'tree' | 'anchors'>, row: PackRow): Promise<Judged> {
  const bytes = Buffer.from(row.payload as string);
  const verdict = verifyReceipt(bytes);
  return { bytes, verdict, fault: faultOf(row, verdict) ?? (await unsigned(packing, row.org_seq, bytes)) };
}

function faultOf(row: PackRow, { ok, fault, ...stated }: ReceiptVerdict): Fault | null {
  if (!ok) return { state: 'altered', text: `it is not what was sealed: ${fault!.detail}` };
  const differs = (['org_seq', 'receipt_id', 'receipt_sha256'] as const).find(
    (member) => stated[member] !== row[member],
  );
  return differs === undefined ? null : { state: 'altered', text: `its ${differs} is not the one of its record` };
}

async function unsigned(
  { tree, anchors }: Pick<Packing, 'tree' | 'anchors'>,
  org_seq: number,
  bytes: Buffer,
): Promise<Fault | null> {
  if (tree === null || org_seq >= anchors.signed!.size)
    return { state: 'unsigned', text: 'no signed checkpoint counts it, so there is no proof of its place' };
  try {
    if (equal(await tree.leaf(org_seq), leafHash(bytes))) return null;
    return { state: 'altered', text: 'it is not the one that was signed at its place' };
  } catch (error) {
    return { state: 'unsigned', text: `whether it was signed cannot be said: ${reasonOf(error)}` };
  }
}
