/** The pack of a period, as it is asked for. */
import { z } from 'zod';
import { Day } from './search.ts';

/** A period of more receipts has no PDFs unless they are asked for: each is drawn, a few in a second. */
export const PDFS_UP_TO = 1_000;

export const PackQuery = z.object({
  /** Minted at or after; left out: from the first receipt on. */
  from: Day.optional(),
  /** Minted before; a date alone means until its end; left out: until now. */
  to: Day.optional(),
  /** Left out: in a period of up to 1,000 receipts. */
  pdfs: z.enum(['true', 'false']).optional(),
});
export type PackQuery = z.infer<typeof PackQuery>;
