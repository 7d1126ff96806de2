/**
 * The receipts ledger on disk: one line per receipt in `YYYY-MM-DD.receipts.jsonl`, appended and synced. A folder belongs to
 * one process at a time; the lock is the kernel's, held through SQLite, and ends with the process however that ends.
 */
import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { newId } from '@rcpt/service/identity.ts';

const sync = promisify(fdatasync);

export interface ReceiptsFolder {
  path: string;
  /** Names this folder in the database, whichever process holds it. */
  ledger_id: string;
  /** `lines` end in LF. Resolves once they are on disk; when it throws, none of them is (a torn end is cut off again). */
  append(date: string, lines: string): Promise<void>;
  fileOf(date: string): string;
  close(): void;
}

const REPLICAS = 64;

/** Opens `path`, or when another process holds it, the first free `path/replica-N`. */
export function openReceiptsFolder(path: string): ReceiptsFolder {
  for (let replica = 1; replica <= REPLICAS; replica++) {
    const folder = replica === 1 ? path : join(path, `replica-${replica}`);
    mkdirSync(folder, { recursive: true });
    const lock = lockOf(folder);
    if (lock !== null) return folderOf(folder, lock);
  }
  throw new Error(`${path} and its replica folders are all held by other processes`);
}

function lockOf(folder: string): DatabaseSync | null {
  const lock = new DatabaseSync(join(folder, '.lock'));
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch {
    lock.close();
    return null;
  }
}

function folderOf(path: string, lock: DatabaseSync): ReceiptsFolder {
  const fileOf = (date: string) => join(path, `${date}.receipts.jsonl`);
  let open: { date: string; fd: number; size: number } | null = null;

  function fileFor(date: string) {
    if (open?.date === date) return open;
    if (open !== null) closeSync(open.fd);
    const isNew = !existsSync(fileOf(date));
    const fd = openSync(fileOf(date), 'a+', 0o640);
    if (isNew) syncFolder(path);
    open = { date, fd, size: wholeLines(fd) };
    return open;
  }

  return {
    path,
    ledger_id: ledgerIdOf(path),
    fileOf,
    async append(date, lines) {
      const file = fileFor(date);
      const bytes = Buffer.from(lines, 'utf8');
      try {
        for (let written = 0; written < bytes.length; ) written += writeSync(file.fd, bytes, written);
        await sync(file.fd);
        file.size += bytes.length;
      } catch (error) {
        ftruncateSync(file.fd, file.size);
        throw error;
      }
    },
    close() {
      if (open !== null) closeSync(open.fd);
      open = null;
      lock.close();
    },
  };
}

/** Cuts off a line that a crash tore; its receipt is in the database and comes again. Returns the size that is left. */
function wholeLines(fd: number): number {
  const { size } = fstatSync(fd);
  const chunk = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const read = readSync(fd, chunk, 0, end - start, start);
    const lineEnd = chunk.subarray(0, read).lastIndexOf(0x0a);
    if (lineEnd < 0) {
      end = start;
      continue;
    }
    const whole = start + lineEnd + 1;
    if (whole < size) ftruncateSync(fd, whole);
    return whole;
  }
  if (size > 0) ftruncateSync(fd, 0);
  return 0;
}

function ledgerIdOf(folder: string): string {
  const file = join(folder, '.ledger');
  if (!existsSync(file)) {
    writeFileSync(file, `${newId('ledger')}\n`, { flush: true });
    syncFolder(folder);
  }
  return readFileSync(file, 'utf8').trim();
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
