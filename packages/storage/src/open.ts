/** Which storage an address names. */
import { openFolder } from './folder.ts';
import { openS3 } from './s3.ts';
import type { Bounds, Storage } from './storage.ts';

/** `file:<folder>`, or `s3://bucket/prefix` with `endpoint` and `region` as parameters. */
export const STORAGE_URL =
  /^(file:.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w./-]*)?(\?((endpoint=https?(:|%3A)[^&#\s]+|region=[\w-]+)(&|$))*)?)$/i;

/** Returns at once and does not need the storage to be there. */
export function openStorage(url: string, bounds: Bounds): Storage {
  if (!STORAGE_URL.test(url))
    throw new Error('object storage is file:<folder> or s3://bucket/prefix?endpoint=…&region=…');
  return url.startsWith('file:') ? openFolder(url.slice('file:'.length), bounds) : openS3(new URL(url), bounds);
}
