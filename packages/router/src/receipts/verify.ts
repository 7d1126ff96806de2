/** Verifies the receipts files by themselves and against the database: altered, torn, doubled, missing and unknown lines. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RouterLedgerVerifier, type RouterViolation } from '@rcpt/proof/router-ledger.ts';
import type { Db, Snapshot } from '@rcpt/service/db/db.ts';
import { receiptDates, scanBatches } from '../store/batches.ts';
import { filesOf, type ReceiptsFolder } from './folder.ts';

export interface LedgerReport {
  ok: boolean;
  receipts_checked: number;
  violation: LedgerViolation | null;
  violations: LedgerViolation[];
}
type LedgerViolation = Omit<RouterViolation, 'kind' | 'line'> & {
  kind: RouterViolation['kind'] | 'missing_receipt' | 'unknown_receipt';
  line: number | null;
};

const LF = 0x0a;
const MAX_VIOLATIONS = 100;
/** Until the altered lines among them are left out. */
const MAX_KEPT = 10_000;

/**
 * Correct also while receipts are written: lines that are in the files at first were committed before the snapshot, and lines that
 * the snapshot calls appended were in the files before it. Memory grows with the receipts of one day.
 */
export async function verifyReceipts(db: Db, folder: ReceiptsFolder): Promise<LedgerReport> {
  const sizes = new Map(filesOf(folder).map((name) => [name, statSync(join(folder.path, name)).size]));
  const verifier = new RouterLedgerVerifier();
  const more: LedgerViolation[] = [];
  await db.snapshot(async (read) => {
    const dates = new Set([...filesOf(folder).map(dateOf), ...(await receiptDates(read, folder.ledger_id))]);
    for (const date of [...dates].sort()) {
      const promised = await promisedLines(read, folder, date);
      const name = basename(folder.fileOf(date));
      const found = existsSync(folder.fileOf(date))
        ? verifyFile(folder, name, sizes.get(name) ?? 0, promised, verifier)
        : [];
      for await (const violation of found) if (more.length < MAX_KEPT) more.push(violation);
      for (const { receipt_id, appended } of promised.values())
        if (appended && more.length < MAX_KEPT) more.push(missing(name, receipt_id));
    }
  });
  const { receipts_checked, violations } = verifier.finish();
  return reportOf(receipts_checked, violations, more);
}

interface Promised {
  receipt_id: string | null;
  appended: boolean;
}

/** Of one date, by the hash of the line. */
async function promisedLines(
  read: Snapshot,
  { ledger_id }: ReceiptsFolder,
  date: string,
): Promise<Map<string, Promised>> {
  const promised = new Map<string, Promised>();
  for await (const rows of scanBatches(read, ledger_id, date))
    for (const [lines, appended] of rows as [string, number][])
      for (const line of lines.split('\n'))
        if (line !== '') promised.set(hashOf(line), { receipt_id: receiptIdOf(line), appended: appended === 1 });
  return promised;
}

/** Removes the lines it finds from `promised`; yields the lines that are not in it. */
async function* verifyFile(
  folder: ReceiptsFolder,
  name: string,
  size: number,
  promised: Map<string, Promised>,
  verifier: RouterLedgerVerifier,
): AsyncIterable<LedgerViolation> {
  verifier.startFile(name);
  let line = 0;
  let end = 0;
  for await (const { bytes, terminated } of linesOf(join(folder.path, name))) {
    line++;
    end += bytes.length + (terminated ? 1 : 0);
    const late = end > size;
    if (late && !terminated) return;
    verifier.push(bytes, terminated);
    if (!promised.delete(hashOf(bytes)) && !late) yield unknown(name, line, bytes.toString('utf8'));
  }
}

/** An altered line is one violation, by its checksum: it does not count as unknown and missing, too. */
function reportOf(receipts_checked: number, own: RouterViolation[], more: LedgerViolation[]): LedgerReport {
  const altered = new Set(own.map((violation) => `${violation.file} ${violation.line}`));
  const unaltered = more.filter(
    ({ kind, file, line }) => kind !== 'unknown_receipt' || !altered.has(`${file} ${line}`),
  );
  const present = new Set(
    [...own, ...unaltered].flatMap(({ line, receipt_id }) => (line === null ? [] : [receipt_id])),
  );
  const rest = unaltered.filter(({ kind, receipt_id }) => kind !== 'missing_receipt' || !present.has(receipt_id));
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

function dateOf(file: string): string {
  return file.slice(0, 10);
}

/** Kept in memory instead of the line. */
function hashOf(line: string | Buffer): string {
  return createHash('sha256').update(line).digest('base64url');
}

/** Lines without their LF; the last one may lack it. Bytes, as they stand: altered ones need not be UTF-8. */
export async function* linesOf(file: string): AsyncIterable<{ bytes: Buffer; terminated: boolean }> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = text.indexOf(LF); end >= 0; end = text.indexOf(LF)) {
      yield { bytes: text.subarray(0, end), terminated: true };
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  if (rest.length > 0) yield { bytes: rest, terminated: false };
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
    detail: 'The database has no such line: it was put there, or changed, by something else.',
  };
}

function missing(file: string, receipt_id: string | null): LedgerViolation {
  return {
    kind: 'missing_receipt',
    file,
    line: null,
    receipt_id,
    expected: receipt_id,
    actual: null,
    detail: 'The database has this receipt, the file does not: its line was removed.',
  };
}
