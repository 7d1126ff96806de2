/** A zip as a reader that others wrote sees it: every entry is read against its size and its checksum. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';

export interface Unzipped {
  path: string;
  at: Date;
  bytes: Buffer;
}

/** In their order. */
export async function unzip(zip: Buffer): Promise<Unzipped[]> {
  return entriesOf(await fromBufferPromise(zip));
}

export async function entriesOf(file: ZipFile): Promise<Unzipped[]> {
  const entries: Unzipped[] = [];
  for await (const entry of file.eachEntry() as AsyncIterable<Entry>) {
    const bytes = await buffer(await file.openReadStreamPromise(entry));
    assert.equal(crc32(bytes), entry.crc32, entry.fileName);
    entries.push({ path: entry.fileName, at: entry.getLastModDate(), bytes });
  }
  return entries;
}

export function writeFiles(folder: string, entries: readonly Unzipped[]): void {
  for (const { path, bytes } of entries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}
