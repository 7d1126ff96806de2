/** What a file holds, told by its content (docs/spec.md §8.2), and whether it holds: lines in, one report out. */
import { canonicalize, type Json, type JsonObject } from './canonical.ts';
import { type ChainReport, ChainVerifier, type Head, type Violation } from './chain.ts';
import { ProofError } from './error.ts';
import { MAX_LINE_BYTES } from './lines.ts';
import { parseStrict } from './parse.ts';
import { isObject, verifyReceipt } from './receipt.ts';
import { RouterLedgerVerifier } from './router-ledger.ts';
import { type SealedWork, sealedWorkOf } from './sealed-work.ts';

/** The end a chain must have; the org_seq is not always known. */
export type ExpectedHead = { org_seq?: number; receipt_sha256: string };

/** A violation and where it is; `line` is null when it is of the file as a whole. */
export interface FileViolation extends Omit<Violation, 'kind' | 'org_seq'> {
  kind: string;
  file: string;
  line: number | null;
  org_seq?: number | null;
}

export interface FileReport {
  file: string;
  kind: 'receipt' | 'ledger' | 'router' | 'empty';
  ok: boolean;
  receipts_checked: number;
  head: Head | null;
  violation: FileViolation | null;
  violations: FileViolation[];
  note: string | null;
  /** Of one receipt that holds; null for anything else. */
  work: SealedWork | null;
}

interface Judge {
  push(line: Uint8Array, terminated: boolean): void;
  finish(): FileReport;
  /** After `finish`: the payload of a file that is one receipt, and holds. */
  receipt?: JsonObject | null;
  /** After `finish`: the bytes of a file that is one receipt. */
  bytes?: Uint8Array | null;
}

/** Judges one file by its lines; what kind it is, the first line decides, and its name where that is damaged. */
export class FileJudge {
  readonly #file: string;
  readonly #head: ExpectedHead | undefined;
  #judge: Judge | null = null;
  #holdsReceipts: boolean;

  constructor(file: string, head?: ExpectedHead) {
    this.#file = file;
    this.#head = head;
    this.#holdsReceipts = NAMED_LIKE_RECEIPTS.test(file);
  }

  push(line: Uint8Array, terminated: boolean): void {
    this.#holdsReceipts ||= OF_A_RECEIPT.test(new TextDecoder().decode(line));
    this.#judge ??= judgeFor(this.#file, line, this.#head);
    this.#judge.push(line, terminated);
  }

