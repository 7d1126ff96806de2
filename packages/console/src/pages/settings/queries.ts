/** What the settings pages ask for. */

import { ask } from '@rcpt/contract/client/call.ts';
import { queryOptions } from '@tanstack/react-query';
import { ledger, OWN } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';

export const keysQuery = queryOptions({
  queryKey: KEYS.settings('keys'),
  queryFn: async ({ signal }) => (await ledger.listKeys(signal)).keys,
});

export const membersQuery = queryOptions({
  queryKey: KEYS.settings('members'),
  queryFn: async ({ signal }) => (await ledger.listMembers(signal)).members,
});

export const passkeysQuery = queryOptions({
  queryKey: KEYS.settings('passkeys'),
  queryFn: async ({ signal }) => (await ledger.listPasskeys(signal)).passkeys,
});

/** A witness answers beside everything else: who looks sees it without asking again. */
export const witnessesQuery = queryOptions({
  queryKey: KEYS.settings('witnesses'),
  queryFn: async ({ signal }) => (await ledger.listWitnesses(signal)).witnesses,
  refetchInterval: 10_000,
});

/** The lines of its verifier keys, for readers and witnesses. */
export const verifierKeysQuery = queryOptions({
  queryKey: KEYS.settings('verifier-keys'),
  queryFn: async ({ signal }) => {
    const response = await ask(OWN, '/ledger/key', { signal, accept: 'text/plain' });
    return (await response.text()).trim().split('\n');
  },
});

export const storageQuery = queryOptions({
  queryKey: KEYS.settings('storage'),
  queryFn: async ({ signal }) => (await ledger.getOrganization(signal)).storage,
});

export const sheetQuery = (name: string, version: string) =>
  queryOptions({
    queryKey: ['flight-sheet', name, version] as const,
    queryFn: ({ signal }) => ledger.getFlightSheet(name, version, signal),
    // A published version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
