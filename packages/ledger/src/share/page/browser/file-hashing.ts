/** The page's side of the worker that hashes files. */
import type { FileHashes } from '@rcpt/proof/file-hashes.ts';
import type { PickedFile } from './dom.ts';

/** `file` null: stop. Each order ends the one before. */
export interface Order {
  order: number;
  file: PickedFile | null;
}

/** `order` 0 alone: the worker is there. */
export interface Answer {
  order: number;
  read?: number;
  hashes?: FileHashes;
  failed?: string;
}

declare const Worker: new (
  url: URL,
  how: { type: 'module' },
) => {
  addEventListener(name: 'message', heard: (event: { data: Answer }) => void): void;
  addEventListener(name: 'error', heard: () => void): void;
  postMessage(order: Order): void;
};

export interface Hashing {
  /** Null: another file or `stop` came before the end. Rejects when the file cannot be read. */
  hash(file: PickedFile, onRead: (bytes: number) => void): Promise<FileHashes | null>;
  stop(): void;
}

/** Resolves once the worker runs; rejects where it cannot. */
export function startHashing(): Promise<Hashing> {
  const worker = new Worker(new URL('./hash-file.ts', import.meta.url), { type: 'module' });
  let order = 0;
  let hear: ((answer: Answer | null) => void) | null = null;
  const give = (file: PickedFile | null) => {
    hear?.(null);
    hear = null;
    worker.postMessage({ order: ++order, file });
  };
  const hashing: Hashing = {
    stop: () => give(null),
    hash(file, onRead) {
      give(file);
      return new Promise((resolve, reject) => {
        hear = (answer) => {
          if (answer === null) resolve(null);
          else if (answer.hashes) resolve(answer.hashes);
          else if (answer.failed !== undefined) reject(new Error(answer.failed));
          else onRead(answer.read ?? 0);
        };
      });
    },
  };
  return new Promise((resolve, reject) => {
    worker.addEventListener('error', () => {
      reject(new Error('the worker does not run'));
      // Or ran until now: what it was reading stays unread.
      hear?.({ order, failed: 'Error' });
    });
    worker.addEventListener('message', ({ data }) => {
      if (data.order === 0) resolve(hashing);
      else if (data.order === order) hear?.(data);
    });
  });
}
