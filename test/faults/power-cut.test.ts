/** One power cut; `power-cut.full.test.ts` has more. */
import { powerCut } from './power-cut.ts';

powerCut({ images: 1, torn: 6 });
