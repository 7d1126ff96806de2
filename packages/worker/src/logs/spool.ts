/**
 * A job's log on its way to the router: written to disk in the chunks in which it will be sent. A chunk that was written is
 * never changed, so that a repeated `sequence` always holds the same lines.
 */
import { EventEmitter, once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';

export type Stream = 'stdout' | 'stderr';

export interface Chunk {
  sequence: number;
  stream: Stream;
  lines: string[];
}

const CHUNK_MS = 100;
const CHUNK_UNITS = 64_000;
const CHUNK_LINES = 1_000;
const READ_BYTES = 262_144;
/** After a power cut, chunks that were sent may be missing on disk: new chunks must not reuse their numbers. */
const SEQUENCE_GAP = 1_000_000;

export interface Spool {
  /** Resolves when there is room for more; throws what the disk throws. */
  add(stream: Stream, lines: string[]): Promise<void>;
  /** On disk, and no more to come. */
  close(): Promise<void>;
}

export interface Reader {
  /** Where the last chunk that was read ends, in bytes. */
  position: number;
  /** The next chunk, waiting for it if need be; null after the last one. */
  next(signal: AbortSignal): Promise<Chunk | null>;
  close(): Promise<void>;
}

export interface SpoolAndReader extends Spool {
  reader: Reader;
}

/**
 * Goes on after the chunks that are there already; the reader begins at the byte position `from`.
 * A chunk that a crash tore was never sent and is cut off.
 */
export async function openSpool(path: string, from = 0): Promise<SpoolAndReader> {
  const file = await open(path, 'a+', 0o600);
  const { size, last_sequence } = await wholeChunks(file);
  const events = new EventEmitter();
  let pending: { stream: Stream; lines: string[] }[] = [];
  let units = 0;
  let sequence = last_sequence === null ? 0 : last_sequence + SEQUENCE_GAP;
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  let failure: unknown = null;

  function write(): Promise<unknown> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const chunks = pending.map((chunk): Chunk => ({ sequence: sequence++, ...chunk }));
    pending = [];
    units = 0;
    if (chunks.length === 0) return writing;
    const text = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
    writing = writing.then(() => file.appendFile(text)).then(() => events.emit('written'));
    writing.catch((error: unknown) => {
      failure ??= error;
    });
    return writing;
  }

  return {
    async add(stream, lines) {
      if (failure !== null) throw failure;
      for (const line of lines) {
        const last = pending.at(-1);
        if (last?.stream === stream && last.lines.length < CHUNK_LINES) last.lines.push(line);
        else pending.push({ stream, lines: [line] });
        units += line.length;
        if (units >= CHUNK_UNITS) await write();
      }
      if (pending.length > 0) timer ??= setTimeout(() => void write().catch(() => undefined), CHUNK_MS);
    },
    async close() {
      try {
        await write();
        await file.sync();
      } finally {
        await file.close();
        closed = true;
        events.emit('written');
      }
    },
    reader: await openReader(path, Math.min(from, size), {
      more: (signal) => once(events, 'written', { signal }),
      isClosed: () => closed,
    }),
  };
}

async function wholeChunks(file: FileHandle): Promise<{ size: number; last_sequence: number | null }> {
  const { size } = await file.stat();
  let text = Buffer.alloc(0);
  for (let at = size; at > 0; ) {
    const length = Math.min(READ_BYTES, at);
    at -= length;
    const part = Buffer.alloc(length);
    await file.read(part, 0, length, at);
    text = Buffer.concat([part, text]);
    const end = text.lastIndexOf(0x0a);
    const start = end < 0 ? -1 : text.lastIndexOf(0x0a, end - 1);
    if (end < 0 || (start < 0 && at > 0)) continue;
    const whole = at + end + 1;
    if (whole < size) await file.truncate(whole);
    return { size: whole, last_sequence: (JSON.parse(text.toString('utf8', start + 1, end)) as Chunk).sequence };
  }
  if (size > 0) await file.truncate(0);
  return { size: 0, last_sequence: null };
}

/** Of a log that is complete, from a byte position on. */
export function openComplete(path: string, position: number): Promise<Reader> {
  return openReader(path, position, { more: async () => undefined, isClosed: () => true });
}

interface Writer {
  more(signal: AbortSignal): Promise<unknown>;
  isClosed(): boolean;
}

async function openReader(path: string, from: number, writer: Writer): Promise<Reader> {
  const file = await open(path, 'r');
  const buffer = Buffer.alloc(READ_BYTES);
  let unread = Buffer.alloc(0);
  const reader: Reader = {
    position: from,
    async next(signal) {
      for (;;) {
        const end = unread.indexOf(0x0a);
        if (end >= 0) {
          const chunk = JSON.parse(unread.toString('utf8', 0, end)) as Chunk;
          unread = unread.subarray(end + 1);
          reader.position += end + 1;
          return chunk;
        }
        const isClosed = writer.isClosed();
        const heard = isClosed ? null : writer.more(signal);
        heard?.catch(() => undefined);
        if (await readOn(file)) continue;
        if (isClosed) return null;
        await heard?.catch((error: unknown) => {
          signal.throwIfAborted();
          throw error;
        });
      }
    },
    close: () => file.close(),
  };

  async function readOn(handle: FileHandle): Promise<boolean> {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, reader.position + unread.length);
    if (bytesRead > 0) unread = Buffer.concat([unread, buffer.subarray(0, bytesRead)]);
    return bytesRead > 0;
  }
  return reader;
}
