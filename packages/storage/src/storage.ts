/** What every object storage promises. It knows nothing of receipts, jobs or HTTP requests of ours. */

export interface Storage {
  /** Whole or not at all: a reader never sees half an object, also after a crash. The same key again replaces it. */
  put(key: string, bytes: Uint8Array, content_type: string, signal?: AbortSignal): Promise<void>;
  /** As `put`, for a file of any size; S3 takes it in parts and keeps its SHA-256 beside it. */
  putFile(key: string, file: StoredFile, signal: AbortSignal): Promise<void>;
  /** Null where there is no such object. Throws `ObjectTooLarge` before it reads one of more than `most_bytes`. */
  get(key: string, signal?: AbortSignal, most_bytes?: number): Promise<Buffer | null>;
  /** An object that is not there is deleted already. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Writes, reads back and deletes a small object; throws when one of the three does not work. */
  probe(signal: AbortSignal): Promise<void>;
  /** Where an object of this key is, or all whose keys start with this prefix. */
  addressOf(key: string): string;
  close(): void;
}

export interface StoredFile {
  path: string;
  byte_size: number;
  sha256: string;
}

/** What one user of a storage allows. */
export interface Bounds {
  /** The keys it takes; without one, every key that leads to a place below the root. */
  key?: RegExp;
  /** Links below the root of a folder are not followed: others write there, too. */
  refuse_links?: true;
  s3: {
    connect_ms: number;
    /** How long the other side may be silent. */
    request_ms: number;
    attempts: number;
  };
}

/** Refused for good: the same key is refused every time. */
export class KeyRefused extends Error {}

/** Other programs may have written the object. */
export class ObjectTooLarge extends Error {
  readonly byte_size: number;

  constructor(byte_size: number) {
    super(`an object of ${byte_size} bytes`);
    this.byte_size = byte_size;
  }
}

/** The names that a key joins by slashes. Throws `KeyRefused` for a key that would lead out of the root, or to a folder of it. */
export function namesIn(key: string, { key: taken }: Bounds): string[] {
  const names = key.split('/');
  const leads_elsewhere = names.some((name) => ['', '.', '..'].includes(name) || name.includes('\0'));
  if (leads_elsewhere || taken?.test(key) === false) throw new KeyRefused(`not an object key: ${JSON.stringify(key)}`);
  return names;
}
