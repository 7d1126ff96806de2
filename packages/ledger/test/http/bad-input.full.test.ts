/** Every bad request of every operation, at every stage, on both engines. */
import { STAGES } from '@rcpt/contract/words.ts';
import { ENGINES } from '../../../../test/kit/engines.ts';
import { badInput } from './bad-input.ts';

badInput({ engines: ENGINES, stages: STAGES, each: 1 });
