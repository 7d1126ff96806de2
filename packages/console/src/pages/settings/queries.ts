/** What the settings pages ask for. */
import { queryOptions } from '@tanstack/react-query';
import { KEYS } from '../../api/keys.ts';
import { settings } from './calls.ts';

export const keysQuery = queryOptions({
  queryKey: KEYS.settings('keys'),
  queryFn: async ({ signal }) => (await settings.keys(signal)).keys,
});

export const membersQuery = queryOptions({
  queryKey: KEYS.settings('members'),
  queryFn: async ({ signal }) => (await settings.members(signal)).members,
});

export const storageQuery = queryOptions({
  queryKey: KEYS.settings('storage'),
  queryFn: async ({ signal }) => (await settings.organization(signal)).storage,
});

export const sheetQuery = (name: string, version: string) =>
  queryOptions({
    queryKey: ['flight-sheet', name, version] as const,
    queryFn: ({ signal }) => settings.flightSheet(name, version, signal),
    // A published version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
