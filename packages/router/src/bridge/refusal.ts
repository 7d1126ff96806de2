/** Whether the ledger will give the same answer again (docs/spec.md §24). Pure. */
import { AnswerError, ProblemError } from '@rcpt/contract/client/call.ts';

/** Client errors after which the same call may succeed: too slow, too early, too often. */
const PASSING = [408, 425, 429];

/** The Run that was opened for a job holds other work: no repeat changes that. */
export class AnotherExecution extends Error {}

/** The text of a refusal that is final; null for an error after which the same call may succeed. */
export function refusalIn(error: unknown): string | null {
  if (error instanceof AnotherExecution) return error.message;
  if (error instanceof AnswerError) return isFinal(error.status, '') ? error.message : null;
  if (!(error instanceof ProblemError)) return null;
  const { status, code, detail } = error.problem;
  return isFinal(status, code) ? `${status} ${code}: ${detail}`.slice(0, 2_000).toWellFormed() : null;
}

function isFinal(status: number, code: string): boolean {
  if (status < 400 || status >= 500 || PASSING.includes(status)) return false;
  return !(status === 409 && code.includes('in_progress'));
}
