/** What a conforming verifier answers for every vector, as docs/spec.md §10 describes it: written by make.ts into `expected.json`. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  type ChainReport,
  ChainVerifier,
  type Head,
  ProofError,
  parseStrict,
  type ReceiptRecord,
  RouterLedgerVerifier,
  verifyReceipt,
} from '../packages/proof/src/index.ts';

interface Records {
  receipts: string[];
  records: ReceiptRecord[];
  head: Head | null;
}

/** By path, in the order of the paths. */
export function expectedAnswers(folder: URL): Record<string, object> {
  const answers: Record<string, object> = {};
  for (const kind of ['valid', 'invalid'])
    for (const name of readdirSync(new URL(kind, folder)).sort())
      answers[`${kind}/${name}`] = answer(name, readFileSync(new URL(`${kind}/${name}`, folder)));
  return answers;
}

function answer(name: string, bytes: Buffer): object {
  const text = bytes.toString();
  if (name.startsWith('canonical--')) return { read_as: 'pairs', ok: true };
  if (name.startsWith('receipt--')) return { read_as: 'receipt', ok: verifyReceipt(bytes).ok, violations: [] };
  if (name.endsWith('.jsonl')) return text.includes('"checksum_sha256"') ? ofRouter(text) : ofChain(text);
  if (/-with-columns|^(?:record|head)_mismatch--/.test(name)) return ofRecords(JSON.parse(text) as Records);
  return { read_as: 'json', refused: refusalOf(bytes) };
}

function ofRouter(text: string): object {
  const verifier = new RouterLedgerVerifier();
  const lines = text.split('\n');
  const end = lines.pop()!;
  for (const line of lines) verifier.push(line);
  if (end !== '') verifier.push(end, false);
  const { ok, receipts_checked, violations } = verifier.finish();
  const found = violations.map(({ kind, line, receipt_id }) => ({ kind, line, receipt_id }));
  return { read_as: 'router', ok, receipts_checked, violations: found };
}

function ofChain(text: string): object {
  const verifier = new ChainVerifier();
  const lines: number[] = [];
  for (const [i, receipt] of text.split('\n').entries()) {
    if (receipt === '') continue;
    verifier.examine(receipt);
    while (lines.length < verifier.violations.length) lines.push(i + 1);
  }
  return ofReport('chain', verifier.finish(), (i) => ({ line: lines[i]! }));
}

function ofRecords({ receipts, records, head }: Records): object {
  const verifier = new ChainVerifier();
  for (const [i, receipt] of receipts.entries()) verifier.examine(receipt, records[i]);
  return ofReport('records', verifier.finish(head), () => ({}));
}

function ofReport(
  read_as: string,
  { ok, receipts_checked, head, violations }: ChainReport,
  place: (i: number) => object,
): object {
  const found = violations.map(({ kind, org_seq, receipt_id }, i) => ({ kind, org_seq, receipt_id, ...place(i) }));
  return { read_as, ok, receipts_checked, head, violations: found };
}

function refusalOf(bytes: Uint8Array): string | null {
  try {
    parseStrict(bytes);
    return null;
  } catch (error) {
    if (error instanceof ProofError) return error.code;
    throw error;
  }
}
