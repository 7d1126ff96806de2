/** The receipts ledger against itself and against the database: altered, torn, doubled, missing and unknown lines. */
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { RouterLedgerVerifier, type RouterViolation } from '@rcpt/proof/router-ledger.ts';
import type { Db } from '@rcpt/service/db.ts';
import { openBatches, scanBatches } from '../store/batches.ts';
import type { ReceiptsFolder } from './folder.ts';

export interface LedgerReport {
  ok: boolean;
  receipts_checked: number;
  violation: LedgerViolation | null;
  violations: LedgerViolation[];
}
export type LedgerViolation = Omit<RouterViolation, 'kind' | 'line'> & {
  kind: RouterViolation['kind'] | 'missing_receipt' | 'unknown_receipt';
  line: number | null;
};

const FILE = /^\d{4}-\d{2}-\d{2}\.receipts\.jsonl$/;
const MAX_VIOLATIONS = 100;

/**
 * Lines committed but not appended yet (the writer is about to) are not missing. Memory grows with the receipts of one day.
 */
export async function verifyReceipts(db: Db, folder: ReceiptsFolder): Promise<LedgerReport> {
  const promised = await promisedLines(db, folder);
  const verifier = new RouterLedgerVerifier();
  const more: LedgerViolation[] = [];
  for (const name of filesOf(folder)) {
    const date = name.slice(0, 10);
    const expected = promised.get(date) ?? new Map<string, boolean>();
    verifier.startFile(name);
    let line = 0;
    for await (const { text, terminated } of linesOf(folder.fileOf(date))) {
      line++;
      verifier.push(text, terminated);
      if (expected.has(text)) expected.delete(text);
      else more.push(unknown(name, line, text));
    }
    promised.set(date, expected);
  }
  const open = new Set((await openBatches(db, folder.ledger_id)).flatMap(({ lines }) => lines.split('\n')));
  for (const [date, lines] of promised)
    for (const [text] of lines) if (!open.has(text)) more.push(missing(basename(folder.fileOf(date)), text));
  const { receipts_checked, violations } = verifier.finish();
  return reportOf(receipts_checked, violations, more);
}

/** A line that was altered is one violation, told by its checksum: not also an unknown and a missing one. */
function reportOf(receipts_checked: number, own: RouterViolation[], more: LedgerViolation[]): LedgerReport {
  const told = new Set(own.map((violation) => `${violation.file} ${violation.line}`));
  const toldIds = new Set(own.map((violation) => violation.receipt_id));
  const rest = more.filter(({ kind, file, line, receipt_id }) =>
    kind === 'unknown_receipt' ? !told.has(`${file} ${line}`) : !toldIds.has(receipt_id),
  );
  const violations = [...own, ...rest].sort((a, b) =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? Infinity) - (b.line ?? Infinity),
  );
  return {
    ok: violations.length === 0,
    receipts_checked,
    violation: violations[0] ?? null,
    violations: violations.slice(0, MAX_VIOLATIONS),
  };
}

async function promisedLines(db: Db, { ledger_id }: ReceiptsFolder): Promise<Map<string, Map<string, boolean>>> {
  const promised = new Map<string, Map<string, boolean>>();
  await db.snapshot(async (read) => {
    for await (const rows of scanBatches(read, ledger_id))
      for (const [date, lines] of rows as [string, string][]) {
        const ofDate = promised.get(date) ?? new Map<string, boolean>();
        for (const line of lines.split('\n')) if (line !== '') ofDate.set(line, true);
        promised.set(date, ofDate);
      }
  });
  return promised;
}

function filesOf({ path }: ReceiptsFolder): string[] {
  return existsSync(path)
    ? readdirSync(path)
        .filter((name) => FILE.test(name))
        .sort()
    : [];
}

/** Lines without their LF; the last one may lack it. */
export async function* linesOf(file: string): AsyncIterable<{ text: string; terminated: boolean }> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const parts = `${rest}${chunk}`.split('\n');
    rest = parts.pop()!;
    for (const text of parts) yield { text, terminated: true };
  }
  if (rest !== '') yield { text: rest, terminated: false };
}

function receiptIdOf(text: string): string | null {
  return /"receipt_id":"(rcpt_[\w-]+)"/.exec(text)?.[1] ?? null;
}

function unknown(file: string, line: number, text: string): LedgerViolation {
  return {
    kind: 'unknown_receipt',
    file,
    line,
    receipt_id: receiptIdOf(text),
    expected: null,
    actual: null,
    detail: 'The database has no such receipt: the line was put there by something else.',
  };
}

function missing(file: string, text: string): LedgerViolation {
  return {
    kind: 'missing_receipt',
    file,
    line: null,
    receipt_id: receiptIdOf(text),
    expected: receiptIdOf(text),
    actual: null,
    detail: 'The database has this receipt, the file does not: its line was removed.',
  };
}
