/**
 * A worker beside the page: reads files that the visitor chose and hashes them, a slice at a time, so that the page stays
 * alive with any size. It is served with a policy that lets it send nothing anywhere.
 */
import { FileHasher } from '@rcpt/proof/file-hashes.ts';
import type { PickedFile } from './dom.ts';
import type { Answer, Order } from './file-hashing.ts';

declare const self: {
  addEventListener(name: 'message', heard: (event: { data: Order }) => void): void;
  postMessage(answer: Answer): void;
};

const SLICE_BYTES = 4 * 1024 * 1024;
/** Dense JSON takes some twenty times its size in memory, and a phone has little. */
const LARGEST_TEXT_BYTES = 16 * 1024 * 1024;
/** The order that counts; an older one that is still being read ends. */
let current = 0;

self.addEventListener('message', ({ data: { order, file } }) => {
  current = order;
  if (file === null) return;
  read(order, file).catch((error: unknown) => {
    self.postMessage({ order, failed: error instanceof Error ? error.name : 'Error' });
  });
});
self.postMessage({ order: 0 });

async function read(order: number, file: PickedFile): Promise<void> {
  const hasher = new FileHasher(LARGEST_TEXT_BYTES);
  // A file that is gone says that it has no bytes; only reading it fails.
  if (file.size === 0) await file.arrayBuffer();
  for (let at = 0; at < file.size; at += SLICE_BYTES) {
    const slice = new Uint8Array(await file.slice(at, at + SLICE_BYTES).arrayBuffer());
    if (order !== current) return;
    hasher.push(slice);
    self.postMessage({ order, read: at + slice.length });
  }
  self.postMessage({ order, hashes: hasher.finish() });
}
