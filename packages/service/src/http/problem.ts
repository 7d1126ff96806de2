/** Codes → HTTP, in one table per service. The shell's own codes stand here; a service adds its own. */
import type { Problem } from '@rcpt/contract/problem.ts';

export interface ProblemRow {
  status: number;
  title: string;
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  retry_after?: number;
}

export const SHELL_PROBLEMS = {
  malformed_request: { status: 400, title: 'Malformed request' },
  malformed_json: { status: 400, title: 'Malformed JSON' },
  unauthenticated: { status: 401, title: 'No valid credential' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  secret_shown_once: { status: 409, title: 'The secret of this answer is shown once' },
  answer_erased: { status: 410, title: 'The answer was erased' },
  request_timeout: { status: 408, title: 'The request did not arrive in time' },
  payload_too_large: { status: 413, title: 'Too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid: { status: 422, title: 'Invalid request' },
  not_representable: { status: 422, title: 'Not representable as canonical JSON' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key was used with another request' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  rate_limited: { status: 429, title: 'Too many requests', retry_after: 60 },
  internal: { status: 500, title: 'Internal error' },
  database_unavailable: { status: 503, title: 'Database away', retry_after: 1 },
  overloaded: { status: 503, title: 'Overloaded', retry_after: 1 },
} as const satisfies Record<string, ProblemRow>;

export type ShellCode = keyof typeof SHELL_PROBLEMS;

export function problemBody(
  code: string,
  row: ProblemRow,
  detail: string,
  requestId: string,
  members: Record<string, unknown> = {},
): Problem {
  return {
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title: row.title,
    status: row.status,
    detail,
    code,
    request_id: requestId,
    ...members,
  };
}
