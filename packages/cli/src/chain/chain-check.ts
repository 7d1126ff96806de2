/**
 * One look at an organization's chain from outside: the ledger verifies it, and what it serves is held against the head that
 * was seen last and hashed here. A ledger that answers `ok` to everything is found out by the second half, unless it serves
 * an older chain unchanged to a caller that has seen no more than that.
 */
import { AnswerError, type ClientSettings, call } from '@rcpt/contract/client/call.ts';
import { Verification } from '@rcpt/contract/ledger/receipts.ts';
import { canonicalize, type Json } from '@rcpt/proof/canonical.ts';
import { GENESIS_HASH, type Head } from '@rcpt/proof/chain.ts';
import { type ReceiptVerdict, verifyReceipt } from '@rcpt/proof/receipt.ts';

/** Something is wrong with the chain, or with what the ledger says of it. */
export class ChainFault extends Error {}
/** Not known: it could not be verified. */
export class NotVerified extends Error {}

/** Where a chain ended when it was last found whole. */
export interface Seen {
  /** Null as long as the chain holds no receipt. */
  organization_id: string | null;
  head: Head | null;
}

export interface Question {
  ledger: ClientSettings;
  seen: Seen | null;
  /** A receipt that the chain has to hold. */
  holds: Head | undefined;
  /** For each answer. */
  timeout_ms: number;
}

export const NOTHING_SEEN: Seen = { organization_id: null, head: null };
const PAGE = 500;

type Report = ReturnType<typeof Verification.parse>;

/** Resolves with the head that is to be seen next time. Throws `ChainFault`, `NotVerified`. */
export async function checkChain(question: Question): Promise<Seen> {
  const head = await verifiedHead(question);
  const { seen, holds } = question;
  if (holds !== undefined) await requireReceipt(question, holds);
  if (head === null) {
    if (seen?.head) throw shortened(seen.head, 'holds no receipt at all');
    return NOTHING_SEEN;
  }
  if (seen?.head && head.org_seq < seen.head.org_seq) throw shortened(seen.head, `ends at ${named(head)}`);
  return { organization_id: await follow(question, head), head };
}

/** The ledger's own verification. Its `ok` counts only for a walk that reached the end it names. */
async function verifiedHead(question: Question): Promise<Head | null> {
  let report = await verification(question);
  // The first receipt of all may have been minted in between: asked once more.
  if (report.head === null && (await page(question, -1, 1)).length > 0) report = await verification(question);
  const { ok, receipts_checked, head, violation } = report;
  if (!ok || violation !== null) throw violated(violation, receipts_checked);
  if (head === null && (await page(question, -1, 1)).length > 0)
    throw new NotVerified('GET /ledger/verify ended without reading the chain: it answers ok for 0 receipts');
  if (receipts_checked !== (head === null ? 0 : head.org_seq + 1))
    throw new NotVerified(
      `GET /ledger/verify broke off: it answers ok for ${receipts_checked} receipts of a chain that ends at ${head && named(head)}`,
    );
  return head;
}

async function verification(question: Question): Promise<Report> {
  const report = Verification.safeParse(await ask(question, '/ledger/verify'));
  if (!report.success)
    throw new NotVerified('GET /ledger/verify: 200, but the answer is cut off or is no verification');
  return report.data;
}

/**
 * From the head that was seen, or from the first receipt, to `head`: every receipt has its own hash and names the one before.
 * Returns whose chain it is.
 */
async function follow(question: Question, head: Head): Promise<string> {
  const { seen } = question;
  let organization_id = seen?.organization_id ?? null;
  let last: Head = seen?.head ? { ...seen.head, org_seq: seen.head.org_seq - 1 } : GENESIS;
  let isSeen = Boolean(seen?.head);
  while (last.org_seq < head.org_seq) {
    const receipts = await page(question, last.org_seq, Math.min(PAGE, head.org_seq - last.org_seq));
    if (receipts.length === 0)
      throw new ChainFault(`GET /ledger ends at org_seq ${last.org_seq}, before the verified head ${named(head)}`);
    for (const receipt of receipts) {
      const owner = organizationOf(receipt);
      organization_id ??= owner;
      if (owner !== organization_id)
        throw new NotVerified(
          `the key is one of ${owner}, and what was seen before is the chain of ${organization_id}`,
        );
      last = next(receipt, last, isSeen);
      isSeen = false;
    }
  }
  if (last.receipt_sha256 !== head.receipt_sha256)
    throw new ChainFault(`GET /ledger serves ${named(last)} where GET /ledger/verify found ${named(head)}`);
  return organization_id!;
}

const GENESIS: Head = { org_seq: -1, receipt_sha256: GENESIS_HASH };

/** @param isSeen `before` carries the hash of this very receipt, as it was seen */
function next(receipt: Json, before: Head, isSeen: boolean): Head {
  const verdict = sealed(receipt);
  const here: Head = { org_seq: verdict.org_seq!, receipt_sha256: verdict.receipt_sha256! };
  if (here.org_seq !== before.org_seq + 1)
    throw new ChainFault(`GET /ledger serves ${named(here)} where org_seq ${before.org_seq + 1} should stand`);
  const link = isSeen ? here.receipt_sha256 : verdict.parent_hash;
  if (link === before.receipt_sha256) return here;
  if (isSeen)
    throw new ChainFault(
      `THE CHAIN WAS REWRITTEN: ${here.org_seq}:${before.receipt_sha256} was seen before, now ${named(here)} stands in its place`,
    );
  throw new ChainFault(
    `receipt ${verdict.receipt_id} names the parent ${link}, and the receipt before it is ${named(before)}`,
  );
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
  const answer = await ask(question, `/ledger?after_seq=${after_seq}&limit=${limit}`);
  const receipts = (answer as { receipts?: Json[] } | null)?.receipts;
  if (!Array.isArray(receipts)) throw new NotVerified('GET /ledger: 200, but the answer is cut off or is no page');
  return receipts;
}

async function ask({ ledger, timeout_ms }: Question, path: string): Promise<unknown> {
  const signal = AbortSignal.timeout(timeout_ms);
  const late = () => new NotVerified(`GET ${path}: no answer within ${timeout_ms / 1000} s`);
  const answer = await call<unknown>(ledger, path, { signal }).catch((error: Error & { cause?: Error }) => {
    if (error instanceof AnswerError && error.status === 200) return null;
    throw signal.aborted ? late() : new NotVerified(`GET ${path}: ${error.cause?.message || error.message}`);
  });
  // A body that comes too slowly is cut, and reads as none.
  if (signal.aborted) throw late();
  return answer;
}

function violated(violation: Report['violation'], receipts_checked: number): ChainFault {
  if (violation === null) return new ChainFault(`GET /ledger/verify answers ok: false, and names nothing`);
  const { kind, org_seq, receipt_id, expected, actual, detail } = violation;
  const at = receipt_id === null ? `org_seq ${org_seq}` : `receipt ${receipt_id}, org_seq ${org_seq}`;
  return new ChainFault(
    `THE CHAIN DOES NOT VERIFY: ${kind} at ${at}: ${detail}; expected ${expected}, got ${actual} (${receipts_checked} receipts checked)`,
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
