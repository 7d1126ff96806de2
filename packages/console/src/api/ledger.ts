/** The ledger's operations that these pages use, typed by the contract. */

import type { FlightSheet, FlightSheetList } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { NewSession, Session, SignInAnswer } from '@rcpt/contract/ledger/people.ts';
import type { Receipt, Verification } from '@rcpt/contract/ledger/receipts.ts';
import type { CheckDecision, Evidence, NewEvidence, NewRun, Run, RunList } from '@rcpt/contract/ledger/runs.ts';
import type { ReceiptPage, Share } from '@rcpt/contract/ledger/search.ts';
import type { StoredAgentProfile } from '@rcpt/contract/ledger/tenancy.ts';
import type { Decision } from '@rcpt/contract/vocabulary.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Approval, Check, Verdict } from '@rcpt/contract/work.ts';
import type { z } from 'zod';
import type { LaneName, Outcome, Stage } from '../format/vocabulary.ts';
import { address, call } from './call.ts';

/** Of a Run or a receipt: an id that came from an address bar stays inside its path segment. */
const run = (id: string) => `/runs/${encodeURIComponent(id)}`;
const receipt = (id: string) => `/receipts/${encodeURIComponent(id)}`;

export interface RunFilters {
  lane?: LaneName | undefined;
  stage?: Stage | undefined;
  outcome?: Outcome | undefined;
  search?: string | undefined;
}

/** Days are UTC; `next_before_seq` of a page goes on as `before_seq`. */
export interface ReceiptSearch {
  search?: string | undefined;
  lane?: LaneName | '' | undefined;
  from?: string | undefined;
  to?: string | undefined;
  before_seq?: number | undefined;
  limit?: number;
}

export const ledger = {
  requestSignIn: (email: string) => call<z.infer<typeof SignInAnswer>>('/sign-in', { method: 'POST', body: { email } }),
  openSession: (body: z.infer<typeof NewSession>) => call<Session>('/session', { method: 'POST', body }),
  session: (signal?: AbortSignal) => call<Session>('/session', { signal }),
  switchOrganization: (organization_id: string) =>
    call<Session>('/session', { method: 'PATCH', body: { organization_id } }),
  choosePublicName: (public_name: string) => call<Session>('/session', { method: 'PATCH', body: { public_name } }),
  signOut: () => call<unknown>('/session', { method: 'DELETE' }),
  signOutEverywhere: () => call<unknown>('/sessions', { method: 'DELETE' }),

  runs: (filters: RunFilters & { after?: string | undefined; limit?: number }, signal?: AbortSignal) =>
    call<z.infer<typeof RunList>>(address('/runs', { ...filters }), { signal }),
  run: (id: string, signal?: AbortSignal) => call<Run>(run(id), { signal }),
  openRun: (body: NewRun, idempotency_key: string) => call<Run>('/runs', { method: 'POST', body, idempotency_key }),
  attachEvidence: (id: string, body: NewEvidence, idempotency_key: string) =>
    call<Evidence>(`${run(id)}/evidence`, { method: 'POST', body, idempotency_key }),
  postExecution: (id: string, body: JsonObject, idempotency_key: string) =>
    call<Run>(`${run(id)}/execution`, { method: 'POST', body, idempotency_key }),
  runChecks: (id: string, idempotency_key: string) =>
    call<{ checks: Check[] }>(`${run(id)}/checks`, { method: 'POST', idempotency_key }),
  decideCheck: (id: string, key: string, body: z.infer<typeof CheckDecision>) =>
    call<Check>(`${run(id)}/checks/${encodeURIComponent(key)}`, { method: 'PATCH', body }),
  giveVerdict: (id: string, idempotency_key: string) =>
    call<Verdict>(`${run(id)}/verdict`, { method: 'POST', idempotency_key }),
  approve: (id: string, body: { decision: Decision; note?: string }, idempotency_key: string) =>
    call<Approval>(`${run(id)}/approval`, { method: 'POST', body, idempotency_key }),
  mint: (id: string) => call<Receipt>(`${run(id)}/receipt`, { method: 'POST' }),

  receipts: (query: ReceiptSearch, signal?: AbortSignal) =>
    call<ReceiptPage>(address('/receipts', { ...query }), { signal }),
  receipt: (id: string, signal?: AbortSignal) => call<Receipt>(receipt(id), { signal }),
  share: (id: string, signal?: AbortSignal) => call<Share>(`${receipt(id)}/share`, { signal }),
  changeShare: (id: string, enabled: boolean) =>
    call<Share>(`${receipt(id)}/share`, { method: 'PUT', body: { enabled } }),
  verify: (signal?: AbortSignal) => call<z.infer<typeof Verification>>('/ledger/verify', { signal }),

  /** Every version of every sheet, page by page. */
  async flightSheets(signal?: AbortSignal): Promise<{ flight_sheets: FlightSheet[] }> {
    const flight_sheets: FlightSheet[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const page: z.infer<typeof FlightSheetList> = await call(address('/flight-sheets', { limit: 500, after }), {
        signal,
      });
      flight_sheets.push(...page.flight_sheets);
      after = page.next_after;
    }
    return { flight_sheets };
  },
  agentProfiles: (signal?: AbortSignal) =>
    call<{ agent_profiles: StoredAgentProfile[] }>('/agent-profiles', { signal }),
};
