/** Artifacts in a folder: one file per artifact, its key as its path. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactStore } from './open.ts';

export function openFolder(path: string): ArtifactStore {
  const folder = resolve(path.replace(/^\/\/(?=\/)/, ''));
  const address = (key: string) => pathToFileURL(join(folder, ...key.split('/'))).href;
  return {
    address,
    async put(key, file, signal) {
      signal.throwIfAborted();
      await copyWhole(file.path, join(folder, ...key.split('/')));
      return address(key);
    },
    close() {},
  };
}

/** A crash before the rename leaves a file whose name starts with a dot; after it, the whole copy. */
async function copyWhole(from: string, to: string): Promise<void> {
  const unfinished = join(dirname(to), `.${randomBytes(8).toString('hex')}.part`);
  await mkdir(dirname(to), { recursive: true });
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
