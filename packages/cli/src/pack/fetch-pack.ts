/** The pack from the ledger into a file: written beside its name, synced, and left there for who renames it. */
import { open, rm } from 'node:fs/promises';
import { address, ask, type ClientSettings, chunksOf } from '@rcpt/contract/client/call.ts';

/** A page of receipts, or one PDF, is in the answer sooner. */
const SILENT_MS = 300_000;

/** How many bytes. Throws what `ask` throws, and what the file system does; nothing is left then. */
export async function fetchPack(ledger: ClientSettings, query: object, file: string): Promise<number> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new Error('nothing came for five minutes')), SILENT_MS);
  const into = await open(file, 'w', 0o600);
  let [bytes, is_whole] = [0, false];
  try {
    const path = address('/ledger/pack', query);
    const { body } = await ask(ledger, path, { accept: 'application/zip', signal: silent.signal });
    for await (const chunk of chunksOf(body)) {
      timer.refresh();
      await into.writeFile(chunk);
      bytes += chunk.byteLength;
    }
    await into.sync();
    is_whole = true;
  } finally {
    clearTimeout(timer);
    await into.close();
    if (!is_whole) await rm(file, { force: true });
  }
  return bytes;
}
