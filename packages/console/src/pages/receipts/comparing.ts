/** Compares files with a receipt, one after the other. A new choice ends the one before. */
import type { FileHashes } from '@rcpt/proof/file-hashes.ts';
import type { SealedFile } from '@rcpt/proof/sealed-files.ts';
import { compare } from '@rcpt/proof/sealed-words.ts';
import { useEffect, useRef, useState } from 'react';
import { hashesOf } from './hash-file.ts';

export interface Found {
  file: string;
  /** Null: it could not be read. */
  sha256: string | null;
  is_sealed: boolean;
  sentences: string[];
  /** Of the pieces of evidence that it is. */
  labels: string[];
}

export interface Reading {
  file: string;
  read: number;
  size: number;
}

export function useComparing(sealed: SealedFile[]) {
  const [found, setFound] = useState<Found[]>([]);
  const [reading, setReading] = useState<Reading | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);

  async function lay(files: File[]): Promise<void> {
    stop.current?.abort();
    const mine = new AbortController();
    stop.current = mine;
    setFound([]);
    for (const file of files) {
      const { name, size } = file;
      const onRead = (read: number) => mine.signal.aborted || setReading({ file: name, read, size });
      const hashes = await hashesOf(file, onRead, mine.signal).catch(() => null);
      if (mine.signal.aborted) return;
      setFound((before) => [...before, foundOf(name, hashes, sealed)]);
    }
    setReading(null);
  }

  return { found, reading, lay };
}

export function foundOf(file: string, hashes: FileHashes | null, sealed: SealedFile[]): Found {
  if (hashes === null) {
    const sentences = ['It could not be read. A folder cannot be compared: drop the file itself.'];
    return { file, sha256: null, is_sealed: false, sentences, labels: [] };
  }
  const { matched, sentences } = compare(sealed, hashes);
  const is_sealed = matched.length > 0;
  return {
    file,
    sha256: hashes.sha256,
    is_sealed,
    sentences: is_sealed ? [...new Set(sentences)] : ['This file is not in this receipt.', ...sentences],
    labels: matched.flatMap(({ sealed: { label } }) => (label === null ? [] : [label])),
  };
}
