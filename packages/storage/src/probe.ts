/** The check that a storage gives back what was written. */
import { randomBytes } from 'node:crypto';
import type { Storage } from './storage.ts';

/**
 * The probe of a storage, under one key of its own: asked twice at once it probes once, and a crash in between leaves
 * one small object behind.
 */
export function createProbe(storage: Pick<Storage, 'put' | 'get' | 'delete'>): Storage['probe'] {
  const key = `probe-${randomBytes(6).toString('hex')}`;
  let running: Promise<void> | null = null;

  async function probe(signal: AbortSignal): Promise<void> {
    const sent = Buffer.from(`probe ${new Date().toISOString()}\n`);
    await storage.put(key, sent, 'text/plain', signal);
    const found = await storage.get(key, signal);
    await storage.delete(key, signal);
    if (found === null || !found.equals(sent)) throw new Error('the storage did not give back what was written');
  }

  return (signal) => {
    running ??= probe(signal).finally(() => {
      running = null;
    });
    return running;
  };
}
