/** Two kills on each engine; `kill.full.test.ts` has more. */
import { killedUnderLoad } from './kill.ts';

killedUnderLoad(2);
