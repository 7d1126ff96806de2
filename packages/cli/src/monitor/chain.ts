/**
 * The receipts of a chain, read from outside: the ledger verifies it, and what it serves is hashed here, receipt by receipt, and held against
 * the head that was seen last and the root of the signed checkpoint. A ledger that answers `ok` to everything is found out.
 */
import { Verification } from '@rcpt/contract/ledger/receipts.ts';
import { canonicalize, type Json } from '@rcpt/proof/canonical.ts';
import { GENESIS_HASH, type Head } from '@rcpt/proof/chain.ts';
import { fromBase64, toBase64 } from '@rcpt/proof/log/bytes.ts';
import type { Checkpoint } from '@rcpt/proof/log/checkpoint.ts';
import { leafHash } from '@rcpt/proof/log/merkle.ts';
import { appendLeaf, rootOfPeaks } from '@rcpt/proof/log/peaks.ts';
import { type ReceiptVerdict, verifyReceipt } from '@rcpt/proof/receipt.ts';
import { ChainFault, NotVerified } from './found.ts';
import { answer, type Question } from './question.ts';

const PAGE = 500;

type Report = ReturnType<typeof Verification.parse>;

/** As far as the receipts were read. */
export interface Read {
  organization_id: string | null;
  head: Head | null;
  /** Base64. */
  peaks: string[];
}

/** The ledger's own verification. Its `ok` counts only for a walk that reached the end it names. */
export async function verifiedHead(question: Question): Promise<Head | null> {
  const { root } = question;
  let report = await verification(question);
  // The first receipt of all may have been minted in between: asked once more.
  if (report.head === null && (await page(question, -1, 1)).length > 0) report = await verification(question);
  const { ok, receipts_checked, head, violation } = report;
  if (!ok || violation !== null) throw violated(violation, receipts_checked);
  if (head === null && (await page(question, -1, 1)).length > 0)
    throw new NotVerified(`GET ${root}/verify ended without reading the chain: it answers ok for 0 receipts`);
  if (receipts_checked !== (head === null ? 0 : head.org_seq + 1))
    throw new NotVerified(
      `GET ${root}/verify broke off: it answers ok for ${receipts_checked} receipts of a chain that ends at ${head && named(head)}`,
    );
  return head;
}

/** Throws `ChainFault` where the chain was seen to be longer, or to end otherwise. */
export async function requireSeen(question: Question, head: Head | null): Promise<void> {
  const { seen, holds } = question;
  if (holds !== undefined) await requireReceipt(question, holds);
  if (!seen?.head) return;
  if (head === null) throw shortened(seen.head, 'holds no receipt at all');
  if (head.org_seq < seen.head.org_seq) throw shortened(seen.head, `ends at ${named(head)}`);
}

/**
 * From the head that was seen, or from the first receipt, to the end of the checkpoint: every receipt has its own hash and names the one before,
 * and all of them have the root that is signed.
 * @param verified the head that the ledger's verification found, within that checkpoint
 */
export async function readReceipts(question: Question, verified: Head, checkpoint: Checkpoint): Promise<Read> {
  const walk = new Walk(question);
  while (walk.last.org_seq < checkpoint.size - 1) {
    const receipts = await page(question, walk.after, Math.min(PAGE, checkpoint.size - 1 - walk.after));
    if (receipts.length === 0)
      throw new ChainFault(
        `GET ${question.root} ends at org_seq ${walk.after}, before the signed checkpoint of ${checkpoint.size} receipts`,
      );
    for (const receipt of receipts) {
      const here = walk.next(receipt);
      if (here.org_seq === verified.org_seq && here.receipt_sha256 !== verified.receipt_sha256)
        throw new ChainFault(
          `GET ${question.root} serves ${named(here)} where GET ${question.root}/verify found ${named(verified)}`,
        );
    }
  }
  const root = rootOfPeaks(walk.peaks);
  if (toBase64(root) === toBase64(checkpoint.root))
    return { organization_id: walk.organization_id, head: walk.last, peaks: walk.peaks.map(toBase64) };
  throw new ChainFault(
    `THE CHECKPOINT IS NOT OF THIS CHAIN: ${checkpoint.size} receipts hash to the root ${toBase64(root)}, and ${toBase64(checkpoint.root)} is signed`,
  );
}

const GENESIS: Head = { org_seq: -1, receipt_sha256: GENESIS_HASH };

/** One receipt after the other. The head that was seen is read once more: it has to be there still. */
class Walk {
  organization_id: string | null;
  last: Head;
  peaks: Uint8Array[];
  /** Its place is behind this one. */
  after: number;
  #again: Head | null;

