/** One call to the ledger. Whatever fails, fails with a `ProblemError`; the session's cookie goes along by itself. */
import type { Problem } from '@rcpt/contract/problem.ts';
import { ProblemError, unreachable, unreadable } from './problem.ts';

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** Makes a repeat of this call answer what the first one did. */
  idempotency_key?: string | undefined;
  signal?: AbortSignal | undefined;
}

export async function call<T>(path: string, { method = 'GET', body, idempotency_key, signal }: CallOptions = {}) {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable();
  });
  return answerOf<T>(response.status, await response.text(), response.headers.get('x-request-id') ?? '');
}

/** The parsed body of a success; throws for everything else. */
export function answerOf<T>(status: number, text: string, request_id: string): T {
  const answer = parsed(text);
  if (status >= 200 && status < 300 && (answer !== undefined || text === '')) return answer as T;
  throw isProblem(answer) ? new ProblemError(answer) : unreadable(status, request_id);
}

/** `/runs?lane=eval`: without the members that are undefined or empty. */
export function address(path: string, query: Record<string, string | number | undefined>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** Printable and unguessable; `crypto.randomUUID` would want HTTPS. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === 'object' && answer !== null && 'code' in answer && 'detail' in answer;
}
