/** The layout of a compute page: follows the router's changes, and says so when there is no router or it does not answer. */
import type { ReactNode } from 'react';
import { problemOf } from '../../api/problem.ts';
import { useSession } from '../../api/queries.ts';
import { Command } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { Page } from '../../layout/page.tsx';
import { isAway, isUnconnected } from './queries.ts';
import { useRouterChanges } from './router-changes.ts';
import './compute.css';

interface Query<Data> {
  data: Data | undefined;
  error: unknown;
  dataUpdatedAt: number;
  refetch: () => unknown;
}

interface ComputePageProps<Data> {
  title: string;
  /** What the page is about; whether there is a router at all is seen from it. */
  query: Query<Data>;
  skeleton: ReactNode;
  lead?: ReactNode;
  /** Where it leads up to; the overview of Compute where nothing is said. */
  up?: { href: string; label: string } | null;
  beside?: ReactNode;
  actions?: ReactNode;
  narrow?: boolean;
  children: (data: Data) => ReactNode;
}

const COMPUTE = { href: '/compute', label: 'Compute' };

export function ComputePage<Data>({
  query,
  skeleton,
  children,
  actions,
  up = COMPUTE,
  ...page
}: ComputePageProps<Data>) {
  const connected = !isUnconnected(query.error);
  const away = isAway(query.error);
  useRouterChanges(connected && query.data !== undefined);
  return (
    <Page {...page} {...(up && { up })} {...(connected && query.data !== undefined ? { actions } : {})}>
      {!connected ? (
        <NotConnected />
      ) : (
        <>
          {away && <Away error={query.error} since={query.data === undefined ? null : query.dataUpdatedAt} />}
          {/* One place in the tree, away or not: a log that was read and a form that is filled in stay. */}
          {(!away || query.data !== undefined) && (
            <QueryBoundary query={query} skeleton={skeleton}>
              {children}
            </QueryBoundary>
          )}
        </>
      )}
    </Page>
  );
}

function NotConnected() {
  const { organization } = useSession();
  return (
    <EmptyState icon="compute" title="No compute router is connected">
      <p>
        Jobs, workers and datasets are kept by a compute router. Whoever runs this service connects one to{' '}
        {organization.name} from a shell; this page then shows it by itself.
      </p>
      <Command text={`./rcpt org router --org ${organization.id} \\\n  --url http://127.0.0.1:8088`} />
    </EmptyState>
  );
}

/** `since`: when what stands below was true. */
function Away({ error, since }: { error: unknown; since: number | null }) {
  const { detail, request_id } = problemOf(error);
  return (
    <div className="away caution" role="status">
      <span className="spinner" aria-hidden="true" />
      <div>
        <strong>The router does not answer</strong>
        <p>
          {detail} This page asks again every five seconds.
          {since !== null && (
            <>
              {' '}
              What stands below was read <Timestamp at={new Date(since).toISOString()} />.
            </>
          )}
        </p>
        {request_id && <p className="request-id">Request {request_id}</p>}
      </div>
    </div>
  );
}
