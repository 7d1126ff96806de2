/**
 * One call to a router on behalf of an organization. Nothing of the caller's credentials goes there, and of what comes back
 * only what is listed here: the router stands at another origin, and its pages and cookies are not ours.
 */
import { Readable } from 'node:stream';
import { ANSWER_FOR } from '@rcpt/contract/router/members.ts';
import { refuse } from '../problems.ts';

export interface RouterCall {
  method: string;
  /** Absolute. */
  url: URL;
  /** `LEDGER_ROUTER_TOKEN` */
  token: string | undefined;
  request_id: string;
  accept: 'application/json' | 'text/event-stream';
  last_event_id: string | undefined;
  idempotency_key: string | undefined;
  /** Undefined: none. */
  body: unknown;
  /** The caller may not see where datasets are, although the token may. */
  for_members: boolean;
}

export interface RouterAnswer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

const ANSWER_MS = 60_000;
const PASSED = ['content-type', 'x-total-count', 'retry-after', 'location'];
const TYPES = /^(application\/json|application\/problem\+json|text\/event-stream)\b/;

/**
 * Resolves when the answer begins; its body follows. `signal` breaks it off at any time.
 * Throws `router_unavailable`, with the reason as its cause.
 */
export async function exchange(call: RouterCall, signal: AbortSignal): Promise<RouterAnswer> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
  let response: Response;
  try {
    response = await fetch(call.url, {
      method: call.method,
      redirect: 'manual',
      headers: headersOf(call),
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal: AbortSignal.any([signal, late.signal]),
    });
  } catch (error) {
    throw unavailable('The compute router does not answer. Try again shortly.', error);
  } finally {
    clearTimeout(timer);
  }
  const { status } = response;
  const isOurs = TYPES.test(response.headers.get('content-type') ?? '');
  if (status !== 401 && (status < 300 || status >= 400) && isOurs)
    return { status, headers: passed(response), body: bodyOf(response) };
  await response.body?.cancel();
  // Passed on, it would tell people that their own session had ended.
  if (status === 401)
    throw unavailable('The compute router does not take this service’s token; its operator has to set it.', status);
  throw unavailable('What answers at the compute router’s address is no compute router.', status);
}

function headersOf({ token, request_id, accept, last_event_id, idempotency_key, body, for_members }: RouterCall) {
  return {
    accept,
    'x-request-id': request_id,
    ...(for_members ? { [ANSWER_FOR]: 'member' } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(last_event_id === undefined ? {} : { 'last-event-id': last_event_id }),
    ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}

function passed({ headers }: Response): Record<string, string> {
  return Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = headers.get(name);
      if (value === null) return [];
      return name === 'location' ? locationOf(value) : [[name, value]];
    }),
  );
}

/** Where the new thing is under our own address; elsewhere is not passed on. */
function locationOf(value: string): [string, string][] {
  return /^\/[\w./-]*$/.test(value) && !value.startsWith('//') ? [['location', `/router${value}`]] : [];
}

function bodyOf({ body }: Response): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body as import('node:stream/web').ReadableStream);
}

function unavailable(detail: string, reason: unknown) {
  const refusal = refuse('router_unavailable', detail);
  refusal.cause = reason instanceof Error ? reason : new Error(`it answered ${reason}`);
  return refusal;
}
