/** After a crash: what was committed but not (wholly) appended is appended now, each line once. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Db } from '@rcpt/service/db.ts';
import { markAppended, openBatches } from '../store/batches.ts';
import type { ReceiptsFolder } from './folder.ts';

/** Returns how many lines were missing. Only the last commits can be open, so a day's file is read at most once each. */
export async function recoverReceipts(db: Db, folder: ReceiptsFolder): Promise<number> {
  const open = await openBatches(db, folder.ledger_id);
  if (open.length === 0) return 0;
  const present = new Map<string, Set<string>>();
  let appended = 0;
  for (const { receipt_date, lines } of open) {
    const known = present.get(receipt_date) ?? (await linesOf(folder.fileOf(receipt_date)));
    present.set(receipt_date, known);
    const missing = lines.split('\n').filter((line) => line !== '' && !known.has(line));
    // Also when none is missing: they may have been written and not been synced.
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

async function linesOf(file: string): Promise<Set<string>> {
  if (!existsSync(file)) return new Set();
  const text = await readFile(file, 'utf8');
  // What follows the last LF is a torn line: the folder cuts it off before it appends.
  return new Set(text.slice(0, text.lastIndexOf('\n') + 1).split('\n'));
}
