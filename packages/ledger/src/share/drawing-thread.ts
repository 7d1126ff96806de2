/** What runs in the drawing threads: a stored receipt is read, checked and drawn there, so that the event loop does none of it. */
import { createHash } from 'node:crypto';
import { serve } from '../threads/serve.ts';
import { renderCard } from './card.ts';
import { renderPage } from './page/page.ts';
import { renderPdf } from './pdf/pdf.ts';
import { type Along, opened, type Rendered, type Seen, type Stored, seen } from './view.ts';

/** A file, and what its receipt said for itself when it was drawn. */
export interface Drawn extends Seen {
  file: Uint8Array;
  etag: string;
}

const drawnBy =
  (draw: (input: Rendered) => Uint8Array | Promise<Uint8Array>) =>
  async (stored: Stored & Along): Promise<Drawn> => {
    const input = opened(stored);
    // Of its own memory: a slice of a larger buffer would change threads with all of it.
    const file = new Uint8Array(await draw(input));
    return { ...seen(input), file, etag: `"${createHash('sha256').update(file).digest('base64url').slice(0, 22)}"` };
  };

export const DRAWINGS = {
  see: (stored: Stored) => seen(opened(stored)),
  page: drawnBy((input) => Buffer.from(renderPage(input), 'utf8')),
  pdf: drawnBy(renderPdf),
  card: drawnBy(renderCard),
};

serve(DRAWINGS);
