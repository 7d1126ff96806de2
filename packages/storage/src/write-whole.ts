/** Files that are whole or absent: written under another name, brought to disk, then renamed. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Unfinished files live here, inside the folder they are for: a rename must not cross file systems. */
export const UNFINISHED = '.unfinished';
const ABANDONED_MS = 3_600_000;

export interface Access {
  /** Modes of what is made: files, and the folders that are not there yet. */
  file: number;
  folder: number;
}
const OF_THE_GROUP: Access = { file: 0o640, folder: 0o777 };
/** For what only this account may read. */
export const PRIVATE: Access = { file: 0o600, folder: 0o700 };

/**
 * Resolves once the file and its name are on disk. A crash before the rename leaves a file among the unfinished ones;
 * after it, the whole file. Throws as the file system does: ENOSPC, EROFS, ENOTDIR, EACCES.
 */
export function writeWhole(folder: string, path: string, bytes: Uint8Array, access = OF_THE_GROUP): Promise<void> {
  return fillWhole(folder, path, access, async (unfinished) => {
    const file = await open(unfinished, 'wx', access.file);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  });
}

/** As `writeWhole`, with the bytes and the mode of another file; copied without reading it where the file system can. */
export function copyWhole(folder: string, path: string, from: string): Promise<void> {
  return fillWhole(folder, path, OF_THE_GROUP, async (unfinished) => {
    await copyFile(from, unfinished, constants.COPYFILE_FICLONE);
    await sync(unfinished);
  });
}

async function fillWhole(
  folder: string,
  path: string,
  access: Access,
  fill: (unfinished: string) => Promise<void>,
): Promise<void> {
  const unfinished = join(folder, UNFINISHED, randomBytes(12).toString('hex'));
  await mkdir(dirname(unfinished), { recursive: true, mode: access.folder });
  await mkdir(dirname(path), { recursive: true, mode: access.folder });
  try {
    await fill(unfinished);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  // A new name is on disk only once its folder is.
  await sync(dirname(path));
}

/**
 * A folder that others could look into is closed to them, with what it holds. Not one that many share (sticky, as /tmp is), nor
 * one of another account: there the files' own modes have to do.
 */
export async function closeToOthers(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (found === null || (found.mode & 0o1000) !== 0 || found.uid !== process.getuid?.()) return;
  if ((found.mode & 0o077) !== 0) await chmod(folder, PRIVATE.folder);
}

/** Deletes what crashes have left among the unfinished files. Best effort. */
export async function sweepUnfinished(folder: string): Promise<void> {
  const unfinished = join(folder, UNFINISHED);
  for (const name of await readdir(unfinished).catch(() => [])) {
    const path = join(unfinished, name);
    const age = await stat(path)
      .then(({ mtimeMs }) => Date.now() - mtimeMs)
      .catch(() => 0);
    if (age > ABANDONED_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function sync(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}
