/** Object storage in a folder: one file per object, its key as its path. Content types are not kept. */
import { lstat, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProbe } from './probe.ts';
import { type Bounds, KeyRefused, namesIn, ObjectTooLarge, type Storage } from './storage.ts';
import { copyWhole, sweepUnfinished, UNFINISHED, writeWhole } from './write-whole.ts';

export function openFolder(path: string, bounds: Bounds): Storage {
  const root = resolve(path);
  void sweepUnfinished(root);

  const pathOf = (key: string) => join(root, ...namesIn(key, bounds));

  /** The path of an object about to be written, with no link on the way where links are refused. */
  async function placeFor(key: string): Promise<string> {
    const names = namesIn(key, bounds);
    if (bounds.refuse_links)
      for (const on_the_way of [[UNFINISHED], names.slice(0, -1)]) await makeFolders(root, on_the_way);
    return join(root, ...names);
  }

  const objects: Omit<Storage, 'probe'> = {
    async put(key, bytes, _content_type, signal) {
      signal?.throwIfAborted();
      await writeWhole(root, await placeFor(key), bytes);
    },
    async putFile(key, file, signal) {
      signal.throwIfAborted();
      await copyWhole(root, await placeFor(key), file.path);
    },
    async get(key, signal, most_bytes = Number.POSITIVE_INFINITY) {
      const path = pathOf(key);
      const size = await stat(path).then((found) => found.size, absent);
      if (size === null) return null;
      if (size > most_bytes) throw new ObjectTooLarge(size);
      return readFile(path, { signal }).catch(absent);
    },
    async delete(key) {
      await rm(pathOf(key), { force: true });
    },
    addressOf: (key) => pathToFileURL(join(root, ...key.split('/'))).href,
    close() {},
  };
  return { ...objects, probe: createProbe(objects) };
}

/** Throws `KeyRefused` where one of them is a link or a file. */
async function makeFolders(root: string, names: string[]): Promise<void> {
  await mkdir(root, { recursive: true });
  for (const [i] of names.entries()) {
    const path = join(root, ...names.slice(0, i + 1));
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory()) throw new KeyRefused(`${path} is no folder`);
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
