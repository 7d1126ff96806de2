/** 250 sequences, or as many as a while allows. */
import { agreesWithTheModel } from './model-sequences.ts';

agreesWithTheModel(18_000);
