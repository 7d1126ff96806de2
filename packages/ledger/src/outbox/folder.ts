/** Object storage in a folder: one file per object, its key as its path. Content types are not kept. */
import { readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createStorageProbe, isKey, ObjectTooLarge, type Storage } from './object.ts';
import { sweepUnfinished, writeWhole } from './write-whole.ts';

export function openFolder(path: string): Storage {
  const folder = resolve(path);
  void sweepUnfinished(folder);

  const objects: Omit<Storage, 'probe'> = {
    async put(key, bytes, _content_type, signal) {
      signal?.throwIfAborted();
      await writeWhole(folder, pathOf(folder, key), bytes);
    },
    async get(key, signal, most_bytes = Number.POSITIVE_INFINITY) {
      const path = pathOf(folder, key);
      const size = await stat(path).then((found) => found.size, absent);
      if (size === null) return null;
      if (size > most_bytes) throw new ObjectTooLarge(size);
      return readFile(path, { signal }).catch(absent);
    },
    async delete(key) {
      await rm(pathOf(folder, key), { force: true });
    },
    close() {},
  };
  return { ...objects, probe: createStorageProbe(objects) };
}

function pathOf(folder: string, key: string): string {
  if (!isKey(key)) throw new Error('not an object key');
  return join(folder, ...key.split('/'));
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
