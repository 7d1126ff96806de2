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
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { newId } from '@rcpt/service/ids.ts';

const sync = promisify(fdatasync);

export interface ReceiptsFolder {
  path: string;
  /** Names this folder in the database, whichever process holds it. */
  ledger_id: string;
  /** `lines` end in LF. Resolves once they are on disk; when it throws, none of them is (a torn end is cut off again). */
  append(date: string, lines: string): Promise<void>;
  fileOf(date: string): string;
  /** What was cut off at the end of a file when the folder was opened, by date. */
  torn: ReadonlyMap<string, Buffer>;
  close(): void;
}

const REPLICAS = 64;
const FILE = /^\d{4}-\d{2}-\d{2}\.receipts\.jsonl$/;
const DATE_CHARACTERS = 10;

/**
 * Opens `path`, or when another process holds it, the first free `path/replica-N`. Lines that a crash tore are cut off:
 * their receipts are in the database and come again (recover.ts).
 */
export function openReceiptsFolder(path: string): ReceiptsFolder {
  for (let replica = 1; replica <= REPLICAS; replica++) {
    const folder = openIfFree(replicaPath(path, replica));
    if (folder !== null) return folder;
  }
  throw new Error(`${path} and its replica folders are all held by other processes`);
}

/** The other folders under `path` that no process holds. Their process may have crashed, so they are repaired here. */
export function* openOrphans(path: string): Generator<ReceiptsFolder> {
  for (let replica = 1; replica <= REPLICAS; replica++) {
    const folder = replicaPath(path, replica);
    const orphan = existsSync(join(folder, '.ledger')) ? openIfFree(folder) : null;
    if (orphan !== null) yield orphan;
  }
}

/** The names of its files, oldest first. */
export function filesOf({ path }: Pick<ReceiptsFolder, 'path'>): string[] {
  return readdirSync(path)
    .filter((name) => FILE.test(name))
    .sort();
}

function replicaPath(path: string, replica: number): string {
  return replica === 1 ? path : join(path, `replica-${replica}`);
}

/** Null when another process holds it. */
function openIfFree(path: string): ReceiptsFolder | null {
  mkdirSync(path, { recursive: true });
  const lock = lockOf(path);
  if (lock === null) return null;
  const torn = new Map<string, Buffer>();
  for (const name of filesOf({ path })) {
    const fd = openSync(join(path, name), 'r+');
    const { cut } = wholeLines(fd);
    closeSync(fd);
    if (cut.length > 0) torn.set(name.slice(0, DATE_CHARACTERS), cut);
  }
  return folderOf(path, lock, torn);
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

function folderOf(path: string, lock: DatabaseSync, torn: ReadonlyMap<string, Buffer>): ReceiptsFolder {
  const fileOf = (date: string) => join(path, `${date}.receipts.jsonl`);
  let open: { date: string; fd: number; size: number } | null = null;

  function fileFor(date: string) {
    if (open?.date === date) return open;
    if (open !== null) closeSync(open.fd);
    // If opening throws (a full disk), the closed descriptor must not be used again: it may belong to another file by then.
    open = null;
    const fd = openSync(fileOf(date), 'a+', 0o640);
    syncFolder(path);
    open = { date, fd, size: wholeLines(fd).size };
    return open;
  }

  return {
    path,
    ledger_id: ledgerIdOf(path),
    fileOf,
    torn,
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

/** Cuts off a line that a crash tore. Returns the size that is left, and what was cut. */
function wholeLines(fd: number): { size: number; cut: Buffer } {
  const { size } = fstatSync(fd);
  const whole = endOfLines(fd, size);
  const cut = Buffer.alloc(Math.min(size - whole, LONGEST_CUT));
  readSync(fd, cut, 0, cut.length, whole);
  if (whole < size) ftruncateSync(fd, whole);
  return { size: whole, cut };
}

/** Longer than any receipt: a longer rest was no receipt. */
const LONGEST_CUT = 1 << 22;

/** Where the last whole line ends. */
function endOfLines(fd: number, size: number): number {
  const chunk = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const read = readSync(fd, chunk, 0, end - start, start);
    const lineEnd = chunk.subarray(0, read).lastIndexOf(0x0a);
    if (lineEnd >= 0) return start + lineEnd + 1;
    end = start;
  }
  return 0;
}

function ledgerIdOf(folder: string): string {
  const file = join(folder, '.ledger');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  // Empty: a crash came between making the file and writing it, so nothing was stored under any name yet.
  if (known !== '') return known;
  const id = newId('ledger');
  writeFileSync(file, `${id}\n`, { flush: true });
  syncFolder(folder);
  return id;
}

function syncFolder(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
