/** Artifacts in a folder: one file per artifact, its key as its path. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { namesIn, StoreRefused } from './key.ts';
import type { ArtifactStore } from './open.ts';

export function openFolder(path: string): ArtifactStore {
  const folder = resolve(path.replace(/^\/\/(?=\/)/, ''));
  const address = (key: string) => pathToFileURL(join(folder, ...key.split('/'))).href;
  return {
    address,
    async put(key, file, signal) {
      signal.throwIfAborted();
      const names = namesIn(key);
      await mkdir(folder, { recursive: true });
      await makeFolders(folder, names.slice(0, -1));
      await copyWhole(file.path, join(folder, ...names));
      return address(key);
    },
    close() {},
  };
}

/** Jobs may write here, too: a link that one of them left is not followed. Throws `StoreRefused`. */
async function makeFolders(root: string, names: string[]): Promise<void> {
  for (const [i] of names.entries()) {
    const path = join(root, ...names.slice(0, i + 1));
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory()) throw new StoreRefused(`${path} is no folder`);
  }
}

/** A crash before the rename leaves a file whose name starts with a dot; after it, the whole copy. */
async function copyWhole(from: string, to: string): Promise<void> {
  const unfinished = join(dirname(to), `.${randomBytes(8).toString('hex')}.part`);
  try {
    await copyFile(from, unfinished, constants.COPYFILE_FICLONE);
    const copy = await open(unfinished, 'r+');
    await copy.sync().finally(() => copy.close());
    await rename(unfinished, to);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
