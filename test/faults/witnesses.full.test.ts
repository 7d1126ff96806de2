/** The drills on PostgreSQL. */
import { drills } from './witnesses.ts';

drills('postgres');
