/** The one cache of everything asked for. A lost session ends at the sign-in page, which comes back to where it happened. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { navigate } from 'wouter/use-browser-location';
import { KEYS } from './keys.ts';
import { problemOf, statusOf } from './problem.ts';

/** Statuses that another attempt a moment later may not see. */
const PASSING = new Set<number | null>([0, 408, 429, 502, 503, 504]);

export const store = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (failures, error) => failures < 2 && isPassing(error),
      retryDelay: (failures) => 500 * 3 ** failures,
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});

function isPassing(error: unknown): boolean {
  return PASSING.has(statusOf(error));
}

/** What ends a person's work here is found out by the next call. */
function onError(error: unknown): void {
  if (statusOf(error) === 401) toSignIn();
  else if (problemOf(error).code === 'organization_not_chosen')
    void store.invalidateQueries({ queryKey: KEYS.session });
}

function toSignIn(): void {
  const { pathname, search } = location;
  if (pathname === '/sign-in') return;
  store.clear();
  navigate(signInAddress(`${pathname}${search}`), { replace: true });
}

/** `/sign-in`, and where to come back to when that is more than the front page. */
function signInAddress(returnTo: string): string {
  return returnTo === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ return: returnTo })}`;
}

/** Where a person wanted to go: a path of this console, whatever an attacker put into the link. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return') ?? '/';
  const url = URL.canParse(wanted, location.origin) ? new URL(wanted, location.origin) : null;
  if (url === null || url.origin !== location.origin || url.pathname === '/sign-in') return '/';
  return `${url.pathname}${url.search}`;
}
