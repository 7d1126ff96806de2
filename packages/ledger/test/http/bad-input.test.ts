/** Of every operation some bad requests: the kinds that are told apart first. All of them: `bad-input.full.test.ts`. */
import { badInput } from './bad-input.ts';

badInput({ engines: ['sqlite'], stages: ['Inputs'], each: 5 });
