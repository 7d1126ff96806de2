/** What every object storage promises, and the check that it keeps the promise. */
import { randomBytes } from 'node:crypto';

export interface Storage {
  /** Whole or not at all: a reader never sees half an object, also after a crash. The same key again replaces it. */
  put(key: string, bytes: Uint8Array, content_type: string, signal?: AbortSignal): Promise<void>;
  /** Null where there is no such object. Throws `ObjectTooLarge` before it reads one of more than `most_bytes`. */
  get(key: string, signal?: AbortSignal, most_bytes?: number): Promise<Buffer | null>;
  /** An object that is not there is deleted already. */
  delete(key: string, signal?: AbortSignal): Promise<void>;
  /** Writes, reads back and deletes a small object; throws when one of the three does not work. */
  probe(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Somebody else may have put anything there. */
export class ObjectTooLarge extends Error {
  readonly byte_size: number;

  constructor(byte_size: number) {
    super(`an object of ${byte_size} bytes`);
    this.byte_size = byte_size;
  }
}

/** Words joined by slashes; none is empty, starts with a dot or holds a separator, so none leads out of its folder. */
export function isKey(key: string): boolean {
  return key.length <= 512 && /^\w[\w.-]{0,200}(\/\w[\w.-]{0,200})*$/.test(key);
}

/**
 * The probe of a storage, under one key of its own: asked twice at once it probes once, and a crash in between leaves
 * one small object behind.
 */
export function createStorageProbe(storage: Pick<Storage, 'put' | 'get' | 'delete'>): Storage['probe'] {
  const key = `probe-${randomBytes(6).toString('hex')}`;
  let running: Promise<void> | null = null;

  async function probe(signal: AbortSignal): Promise<void> {
    const sent = Buffer.from(`probe ${new Date().toISOString()}\n`);
    await storage.put(key, sent, 'text/plain', signal);
    const kept = await storage.get(key, signal);
    await storage.delete(key, signal);
    if (kept === null || !kept.equals(sent)) throw new Error('the storage did not give back what was written');
  }

  return (signal) => {
    running ??= probe(signal).finally(() => {
      running = null;
    });
    return running;
  };
}
