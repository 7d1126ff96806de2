/** What surrounds every page of a signed-in person: where one is, where one can go, and as whom. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useLedgerAway } from '../api/availability.ts';
import { listenForChanges } from '../api/events.ts';
import { statusOf } from '../api/problem.ts';
import { isWorking, sessionQuery } from '../api/queries.ts';
import { store } from '../api/store.ts';
import { IconButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';
import { Skeleton, SkeletonRows } from '../components/skeleton.tsx';
import { ChoosePlace } from '../pages/choose-organization/choose-organization.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { KeyboardHelp } from './keyboard-help.tsx';
import { Navigation } from './navigation.tsx';
import { OrganizationMenu, PersonMenu } from './person.tsx';
import './page.css';
import './shell.css';

export function Shell({ children }: { children: ReactNode }) {
  const session = useQuery(sessionQuery);
  const [path] = useLocation();
  const [drawn, setDrawn] = useState(false);
  // A person who was removed sees nothing of the organization any more.
  const removed = statusOf(session.error) === 403;
  const working = session.data !== undefined && !removed && isWorking(session.data) ? session.data : null;
  const known = working !== null;
  useEffect(() => (known ? listenForChanges(store) : undefined), [known]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the drawer and begins at its top
  useEffect(() => {
    setDrawn(false);
    scrollTo(0, 0);
  }, [path]);

  if (session.data !== undefined && !removed && !known) return <ChoosePlace session={session.data} />;
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <header className="top-bar">
        <IconButton icon="menu" label="Menu" aria-expanded={drawn} onClick={() => setDrawn(!drawn)} />
        <Link href="/" className="brand">
          <Icon name="receipt" /> Receipts
        </Link>
      </header>
      {drawn && <div className="scrim" aria-hidden="true" onClick={() => setDrawn(false)} />}
      <section className="side" aria-label="Sidebar" data-drawn={drawn || undefined}>
        <div className="side-inside">
          {known ? <OrganizationMenu session={working} /> : <SideSkeleton />}
          <Navigation />
          {session.data && <PersonMenu session={session.data} />}
        </div>
      </section>
      <main id="main" tabIndex={-1}>
        <Away />
        <Inside error={known ? null : session.error} retry={() => void session.refetch()}>
          {known ? (
            <ErrorBoundary key={path}>
              <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
            </ErrorBoundary>
          ) : (
            <PageSkeleton />
          )}
        </Inside>
      </main>
      <KeyboardHelp />
    </div>
  );
}

/** The page stays as it is. It may be out of date until the ledger answers again. */
function Away() {
  const away = useLedgerAway();
  return (
    <div className="ledger-away" role="status">
      {away && <p>The ledger does not answer. What you see may be old; the console keeps asking.</p>}
    </div>
  );
}

function Inside({ error, retry, children }: { error: unknown; retry: () => void; children: ReactNode }) {
  if (!error) return children;
  return (
    <div className="page">
      <Problem error={error} retry={retry} />
      <p className="session-lost">
        <Link href="/sign-in">Sign in as somebody else</Link>
      </p>
    </div>
  );
}

function SideSkeleton() {
  return (
    <div className="organization">
      <Skeleton width="9rem" height="1.1rem" />
    </div>
  );
}

function PageSkeleton() {
  return (
    <div className="page" aria-busy="true">
      <div className="page-head">
        <Skeleton width="12rem" height="1.7rem" />
      </div>
      <SkeletonRows />
    </div>
  );
}
