/** A pack as a stranger wrote it: every entry is read against its size and its checksum, and nothing is unpacked. */
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';

/** It cannot be read as a zip: cut off, or damaged. */
export class BrokenPack extends Error {}

export interface PackEntry {
  path: string;
  /** Of an entry of up to 8 MiB; null for a larger one. */
  bytes: Buffer | null;
  line_feeds: number;
}

/** More than any receipt, proof, key or checkpoint. */
const KEPT_BYTES = 8_388_608;

/** In the order of its directory. Throws `BrokenPack`. */
export async function* readPack(file: string): AsyncGenerator<PackEntry> {
  const zip = await openPromise(file).catch(broken);
  const paths = new Set<string>();
  try {
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      if (paths.has(entry.fileName)) throw new Error(`${JSON.stringify(entry.fileName)} is in it twice`);
      paths.add(entry.fileName);
      yield await read(entry, await zip.openReadStreamPromise(entry));
    }
  } catch (error) {
    broken(error as Error);
  } finally {
    zip.close();
  }
}

async function read(entry: Entry, stream: Readable): Promise<PackEntry> {
  const kept: Buffer[] | null = entry.uncompressedSize <= KEPT_BYTES ? [] : null;
  let [checksum, line_feeds] = [0, 0];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    checksum = crc32(chunk, checksum);
    for (const byte of chunk) if (byte === 10) line_feeds++;
    kept?.push(chunk);
  }
  if (checksum !== entry.crc32) throw new Error(`${JSON.stringify(entry.fileName)} does not have its checksum`);
  return { path: entry.fileName, bytes: kept && Buffer.concat(kept), line_feeds };
}

function broken(error: Error): never {
  throw error instanceof BrokenPack ? error : new BrokenPack(error.message, { cause: error });
}
