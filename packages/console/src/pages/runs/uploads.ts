/** The uploads of one Run: hashed here first, then sent two at a time, each with its own way to cancel or try again. */
import type { Evidence } from '@rcpt/contract/ledger/runs.ts';
import type { EvidenceKind } from '@rcpt/contract/vocabulary.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { newKey } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { hashOf, upload } from '../../api/upload.ts';

export interface Sending {
  id: string;
  file: File;
  kind: EvidenceKind;
  state: 'waiting' | 'hashing' | 'sending' | 'done' | 'failed';
  sent: number;
  /** As computed in this browser, before anything was sent. */
  sha256: string | null;
  error: unknown;
}

const AT_ONCE = 2;
/** A browser holds a file in memory to hash it. */
const LARGEST_BYTES = 500_000_000;

export function useUploads(run_id: string) {
  const [list, setList] = useState<readonly Sending[]>([]);
  const store = useQueryClient();
  const stops = useRef(new Map<string, AbortController>());
  const change = (id: string, to: Partial<Sending>) =>
    setList((before) => before.map((each) => (each.id === id ? { ...each, ...to } : each)));

  // biome-ignore lint/correctness/useExhaustiveDependencies: `begin` only sets state; the list alone decides what begins
  useEffect(() => {
    const running = list.filter(({ state }) => state === 'hashing' || state === 'sending').length;
    for (const next of list.filter(({ state }) => state === 'waiting').slice(0, AT_ONCE - running)) void begin(next);
  }, [list]);
  useEffect(() => {
    const all = stops.current;
    return () => {
      for (const stop of all.values()) stop.abort();
    };
  }, []);

  async function begin({ id, file, kind }: Sending): Promise<void> {
    const stop = new AbortController();
    stops.current.set(id, stop);
    change(id, { state: 'hashing', sent: 0, error: null });
    try {
      const sha256 = await fileHash(file);
      if (stop.signal.aborted) return;
      change(id, { state: 'sending', sha256 });
      const evidence = { run_id, file, kind, label: file.name.slice(0, 500), sha256, idempotency_key: `upload-${id}` };
      const item = await upload(evidence, (sent) => change(id, { sent }), stop.signal);
      assertSame(item, sha256);
      change(id, { state: 'done', sent: file.size });
      await store.invalidateQueries({ queryKey: KEYS.run(run_id) });
      setList((before) => before.filter((each) => each.id !== id));
    } catch (error) {
      if (!stop.signal.aborted) change(id, { state: 'failed', error });
    } finally {
      stops.current.delete(id);
    }
  }

  return {
    list,
    add: (files: Iterable<File>, kind: EvidenceKind) =>
      setList((before) => [
        ...before,
        ...Array.from(
          files,
          (file): Sending => ({ id: newKey(), file, kind, state: 'waiting', sent: 0, sha256: null, error: null }),
        ),
      ]),
    cancel(id: string) {
      stops.current.get(id)?.abort();
      setList((before) => before.filter((each) => each.id !== id));
    },
    retry: (id: string) => change(id, { state: 'waiting', error: null }),
  };
}

async function fileHash(file: File): Promise<string> {
  if (file.size > LARGEST_BYTES)
    throw new Error('The file is too large to send from a browser. Keep it where it is and declare its SHA-256.');
  return hashOf(new Uint8Array(await file.arrayBuffer()));
}

/** The ledger hashed what arrived; anything else than what was read here must not stand unnoticed. */
function assertSame(item: Evidence, sha256: string): void {
  if (item.sha256 !== sha256)
    throw new Error(`The ledger recorded ${item.sha256} for what this browser read as ${sha256}.`);
}
