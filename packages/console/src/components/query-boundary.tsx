/** What a query stands at: its shape while it loads, its problem with a way to try again, or what it brought. */
import type { ReactNode } from 'react';
import { problemOf } from '../api/problem.ts';
import { Problem } from './problem.tsx';

interface Query<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** `skeleton` has the size of what comes, so that nothing jumps. What was there stays when asking again fails. */
export function QueryBoundary<Data>({
  query,
  skeleton,
  children,
}: {
  query: Query<Data>;
  skeleton: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    const isGone = [404, 410].includes(problemOf(query.error).status);
    return <Problem error={query.error} retry={isGone ? undefined : () => void query.refetch()} />;
  }
  return <div aria-busy="true">{skeleton}</div>;
}
