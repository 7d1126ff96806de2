/** Hashes a chosen file in the browser, a slice at a time: the page stays responsive, and nothing is sent. */
import { FileHasher, type FileHashes } from '@rcpt/proof/file-hashes.ts';

const SLICE_BYTES = 1024 * 1024;
/** Reading JSON takes its time in one go, on the page itself. */
const LARGEST_TEXT_BYTES = 8 * 1024 * 1024;

/** Throws what reading throws, and the signal's reason. */
export async function hashesOf(file: Blob, onRead: (bytes: number) => void, signal: AbortSignal): Promise<FileHashes> {
  const hasher = new FileHasher(LARGEST_TEXT_BYTES);
  // A file that is gone says that it has no bytes; only reading it fails.
  if (file.size === 0) await file.arrayBuffer();
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    const slice = new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
    signal.throwIfAborted();
    hasher.push(slice);
    onRead(at + slice.length);
  }
  return hasher.finish();
}
