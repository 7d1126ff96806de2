/**
 * After a crash: what was committed but not (wholly) appended is appended now, each line once. And a last line that is torn
 * although it was on disk once (a copy that broke off, a damaged disk) is written again. Lines that are missing without a trace are
 * not written again: verification reports them.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Db } from '@rcpt/service/db/db.ts';
import { lastBatches, markAppended, openBatches, type StoredBatch } from '../store/batches.ts';
import type { ReceiptsFolder } from './folder.ts';

/** Returns how many lines were missing. Only the last commits can be open, so a day's file is read at most once each. */
export async function recoverReceipts(db: Db, folder: ReceiptsFolder): Promise<number> {
  const open = await openBatches(db, folder.ledger_id);
  let appended = await mendTorn(db, folder, open);
  if (open.length === 0) return appended;
  const present = new Map<string, Set<string>>();
  for (const { receipt_date, lines } of open) {
    const known = present.get(receipt_date) ?? (await linesOf(folder.fileOf(receipt_date)));
    present.set(receipt_date, known);
    const missing = lines.split('\n').filter((line) => line !== '' && !known.has(line));
    // Also when none is missing: appending syncs lines that may have been written without a sync.
    await folder.append(receipt_date, missing.map((line) => `${line}\n`).join(''));
    appended += missing.length;
  }
  await db.transaction((tx) =>
    markAppended(
      tx,
      open.map((batch) => batch.id),
    ),
  );
  return appended;
}

/** Only where the file ends with the line before it, and what was cut is its beginning. */
async function mendTorn(db: Db, folder: ReceiptsFolder, open: StoredBatch[]): Promise<number> {
  let mended = 0;
  for (const [date, cut] of folder.torn) {
    const batches = await lastBatches(db, folder.ledger_id, date, 2);
    if (batches.some(({ id }) => open.some((batch) => batch.id === id))) continue;
    const lines = batches.flatMap((batch) => batch.lines.split('\n').slice(0, -1));
    const last = lines.at(-1);
    const stands = [...(await linesOf(folder.fileOf(date)))].at(-2);
    if (last === undefined || stands !== lines.at(-2)) continue;
    if (!Buffer.from(last).subarray(0, cut.length).equals(cut)) continue;
    await folder.append(date, `${last}\n`);
    mended++;
  }
  return mended;
}

async function linesOf(file: string): Promise<Set<string>> {
  if (!existsSync(file)) return new Set();
  const text = await readFile(file, 'utf8');
  // What follows the last LF is a torn line: the folder cuts it off before it appends.
  return new Set(text.slice(0, text.lastIndexOf('\n') + 1).split('\n'));
}
