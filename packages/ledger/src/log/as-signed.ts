/** What is stored is not what was signed. */
import type { Refusal } from '@rcpt/service/error.ts';
import { refuse } from '../problems.ts';

export function notAsSigned(index: number): Refusal {
  return refuse(
    'log_inconsistent',
    `The entry at ${index} is not the one that was signed. GET /ledger/verify says what was altered; restore it from a copy.`,
  );
}
