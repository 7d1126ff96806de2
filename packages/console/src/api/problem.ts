/** What went wrong with a call, always in the same shape: RFC 9457 as the services send it. */
import { AnswerError, ProblemError, UnreachableError } from '@rcpt/contract/client/call.ts';
import type { Problem } from '@rcpt/contract/problem.ts';

/** Nothing came back. */
const UNREACHABLE = local(
  0,
  'unreachable',
  'The ledger cannot be reached',
  'Check the connection; nothing was changed.',
);

/** Of anything that was thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof UnreachableError) return UNREACHABLE;
  if (error instanceof AnswerError) {
    const { status, request_id } = error;
    const detail = `Something answered with status ${status} in the ledger’s place.`;
    return { ...local(status, 'unreadable_answer', 'Unexpected answer', detail), request_id };
  }
  return local(
    0,
    'console_error',
    'The console made a mistake',
    error instanceof Error ? error.message : String(error),
  );
}

/** The status of what came back, 0 when nothing did; null for a mistake of the console. */
export function statusOf(error: unknown): number | null {
  const { code, status } = problemOf(error);
  return code === 'console_error' ? null : status;
}

/** What the service says about one member of the request: `errorAt(error, 'email')`. */
export function errorAt(error: unknown, path: string): string | undefined {
  return problemOf(error).errors?.find((at) => at.path === path)?.message;
}

function local(status: number, code: string, title: string, detail: string): Problem {
  return { type: `urn:problem:${code.replaceAll('_', '-')}`, title, status, detail, code, request_id: '' };
}
