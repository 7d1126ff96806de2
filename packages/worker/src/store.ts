/** Where artifacts go. The router is told their address and their SHA-256; it never sees their bytes. */
import { openStorage } from '@rcpt/storage/open.ts';
import type { Bounds, Storage } from '@rcpt/storage/storage.ts';

export type ArtifactStore = Pick<Storage, 'putFile' | 'addressOf' | 'close'>;

const BOUNDS: Bounds = {
  // Jobs may write into the folder, too: a link that one of them left is not followed.
  refuse_links: true,
  s3: { connect_ms: 5_000, request_ms: 60_000, attempts: 3 },
};

/** Returns at once and does not need the store to be there. */
export function openStore(url: string): ArtifactStore {
  return openStorage(url, BOUNDS);
}
