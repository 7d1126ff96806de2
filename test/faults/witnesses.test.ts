/** The drills on SQLite, and two ledgers on one PostgreSQL. */
import { drills, twoLedgers } from './witnesses.ts';

drills('sqlite');
twoLedgers();
