/** The thread that draws PDFs: one job at a time, answers by job number. Errors travel as their message only. */
import { parentPort } from 'node:worker_threads';
import { renderPdf } from './pdf.ts';
import type { Rendered } from './reading.ts';

export interface Job {
  id: number;
  input: Rendered;
}
export type Answer = { id: number; pdf: Uint8Array<ArrayBuffer> } | { id: number; error: string };

parentPort?.on('message', async ({ id, input }: Job) => {
  try {
    const drawn = await renderPdf(input);
    // A copy into memory of its own, so that it can change threads without being copied again.
    const pdf = new Uint8Array(drawn);
    parentPort?.postMessage({ id, pdf } satisfies Answer, [pdf.buffer]);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, error: message } satisfies Answer);
  }
});
