/** The thread that draws PDFs and cards: one job at a time, answers by job number. Errors travel as their message only. */
import { parentPort } from 'node:worker_threads';
import { renderCard } from './card.ts';
import { renderPdf } from './pdf.ts';
import type { Rendered } from './reading.ts';

/** What a receipt is drawn as. */
export type Form = 'pdf' | 'card';

export interface Job {
  id: number;
  as: Form;
  input: Rendered;
}
export type Answer = { id: number; file: Uint8Array<ArrayBuffer> } | { id: number; error: string };

const DRAW: Record<Form, (input: Rendered) => Promise<Uint8Array>> = { pdf: renderPdf, card: renderCard };

parentPort?.on('message', async ({ id, as, input }: Job) => {
  try {
    const drawn = await DRAW[as](input);
    // A copy into memory of its own, so that it can change threads without being copied again.
    const file = new Uint8Array(drawn);
    parentPort?.postMessage({ id, file } satisfies Answer, [file.buffer]);
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ id, error: message } satisfies Answer);
  }
});
