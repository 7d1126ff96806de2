/** The first sequences: what a change breaks most often is found in seconds. */
import { agreesWithTheModel } from './model-sequences.ts';

agreesWithTheModel(6_000);
