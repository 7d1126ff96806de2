/** Lines of one day's file, from either end, without holding the file. */
import { open } from 'node:fs/promises';
import type { RouterReceiptQuery } from '@rcpt/contract/router/receipts.ts';
import { linesOf } from './verify.ts';

const LF = 0x0a;
const CHUNK_BYTES = 262_144;

/** Receipts as they stand in `file`, `limit` of those that match after the first `offset` of them. */
export async function readReceipts(file: string, query: Omit<RouterReceiptQuery, 'date'>): Promise<string[]> {
  const { receipt_type, job_id, order, limit, offset } = query;
  // A line is canonical bytes, and this is its last member.
  const ending = receipt_type === undefined ? null : Buffer.from(`"receipt_type":"${receipt_type}"}`);
  const naming = job_id === undefined ? null : Buffer.from(JSON.stringify(job_id));
  const found: string[] = [];
  let seen = 0;
  for await (const line of order === 'newest' ? linesFromEnd(file) : wholeLines(file)) {
    if (ending !== null && !line.subarray(-ending.length).equals(ending)) continue;
    if (naming !== null && !(line.includes(naming) && isOf(line, job_id))) continue;
    if (seen++ < offset) continue;
    found.push(line.toString('utf8'));
    if (found.length === limit) break;
  }
  return found;
}

/** False for a line that holds the id in another member, and for an altered line that is not JSON. */
function isOf(line: Buffer, job_id: string | undefined): boolean {
  try {
    return (JSON.parse(line.toString('utf8')) as { job_id?: unknown } | null)?.job_id === job_id;
  } catch {
    return false;
  }
}

/** The last line may still be being written. */
async function* wholeLines(file: string): AsyncIterable<Buffer> {
  for await (const { bytes, terminated } of linesOf(file)) if (terminated) yield bytes;
}

/** Whole lines, the last first. */
export async function* linesFromEnd(file: string, chunk_bytes: number = CHUNK_BYTES): AsyncIterable<Buffer> {
  const handle = await open(file, 'r');
  try {
    /** The bytes before the line that was found last, as far as they are read, without the LF at their end. */
    let tail: Buffer | null = null;
    for (let at = (await handle.stat()).size; at > 0; ) {
      const length = Math.min(chunk_bytes, at);
      at -= length;
      const chunk = Buffer.alloc(length);
      await handle.read(chunk, 0, length, at);
      if (tail === null) {
        const end = chunk.lastIndexOf(LF);
        if (end < 0) continue;
        tail = chunk.subarray(0, end);
      } else tail = Buffer.concat([chunk, tail]);
      for (let start = tail.lastIndexOf(LF); start >= 0; start = tail.lastIndexOf(LF)) {
        yield tail.subarray(start + 1);
        tail = tail.subarray(0, start);
      }
    }
    if (tail !== null) yield tail;
  } finally {
    await handle.close();
  }
}
