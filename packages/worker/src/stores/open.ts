/** Where artifacts go. The router is told their address and their SHA-256; it never sees their bytes. */
import { openFolder } from './folder.ts';
import { openS3 } from './s3.ts';

export interface ArtifactStore {
  /** Whole or not at all; the same key again replaces it. Resolves with the address of what was stored. */
  put(key: string, file: StoredFile, signal: AbortSignal): Promise<string>;
  /** The address that all keys with this prefix start with. */
  address(prefix: string): string;
  close(): void;
}

export interface StoredFile {
  path: string;
  byte_size: number;
  sha256: string;
}

/** `file:<folder>`, or `s3://bucket/prefix` with `endpoint` and `region` as parameters. */
export const STORE_URL =
  /^(file:.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w./-]*)?(\?((endpoint=https?(:|%3A)[^&#\s]+|region=[\w-]+)(&|$))*)?)$/i;

/** Returns at once and does not need the store to be there. */
export function openStore(url: string): ArtifactStore {
  return url.startsWith('file:') ? openFolder(url.slice('file:'.length)) : openS3(new URL(url));
}