  constructor({ seen }: Question) {
    // A head without its tree is of a single receipt that was looked at by its link.
    const head = seen !== null && seen.peaks.length > 0 ? seen.head : null;
    this.organization_id = seen?.organization_id ?? null;
    this.peaks = head === null ? [] : seen!.peaks.map((peak) => fromBase64(peak)!);
    this.last = head ?? GENESIS;
    this.#again = head;
    this.after = head === null ? -1 : head.org_seq - 1;
  }

  next(receipt: Json): Head {
    const owner = organizationOf(receipt);
    this.organization_id ??= owner;
    if (owner !== this.organization_id)
      throw new NotVerified(
        `the key is one of ${owner}, and what was seen before is the chain of ${this.organization_id}`,
      );
    const verdict = sealed(receipt);
    const here: Head = { org_seq: verdict.org_seq!, receipt_sha256: verdict.receipt_sha256! };
    if (here.org_seq !== this.after + 1)
      throw new ChainFault(`the ledger serves ${named(here)} where org_seq ${this.after + 1} should stand`);
    this.after = here.org_seq;
    if (this.#again !== null) {
      if (here.receipt_sha256 !== this.#again.receipt_sha256) throw rewritten(this.#again, here);
      this.#again = null;
      return here;
    }
    if (verdict.parent_hash !== this.last.receipt_sha256)
      throw new ChainFault(
        `receipt ${verdict.receipt_id} names the parent ${verdict.parent_hash}, and the receipt before it is ${named(this.last)}`,
      );
    this.peaks = appendLeaf(this.peaks, here.org_seq, leafHash(new TextEncoder().encode(canonicalize(receipt))));
    this.last = here;
    return here;
  }
}

async function verification(question: Question): Promise<Report> {
  const report = Verification.safeParse(await answer(question, `${question.root}/verify`));
  if (!report.success)
    throw new NotVerified(`GET ${question.root}/verify: 200, but the answer is cut off or is no verification`);
  return report.data;
}

/** What the ledger serves, hashed here. */
function sealed(receipt: Json): ReceiptVerdict {
  const verdict = verifyReceipt(canonicalize(receipt));
  if (verdict.ok) return verdict;
  throw new ChainFault(
    `the ledger calls its chain whole, but serves a receipt ${verdict.receipt_id} of which ${verdict.fault!.detail}: expected ${verdict.fault!.expected}, got ${verdict.fault!.actual}`,
  );
}

async function requireReceipt(question: Question, wanted: Head): Promise<void> {
  const [receipt] = await page(question, wanted.org_seq - 1, 1);
  if (receipt === undefined) throw shortened(wanted, `holds no receipt ${wanted.org_seq}`);
  const { org_seq, receipt_sha256 } = sealed(receipt);
  if (org_seq !== wanted.org_seq || receipt_sha256 !== wanted.receipt_sha256)
    throw new ChainFault(`the chain does not hold ${named(wanted)}: ${org_seq}:${receipt_sha256} stands in its place`);
}

async function page(question: Question, after_seq: number, limit: number): Promise<Json[]> {
  const order = question.root === '/activity' ? '&order=oldest' : '';
  const answered = await answer(question, `${question.root}?after_seq=${after_seq}&limit=${limit}${order}`);
  const receipts = (answered as { receipts?: Json[] } | null)?.receipts;
  if (!Array.isArray(receipts))
    throw new NotVerified(`GET ${question.root}: 200, but the answer is cut off or is no page`);
  return receipts;
}

function violated(violation: Report['violation'], receipts_checked: number): ChainFault {
  if (violation === null) return new ChainFault('the verification answers ok: false, and names nothing');
  const { kind, org_seq, receipt_id, expected, actual, detail } = violation;
  const at = receipt_id === null ? `org_seq ${org_seq}` : `receipt ${receipt_id}, org_seq ${org_seq}`;
  return new ChainFault(
    `THE CHAIN DOES NOT VERIFY: ${kind} at ${at}: ${detail}; expected ${expected}, got ${actual} (${receipts_checked} receipts checked)`,
  );
}

function rewritten(before: Head, here: Head): ChainFault {
  return new ChainFault(
    `THE CHAIN WAS REWRITTEN: ${named(before)} was seen before, now ${named(here)} stands in its place`,
  );
}

function shortened(seen: Head, now: string): ChainFault {
  return new ChainFault(
    `THE CHAIN WAS CUT: ${named(seen)} was seen before, and now it ${now} (or an older backup was restored)`,
  );
}

function organizationOf(receipt: Json): string {
  return String((receipt as { organization?: { id?: unknown } } | null)?.organization?.id);
}

function named({ org_seq, receipt_sha256 }: Head): string {
  return `${org_seq}:${receipt_sha256}`;
}
