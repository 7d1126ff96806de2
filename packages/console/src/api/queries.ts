/** What the pages ask for, as hooks. */
import type { FlightSheet, FlightSheetList } from '@rcpt/contract/ledger/flight-sheet.ts';
import type { Session } from '@rcpt/contract/ledger/people.ts';
import type { RunQuery } from '@rcpt/contract/ledger/runs.ts';
import type { Organization } from '@rcpt/contract/ledger/tenancy.ts';
import type { Role } from '@rcpt/contract/vocabulary.ts';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { ledger } from './clients.ts';
import { KEYS } from './keys.ts';

export const sessionQuery = queryOptions({
  queryKey: KEYS.session,
  queryFn: ({ signal }) => ledger.getSession(signal),
  staleTime: 60_000,
});

export type RunFilters = Pick<z.input<typeof RunQuery>, 'lane' | 'stage' | 'outcome' | 'search'>;

export const runsQuery = (filters: RunFilters) =>
  infiniteQueryOptions({
    queryKey: KEYS.runs(filters),
    queryFn: ({ pageParam, signal }) => ledger.listRuns({ ...filters, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_after ?? undefined,
  });

export const runQuery = (id: string) =>
  queryOptions({ queryKey: KEYS.run(id), queryFn: ({ signal }) => ledger.getRun(id, signal) });

export const receiptQuery = (id: string) =>
  queryOptions({
    queryKey: KEYS.receipt(id),
    queryFn: ({ signal }) => ledger.getReceipt(id, signal),
    // Sealed: what was read once stays true.
    staleTime: Number.POSITIVE_INFINITY,
  });

export const shareQuery = (receipt_id: string) =>
  queryOptions({ queryKey: KEYS.share(receipt_id), queryFn: ({ signal }) => ledger.getShare(receipt_id, signal) });

export const flightSheetsQuery = queryOptions({
  queryKey: KEYS.settings('flight-sheets'),
  queryFn: ({ signal }) => allFlightSheets(signal),
});

/** Every version of every sheet. */
async function allFlightSheets(signal: AbortSignal): Promise<FlightSheet[]> {
  const all: FlightSheet[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: z.infer<typeof FlightSheetList> = await ledger.listFlightSheets({ limit: 500, after }, signal);
    all.push(...page.flight_sheets);
    after = page.next_after;
  }
  return all;
}

export const agentProfilesQuery = queryOptions({
  queryKey: KEYS.settings('agent-profiles'),
  queryFn: async ({ signal }) => (await ledger.listAgentProfiles(signal)).agent_profiles,
});

/** A session that works in an organization. */
export type WorkingSession = Session & { organization: Organization; role: Role };

/**
 * False: its person has to say first where they want to work. A person who was invited to one organization lands there by the
 * ledger's rule, and is shown whose it is before anything of theirs is in it.
 */
export function isWorking(session: Session): session is WorkingSession {
  const { kind, organization, organizations } = session;
  if (organization === null) return false;
  return kind === 'key' || organizations.find(({ id }) => id === organization.id)?.accepted_at !== null;
}

/** The session. Inside the shell there always is one, and it works in an organization. */
export function useSession(): WorkingSession {
  const { data } = useQuery(sessionQuery);
  if (data === undefined || !isWorking(data)) throw new Error('useSession was used outside the shell');
  return data;
}
