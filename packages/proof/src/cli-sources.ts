/** What a command line names: files, folders, standard input. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WrongUse } from './cli-arguments.ts';

export interface Source {
  name: string;
  size: number | null;
  open: () => AsyncIterable<Uint8Array>;
  /** Found in a folder: it may be something else. */
  found?: true;
}

/** A folder stands for the files in it, at any depth, that are named like receipts; their order is by name. */
export async function sourcesAt(path: string): Promise<Source[]> {
  if (path === '-') return [standardInput()];
  const found = await stat(path);
  if (!found.isDirectory()) return [fileSource(path, found.size)];
  const names = (await readdir(path, { recursive: true })).filter((name) => /\.(json|jsonl|ndjson)$/.test(name)).sort();
  const sources: Source[] = [];
  for (const name of names.map((inside) => join(path, inside))) {
    // Gone since, or a link to nowhere: a folder that is in use changes while it is looked through.
    const file = await stat(name).catch(() => null);
    if (file?.isFile()) sources.push({ ...fileSource(name, file.size), found: true });
  }
  return sources;
}

/** One file. Throws `WrongUse` for a folder. */
export async function sourceAt(path: string): Promise<Source> {
  if (path === '-') return standardInput();
  const found = await stat(path);
  if (found.isDirectory()) throw new WrongUse(`${path} is a folder: name one file`);
  return fileSource(path, found.size);
}

function standardInput(): Source {
  return { name: 'standard input', size: null, open: () => process.stdin };
}

function fileSource(name: string, size: number): Source {
  return { name, size, open: () => createReadStream(name, { highWaterMark: 1 << 20 }) };
}

/** What the user did or gave that cannot be used; null: a fault of ours. */
export function reasonOf(error: unknown): string | null {
  if (error instanceof WrongUse) return error.message;
  const { syscall, code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `${path}: there is no such file or folder`;
  if (code === 'EACCES' || code === 'EPERM') return `${path}: may not be read by you`;
  return syscall === undefined ? null : message;
}
