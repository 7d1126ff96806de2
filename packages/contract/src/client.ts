/** The ledger's API as functions: typed fetch for programs, the command line, workers and the console. */
import type { z } from 'zod';
import type { FlightSheet } from './ledger/flight-sheet.ts';
import type { NewTeamMember, SignInAnswer, TeamMember } from './ledger/people.ts';
import type { Receipt, Verification } from './ledger/receipts.ts';
import type { RouterConnection } from './ledger/router.ts';
import type { Evidence, NewEvidence, NewRun, Run, RunList, RunQuery } from './ledger/runs.ts';
import type { CreatedKey, CreatedOrganization, NewKey, NewOrganization } from './ledger/tenancy.ts';
import { Problem } from './problem.ts';
import type { Decision } from './vocabulary.ts';
import type { JsonObject } from './wire.ts';
import type { Approval, Check, Verdict } from './work.ts';

/** What the service answered instead of what was asked for; `problem.detail` says what to do. */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.status} ${problem.code}: ${problem.detail} (request ${problem.request_id})`);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** An answer without a problem body: of something that stands before the service, or in its place. */
export class AnswerError extends Error {
  readonly status: number;

  constructor(status: number, call: string, said = 'without a problem body') {
    super(`${call}: HTTP ${status} ${said}`);
    this.name = 'AnswerError';
    this.status = status;
  }
}

/** An answer that is not of the form the contract gives it. */
export class FormError extends Error {}

/** Every part of an answer that becomes a path, an address or a header is matched against its form first. Throws `FormError`. */
export function inForm<Schema extends z.ZodType>(schema: Schema, answer: unknown, call: string): z.infer<Schema> {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw new FormError(`${call}: the answer is not of the contract’s form: ${path.join('.')} ${message}`);
}

export interface ClientSettings {
  base_url: string;
  /** An API key, or the admin token for `createOrganization`. Without one the call carries no credential. */
  token?: string | undefined;
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  /** Makes a repeat of this call answer what the first one did. */
  idempotency_key?: string;
  /** Gives the call up; it then throws the signal's reason. */
  signal?: AbortSignal;
}

/** More than any answer of either service to one of these calls. */
const ANSWER_BYTES = 8_388_608;
const REDIRECTED =
  'redirects to another address. No redirect is followed; configure the address at which the service itself answers.';

/**
 * One call: the parsed answer, or `ProblemError`. Throws `AnswerError` for what is no problem body and for a redirect, `FormError`
 * for an answer that is too long, `TypeError` when the service cannot be reached.
 */
export async function call<T>(
  { base_url, token }: ClientSettings,
  path: string,
  options: CallOptions = {},
): Promise<T> {
  const { method = 'GET', body, idempotency_key, signal } = options;
  const name = `${method} ${path}`;
  const response = await fetch(`${base_url}${path}`, {
    method,
    // The service would choose what else this machine calls, and with which body.
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel();
    throw new AnswerError(response.status, name, REDIRECTED);
  }
  const answer = parsed(await boundedText(response, name));
  if (response.ok) return answer as T;
  const problem = Problem.safeParse(answer);
  if (problem.success) throw new ProblemError(problem.data);
  throw new AnswerError(response.status, name);
}

/** Leaving the loop ends the connection: an answer without end is read up to the bound. */
async function boundedText({ body }: Response, call: string): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES) throw new FormError(`${call}: the answer is longer than ${ANSWER_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The seven stages and what surrounds them, one function per call. */
export function ledgerClient(settings: ClientSettings) {
  const post = <T>(path: string, body?: unknown, idempotency_key?: string) =>
    call<T>(settings, path, { method: 'POST', body, ...(idempotency_key === undefined ? {} : { idempotency_key }) });
  const get = <T>(path: string) => call<T>(settings, path);
  return {
    createOrganization: (body: z.input<typeof NewOrganization>) =>
      post<z.infer<typeof CreatedOrganization>>('/organizations', body),
    connectRouter: (organization_id: string, url: string | null) =>
      call<RouterConnection>(settings, `/organizations/${organization_id}/router`, { method: 'PUT', body: { url } }),
    createKey: (body: z.input<typeof NewKey>) => post<z.infer<typeof CreatedKey>>('/keys', body),
    addMember: (body: z.input<typeof NewTeamMember>) => post<TeamMember>('/members', body),
    /** Takes no credential: the link goes to the mailbox, if it is a member's. */
    requestSignIn: (email: string) => post<z.infer<typeof SignInAnswer>>('/sign-in', { email }),
    publishFlightSheet: (sheet: FlightSheet) => post<FlightSheet>('/flight-sheets', sheet),
    openRun: (body: NewRun, key?: string) => post<Run>('/runs', body, key),
    getRun: (id: string) => get<Run>(`/runs/${id}`),
    /** Newest first. */
    listRuns: (query: Partial<z.input<typeof RunQuery>> = {}) =>
      get<z.infer<typeof RunList>>(`/runs?${new URLSearchParams(query as Record<string, string>)}`),
    attachEvidence: (id: string, body: NewEvidence, key?: string) => post<Evidence>(`/runs/${id}/evidence`, body, key),
    postExecution: (id: string, body: JsonObject, key?: string) => post<Run>(`/runs/${id}/execution`, body, key),
    runChecks: (id: string, key?: string) => post<{ checks: Check[] }>(`/runs/${id}/checks`, undefined, key),
    giveVerdict: (id: string, key?: string) => post<Verdict>(`/runs/${id}/verdict`, undefined, key),
    approve: (id: string, decision: Decision, note = '') => post<Approval>(`/runs/${id}/approval`, { decision, note }),
    mint: (id: string) => post<Receipt>(`/runs/${id}/receipt`),
    verify: () => get<z.infer<typeof Verification>>('/ledger/verify'),
  };
}
export type LedgerClient = ReturnType<typeof ledgerClient>;
