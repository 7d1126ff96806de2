/** Eight power cuts, the log of each torn in dozens of places. */
import { powerCut } from './power-cut.ts';

powerCut({ images: 8, torn: 24 });
