/** SQLite's write-ahead log as it lies on disk (https://sqlite.org/fileformat2.html#walformat). */
import type { Buffer } from 'node:buffer';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

export interface Frame {
  /** Of the database file, from 1. */
  page: number;
  /** Where the frame ends in the log. */
  end: number;
  /** The last frame of a transaction. */
  commit: boolean;
}

export interface Log {
  page_bytes: number;
  /** Those of the current generation, in order; what an older one left behind is not among them. */
  frames: Frame[];
}

export function readLog(wal: Buffer): Log {
  if (wal.length < HEADER_BYTES) return { page_bytes: 0, frames: [] };
  const page_bytes = wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  const frames: Frame[] = [];
  const frame_bytes = FRAME_HEADER_BYTES + page_bytes;
  for (let at = HEADER_BYTES; at + frame_bytes <= wal.length; at += frame_bytes) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    frames.push({ page: wal.readUInt32BE(at), end: at + frame_bytes, commit: wal.readUInt32BE(at + 4) !== 0 });
  }
  return { page_bytes, frames };
}