  /** Nothing to verify is never ok. */
  finish(): FileReport {
    if (this.#judge === null) return this.#nothing(null);
    return this.#holdsReceipts ? this.#judge.finish() : this.#nothing(NO_RECEIPTS);
  }

  /** After `finish`: the payload, where the file is one receipt and it holds; else null. */
  get receipt(): JsonObject | null {
    return this.#judge?.receipt ?? null;
  }

  /** After `finish`: its bytes without a final line feed, where the file is one receipt; else null. */
  get bytes(): Uint8Array | null {
    return this.#judge?.bytes ?? null;
  }

  /** A file that cannot be read to its end as lines of receipts. */
  refuse(error: ProofError): FileReport {
    if (!this.#holdsReceipts) return this.#nothing(`${NO_RECEIPTS}: ${error.message}`);
    const detail = `cannot be read: ${error.code}: ${error.message}`;
    const pin = { file: this.#file, line: null, receipt_id: null };
    return report(this.#file, 'empty', [
      { kind: 'payload_altered', ...pin, expected: 'receipts', actual: null, detail },
    ]);
  }

  #nothing(note: string | null): FileReport {
    return { ...report(this.#file, 'empty', []), ok: false, note };
  }
}

/**
 * What tells receipts, damaged ones too, from other JSON. To take all of it away from a file
 * does no more than to take the file away, which only the rest of the chain shows.
 */
const OF_A_RECEIPT = /"(?:receipt_sha256|parent_hash|org_seq|checksum_sha256)"/;
const NAMED_LIKE_RECEIPTS = /(?:^|[\\/])RCPT-[^\\/]*\.json$|\.receipts\.jsonl$/;
const NO_RECEIPTS = 'it holds no receipt, no ledger export and no router receipts';

function judgeFor(file: string, line: Uint8Array, head: ExpectedHead | undefined): Judge {
  const text = new TextDecoder().decode(line);
  const first = parsed(text);
  const has = (member: string) => (isObject(first) ? Object.hasOwn(first, member) : text.includes(`"${member}"`));
  if (file.endsWith('.receipts.jsonl') || has('checksum_sha256')) return routerJudge(file);
  if (has('receipt_sha256') || has('parent_hash') || /\.(ndjson|jsonl)$/.test(file)) return ledgerJudge(file, head);
  return documentJudge(file, head);
}

function parsed(text: string): Json | undefined {
  try {
    return parseStrict(text);
  } catch {
    return undefined;
  }
}

function routerJudge(file: string): Judge {
  const verifier = new RouterLedgerVerifier();
  verifier.startFile(file);
  return {
    push: (line, terminated) => verifier.push(line, terminated),
    finish() {
      const { receipts_checked, violations } = verifier.finish();
      return { ...report(file, 'router', violations), receipts_checked };
    },
  };
}

/** An export; or one receipt alone, when there is one line and the name does not say that it is an export. */
function ledgerJudge(file: string, head: ExpectedHead | undefined): Judge {
  const chain = new ChainVerifier();
  const lines: number[] = [];
  let first: Uint8Array | null = null;
  let line = 0;
  let receipts = 0;
  const take = (receipt: Uint8Array, at: number) => {
    chain.push(receipt);
    while (lines.length < chain.violations.length) lines.push(at);
  };
  return {
    receipt: null,
    push(bytes) {
      line++;
      if (bytes.length === 0) return;
      receipts++;
      if (receipts === 1) first = bytes.slice();
      else {
        if (receipts === 2) take(first!, 1);
        take(bytes, line);
      }
    },
    finish() {
      if (receipts === 1 && !/\.(ndjson|jsonl)$/.test(file)) {
        const judged = receiptReport(file, first!, head);
        this.bytes = first;
        this.receipt = judged.receipt;
        return judged.report;
      }
      if (receipts === 1) take(first!, 1);
      return chainReport(file, chain.finish(head), lines);
    },
  };
}

/** A receipt spread over lines by an editor or a formatter. */
function documentJudge(file: string, head: ExpectedHead | undefined): Judge {
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    receipt: null,
    push(line) {
      size += line.length + 1;
      if (size > MAX_LINE_BYTES) throw new ProofError('line_too_long', `over ${MAX_LINE_BYTES} bytes`);
      parts.push(line.slice());
    },
    finish() {
      const whole = new Uint8Array(size).fill(0x0a);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length + 1;
      }
      const judged = receiptReport(file, whole, head);
      this.bytes = whole;
      this.receipt = judged.receipt;
      return judged.report;
    },
  };
}

const REFORMATTED = 'the file is formatted differently from the sealed bytes; its canonical form was checked';

/** One receipt by itself. Formatting is forgiven here, in a file people handle, and said; in an export it never is. */
function receiptReport(
  file: string,
  bytes: Uint8Array,
  head: ExpectedHead | undefined,
): { report: FileReport; receipt: JsonObject | null } {
  let verdict = verifyReceipt(bytes);
  let note: string | null = null;
  if (!verdict.ok && verdict.payload) {
    const reformatted = verifyReceipt(canonicalize(verdict.payload));
    if (reformatted.ok) note = REFORMATTED;
    verdict = reformatted;
  }
  const { ok, fault, org_seq, receipt_id, receipt_sha256 } = verdict;
  const pin = { file, line: null, org_seq, receipt_id };
  const violations: FileViolation[] = fault ? [{ kind: 'payload_altered', ...pin, ...fault }] : [];
  const sameSeq = head?.org_seq === undefined || head.org_seq === org_seq;
  if (ok && head && !(sameSeq && head.receipt_sha256 === receipt_sha256)) {
    const detail = 'this is not the receipt that was named as the head';
    violations.push({ kind: 'head_mismatch', ...pin, expected: head.receipt_sha256, actual: receipt_sha256, detail });
  }
  const end = ok ? { org_seq: org_seq!, receipt_sha256: receipt_sha256! } : null;
  const receipt = violations.length === 0 ? verdict.payload : null;
  const work = receipt && sealedWorkOf(receipt);
  const judged = { ...report(file, 'receipt', violations), receipts_checked: 1, head: end, note, work };
  return { report: judged, receipt };
}

function chainReport(file: string, chain: ChainReport, lines: number[]): FileReport {
  const violations = chain.violations.map((violation, i) => ({ file, line: lines[i] ?? null, ...violation }));
  return { ...report(file, 'ledger', violations), receipts_checked: chain.receipts_checked, head: chain.head };
}

function report(file: string, kind: FileReport['kind'], violations: FileViolation[]): FileReport {
  const violation = violations[0] ?? null;
  return {
    file,
    kind,
    ok: violation === null,
    receipts_checked: 0,
    head: null,
    violation,
    violations,
    note: null,
    work: null,
  };
}
