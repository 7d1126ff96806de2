/**
 * The checkpoints that the command line saw last, one file for each log, verbatim. What was seen is replaced only by what extends it. Of two
 * commands at once the later one's is kept: each of the two was held against what was there before.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { checkpointIn } from './answers/export.ts';
import { WrongUse } from './cli-arguments.ts';
import type { Checkpoint } from './log/checkpoint.ts';

/** Where they are kept unless told otherwise. @param environment of the process */
export function stateFolder({ XDG_STATE_HOME, HOME }: Record<string, string | undefined>): string | null {
  if (XDG_STATE_HOME?.startsWith('/')) return join(XDG_STATE_HOME, 'rcpt');
  return HOME === undefined || HOME === '' ? null : join(HOME, '.local/state/rcpt');
}

export function memoryFile(folder: string, origin: string): string {
  const name = origin.replaceAll(/[^A-Za-z0-9.-]/g, '_').slice(0, 100);
  return join(folder, `${name}.${createHash('sha256').update(origin).digest('hex').slice(0, 16)}.checkpoint`);
}

/** Null: none was seen. Throws `WrongUse` for a file that is none of ours. */
export async function recall(folder: string, origin: string): Promise<Checkpoint | null> {
  const file = memoryFile(folder, origin);
  let note: string;
  try {
    note = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const seen = checkpointIn(note);
  if (seen?.origin !== origin)
    throw new WrongUse(`${file} is no checkpoint of ${origin} any more: look why, and remove it to begin anew`);
  return seen;
}

/** A crash leaves the one before, or this one: never a part. */
export async function remember(folder: string, origin: string, note: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = memoryFile(folder, origin);
  const unfinished = `${file}.${process.pid}.new`;
  const handle = await open(unfinished, 'w', 0o600);
  try {
    await handle.writeFile(note);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  return file;
}
