/**
 * Entries become a zip as fast as its reader takes it (APPNOTE 6.3.9, with Zip64; decision 19). What is known is stored as it is, what is
 * streamed is deflated. Of an entry that has left, only its line of the directory stays: 100 bytes, in whole blocks outside the heap.
 */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** With slashes, relative, ASCII. */
  path: string;
  /** An instant. */
  at: string;
  content: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

const MOST_32 = 0xffffffff;
const MOST_16 = 0xffff;
const STORED = 0;
const DEFLATED = 8;
/** A name in UTF-8; with streamed content, sizes and checksum that follow it. */
const UTF8 = 0x0800;
const FOLLOWED = 0x0008;
const UNIX = 3 << 8;
const PLAIN_FILE = 0o100644 * 0x10000;

interface Written {
  method: number;
  flags: number;
  name: Buffer;
  time: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** @param from what stands before it in the file, in bytes */
export async function* zipOf(entries: AsyncIterable<ZipEntry>, from = 0): AsyncGenerator<Buffer> {
  const directory = new Directory();
  let offset = from;
  for await (const { path, at, content } of entries) {
    const written: Written = {
      method: STORED,
      flags: UTF8,
      name: Buffer.from(path),
      time: timeOf(at),
      crc: 0,
      packed: 0,
      size: 0,
      offset,
    };
    for await (const part of isWhole(content) ? whole(written, content) : streamed(written, content)) {
      offset += part.length;
      yield part;
    }
    directory.add(written);
  }
  const begins = offset;
  for (const block of directory.blocks()) {
    offset += block.length;
    yield block;
  }
  yield endOf(directory.count, begins, offset);
}

function isWhole(content: ZipEntry['content']): content is string | Uint8Array {
  return typeof content === 'string' || content instanceof Uint8Array;
}

function* whole(written: Written, content: string | Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(content as string);
  written.size = written.packed = bytes.length;
  written.crc = crc32(bytes);
  yield Buffer.concat([header(written), bytes]);
}

async function* streamed(written: Written, content: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer> {
  written.method = DEFLATED;
  written.flags |= FOLLOWED;
  yield header(written);
  const deflate = createDeflateRaw();
  const measured = async function* () {
    for await (const part of content) {
      const bytes = Buffer.from(part as string);
      written.crc = crc32(bytes, written.crc);
      written.size += bytes.length;
      yield bytes;
    }
  };
  // What fails here fails the reading of `deflate`, too.
  pipeline(Readable.from(measured()), deflate, () => undefined);
  for await (const part of deflate as AsyncIterable<Buffer>) {
    written.packed += part.length;
    yield part;
  }
  // Sizes of 64 bits would have to be announced before they are known; a list that long is no list any more.
  if (Math.max(written.size, written.packed) >= MOST_32) throw new Error(`${written.name} is longer than 4 GiB`);
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  sizesInto(descriptor, 4, written);
  yield descriptor;
}

function header(written: Written): Buffer {
  const { method, flags, name, time } = written;
  const fixed = Buffer.alloc(30);
  fixed.writeUInt32LE(0x04034b50, 0);
  fixed.writeUInt16LE(20, 4);
  fixed.writeUInt16LE(flags, 6);
  fixed.writeUInt16LE(method, 8);
  time.copy(fixed, 10, 0, 4);
  sizesInto(fixed, 14, written);
  fixed.writeUInt16LE(name.length, 26);
  fixed.writeUInt16LE(time.length - 4, 28);
  return Buffer.concat([fixed, name, time.subarray(4)]);
}

function sizesInto(into: Buffer, at: number, { crc, packed, size }: Written): void {
  into.writeUInt32LE(crc, at);
  into.writeUInt32LE(packed, at + 4);
  into.writeUInt32LE(size, at + 8);
}

/** Two seconds in the zip's own four bytes, in UTC, then the same instant in the field that Unix reads. */
function timeOf(at: string): Buffer {
  const earliest = Date.UTC(1980, 0, 1);
  const stated = Date.parse(at);
  const date = new Date(Number.isNaN(stated) ? earliest : Math.min(Math.max(stated, earliest), MOST_31 * 1000));
  const field = Buffer.alloc(13);
  field.writeUInt16LE((date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1), 0);
  field.writeUInt16LE(((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), 2);
  field.write('UT', 4);
  field.writeUInt16LE(5, 6);
  field.writeUInt8(1, 8);
  field.writeInt32LE(Math.floor(date.getTime() / 1000), 9);
  return field;
}

const MOST_31 = 0x7fffffff;

/** The lines of the directory, end to end in blocks of memory that hold nothing else. */
class Directory {
  static readonly #BLOCK = 65_536;
  readonly #full: Buffer[] = [];
  #block = Buffer.allocUnsafeSlow(Directory.#BLOCK);
  #length = 0;
  count = 0;

  add(written: Written): void {
    const { method, flags, name, time, offset } = written;
    const far = offset >= MOST_32;
    const line = Buffer.alloc(46);
    line.writeUInt32LE(0x02014b50, 0);
    line.writeUInt16LE(UNIX | 45, 4);
    line.writeUInt16LE(far ? 45 : 20, 6);
    line.writeUInt16LE(flags, 8);
    line.writeUInt16LE(method, 10);
    time.copy(line, 12, 0, 4);
    sizesInto(line, 16, written);
    line.writeUInt16LE(name.length, 28);
    line.writeUInt16LE(time.length - 4 + (far ? 12 : 0), 30);
    line.writeUInt32LE(PLAIN_FILE, 38);
    line.writeUInt32LE(far ? MOST_32 : offset, 42);
    this.#append([line, name, time.subarray(4), ...(far ? [farOffset(offset)] : [])]);
    this.count++;
  }

  *blocks(): Generator<Buffer> {
    yield* this.#full;
    yield this.#block.subarray(0, this.#length);
  }

  #append(parts: Buffer[]): void {
    const bytes = Buffer.concat(parts);
    if (this.#length + bytes.length > this.#block.length) {
      this.#full.push(this.#block.subarray(0, this.#length));
      this.#block = Buffer.allocUnsafeSlow(Directory.#BLOCK);
      this.#length = 0;
    }
    this.#length += bytes.copy(this.#block, this.#length);
  }
}

function farOffset(offset: number): Buffer {
  const field = Buffer.alloc(12);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8, 2);
  field.writeBigUInt64LE(BigInt(offset), 4);
  return field;
}

/** Where the directory stands; in 64 bits only where 32 or 16 do not hold it. */
function endOf(count: number, begins: number, ends: number): Buffer {
  const size = ends - begins;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MOST_16), 8);
  end.writeUInt16LE(Math.min(count, MOST_16), 10);
  end.writeUInt32LE(Math.min(size, MOST_32), 12);
  end.writeUInt32LE(Math.min(begins, MOST_32), 16);
  if (count < MOST_16 && size < MOST_32 && begins < MOST_32) return end;
  const end64 = Buffer.alloc(76);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(UNIX | 45, 12);
  end64.writeUInt16LE(45, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(size), 40);
  end64.writeBigUInt64LE(BigInt(begins), 48);
  end64.writeUInt32LE(0x07064b50, 56);
  end64.writeBigUInt64LE(BigInt(ends), 64);
  end64.writeUInt32LE(1, 72);
  return Buffer.concat([end64, end]);
}
