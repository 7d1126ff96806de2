/** What went wrong with a call, always in the same shape: RFC 9457 as the services send it. */
import type { Problem } from '@rcpt/contract/problem.ts';

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The service could not be asked at all. `status` is 0: nothing came back. */
export function unreachable(): ProblemError {
  return new ProblemError(
    local(0, 'unreachable', 'The ledger cannot be reached', 'Check the connection; nothing was changed.'),
  );
}

/** An answer that is no problem body: something between here and the service answered. */
export function unreadable(status: number, request_id: string): ProblemError {
  const detail = `Something answered with status ${status} in the ledger’s place.`;
  return new ProblemError({ ...local(status, 'unreadable_answer', 'Unexpected answer', detail), request_id });
}

/** Of anything that was thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const detail = error instanceof Error ? error.message : String(error);
  return local(0, 'console_error', 'The console made a mistake', detail);
}

/** What the service says about one member of the request: `errorAt(error, 'email')`. */
export function errorAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  return error.problem.errors?.find((at) => at.path === path)?.message;
}

function local(status: number, code: string, title: string, detail: string): Problem {
  return { type: `urn:problem:${code.replaceAll('_', '-')}`, title, status, detail, code, request_id: '' };
}
