/**
 * A receipt as people read it, by the same code as the shared page. It brings the lanes with their schemas, 38 kB
 * compressed: loaded beside the first receipt, never with the page itself.
 */
import './without-eval.ts';
import type { Print } from '@rcpt/contract/lanes/lane.ts';
import { asClaimed, printReceipt } from '@rcpt/contract/lanes/print-receipt.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';

/** `intact`: its bytes still have its hash. */
export function printOf(receipt: JsonObject, intact: boolean): Print {
  const print = printReceipt(receipt);
  return intact ? print : asClaimed(print);
}
