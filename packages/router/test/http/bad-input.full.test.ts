/** Every bad request of every operation, on both engines. */
import { ENGINES } from '../../../../test/kit/engines.ts';
import { badInput } from './bad-input.ts';

badInput(ENGINES, 1);
