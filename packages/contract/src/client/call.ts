/** One call of either service. It loads no schema, so that a browser can use it as it is. */
import type { z } from 'zod';
import type { Problem } from '../problem.ts';

/** The service refused; `problem.detail` says what to do. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail} (request ${problem.request_id})`);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** An answer that is neither JSON nor a problem: something between here and the service answered. */
export class AnswerError extends Error {
  readonly status: number;
  readonly request_id: string;

  constructor(status: number, call: string, said = 'without a problem body', request_id = '') {
    super(`${call}: HTTP ${status} ${said}`);
    this.name = 'AnswerError';
    this.status = status;
    this.request_id = request_id;
  }
}

/** An answer that is not of the form the contract gives it. */
export class FormError extends Error {}

/** No answer, or only a part of one. It says what `fetch` says. */
export class UnreachableError extends TypeError {}

export interface ClientSettings {
  /** Empty in a browser: the service that the page came from. */
  base_url: string;
  /** An API key, or the admin token for `createOrganization`. Without one a browser sends its cookie. Read anew for each call. */
  token?: string | undefined;
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** Makes a repeat of this call answer what the first one did. */
  idempotency_key?: string | undefined;
  /** Gives the call up; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  accept?: string;
  cache?: 'no-store';
}

/** What a call is given, and what it answers, by the schema of the contract. */
export type In<Schema extends z.ZodType> = z.input<Schema>;
export type Out<Schema extends z.ZodType> = z.infer<Schema>;
export type Signal = AbortSignal | undefined;

/** An id that came from an address bar stays inside its path segment. */
export const segment: (id: string) => string = encodeURIComponent;

/** More than any answer of either service to one of these calls. */
const ANSWER_BYTES = 8_388_608;
const REDIRECTED =
  'redirects to another address. No redirect is followed; configure the address at which the service itself answers.';

/** The parsed answer, undefined for an empty one. Throws what `ask` throws, and `FormError` for an answer that is too long. */
export async function call<T>(settings: ClientSettings, path: string, options: CallOptions = {}): Promise<T> {
  const name = nameOf(path, options);
  const response = await ask(settings, path, options);
  return answerOf<T>(name, response.status, await boundedText(response, name, options.signal), requestIdOf(response));
}

/** The calls of one client, by their methods. Each throws as `call`. */
export function callsOf(settings: ClientSettings) {
  const send = <T>(
    method: NonNullable<CallOptions['method']>,
    path: string,
    body?: unknown,
    idempotency_key?: string,
    signal?: Signal,
  ) => call<T>(settings, path, { method, body, idempotency_key, signal });
  return {
    send,
    post: <T>(path: string, body?: unknown, key?: string, signal?: Signal) => send<T>('POST', path, body, key, signal),
    get: <T>(path: string, signal: Signal, query: object = {}) => call<T>(settings, address(path, query), { signal }),
  };
}

/**
 * The response of a success, its body unread. Throws `ProblemError`, `AnswerError` for a redirect and for a failure without a
 * problem body, `UnreachableError`, and the signal's reason.
 */
export async function ask(
  { base_url, token }: ClientSettings,
  path: string,
  options: CallOptions = {},
): Promise<Response> {
  const { method = 'GET', body, idempotency_key, signal, accept = 'application/json', cache } = options;
  const name = nameOf(path, options);
  const response = await fetch(`${base_url}${path}`, {
    method,
    // The service would choose what else this machine calls, and with which body.
    redirect: 'manual',
    headers: {
      accept,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    ...(cache === undefined ? {} : { cache }),
  }).catch((error: unknown) => {
    throw unreachable(error, signal);
  });
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel();
    throw new AnswerError(response.status, name, REDIRECTED);
  }
  if (!response.ok)
    throw refusalOf(name, response.status, await boundedText(response, name, signal), requestIdOf(response));
  return response;
}

/** What an answer holds that came as a whole. Throws `ProblemError`, or `AnswerError` for what is no JSON. */
export function answerOf<T>(name: string, status: number, text: string, request_id = ''): T {
  if (status < 200 || status >= 300) throw refusalOf(name, status, text, request_id);
  const answer = parsed(text);
  if (answer === undefined && text !== '')
    throw new AnswerError(status, name, 'with a body that is cut off or no JSON', request_id);
  return answer as T;
}

/** `/runs?lane=eval`: without the members that are undefined or empty. */
export function address(path: string, query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

/** A body as it comes. Leaving the loop ends the connection. Safari's streams are not iterable themselves. */
export async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read())
      yield read.value;
  } finally {
    void reader?.cancel().catch(() => undefined);
  }
}

function nameOf(path: string, { method = 'GET' }: CallOptions): string {
  return `${method} ${path}`;
}

function requestIdOf(response: Response): string {
  return response.headers.get('x-request-id') ?? '';
}

/** An answer without end is read up to the bound. */
async function boundedText({ body }: Response, name: string, signal: AbortSignal | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of chunksOf(body)) {
      bytes += chunk.byteLength;
      if (bytes > ANSWER_BYTES) throw new FormError(`${name}: the answer is longer than ${ANSWER_BYTES} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    throw unreachable(error, signal);
  }
  return text + decoder.decode();
}

function unreachable(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || !(error instanceof TypeError)) return error;
  return new UnreachableError(error.message, { cause: error.cause });
}

function refusalOf(name: string, status: number, text: string, request_id: string): Error {
  const answer = parsed(text);
  return isProblem(answer) ? new ProblemError(answer) : new AnswerError(status, name, undefined, request_id);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the schema `Problem` takes. */
export function isProblem(answer: unknown): answer is Problem {
  if (!isObject(answer)) return false;
  const { status, errors = [] } = answer;
  return (
    ['type', 'title', 'detail', 'code', 'request_id'].every((name) => typeof answer[name] === 'string') &&
    Number.isSafeInteger(status) &&
    Array.isArray(errors) &&
    errors.every((at) => isObject(at) && typeof at.path === 'string' && typeof at.message === 'string')
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
