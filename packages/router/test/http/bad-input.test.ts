/** Of every operation some bad requests. All of them: `bad-input.full.test.ts`. */
import { badInput } from './bad-input.ts';

badInput(['sqlite'], 5);
