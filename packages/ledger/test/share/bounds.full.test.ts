/** Receipts that fill page and paper, in the scripts that `bounds.test.ts` leaves out. */
import { megabyteReceipts } from './bounds.ts';

megabyteReceipts([
  'Arabic with marks',
  'Latin with marks',
  'quotes',
  'what one does not see',
  'characters without a face',
  'lines',
]);
