/** Twenty-two kills on each engine, and one of two ledgers on one database. */
import { killedUnderLoad } from './kill.ts';

killedUnderLoad(22);
