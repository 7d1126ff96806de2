/** Which address shows which page. A page's script is loaded when it is first opened. */
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { ErrorBoundary } from './layout/error-boundary.tsx';
import { Shell } from './layout/shell.tsx';
import { Toasts } from './layout/toasts.tsx';

const page = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }));

const SignIn = page(async () => (await import('./pages/sign-in/sign-in.tsx')).SignIn);

/** In the order they are tried. */
const PAGES: readonly (readonly [path: string, ComponentType])[] = [
  ['/', page(async () => (await import('./pages/home/home.tsx')).Home)],
  ['/runs', page(async () => (await import('./pages/runs/runs.tsx')).Runs)],
  ['/runs/:id', page(async () => (await import('./pages/runs/run.tsx')).RunPage)],
  ['/receipts', page(async () => (await import('./pages/receipts/receipts.tsx')).Receipts)],
  ['/receipts/:id', page(async () => (await import('./pages/receipts/receipt.tsx')).ReceiptPage)],
  ['/ledger', page(async () => (await import('./pages/ledger/ledger.tsx')).LedgerPage)],
  ['/activity', page(async () => (await import('./pages/activity/activity.tsx')).ActivityPage)],
  ['/compute', page(async () => (await import('./pages/compute/compute.tsx')).Compute)],
  ['/compute/jobs', page(async () => (await import('./pages/compute/jobs.tsx')).Jobs)],
  ['/compute/jobs/:id', page(async () => (await import('./pages/compute/job.tsx')).JobPage)],
  ['/compute/workers/:id', page(async () => (await import('./pages/compute/worker.tsx')).WorkerPage)],
  ['/compute/members', page(async () => (await import('./pages/compute/members.tsx')).ComputeMembers)],
  ['/compute/datasets', page(async () => (await import('./pages/compute/datasets.tsx')).Datasets)],
  ['/compute/quotes', page(async () => (await import('./pages/compute/quotes.tsx')).Quotes)],
  ['/settings', page(async () => (await import('./pages/settings/organization.tsx')).OrganizationSettings)],
  [
    '/settings/organization',
    page(async () => (await import('./pages/settings/organization.tsx')).OrganizationSettings),
  ],
  ['/settings/members', page(async () => (await import('./pages/settings/members.tsx')).Members)],
  ['/settings/keys', page(async () => (await import('./pages/settings/keys.tsx')).Keys)],
  ['/settings/flight-sheets/*?', page(async () => (await import('./pages/settings/flight-sheets.tsx')).FlightSheets)],
  ['/settings/witnesses', page(async () => (await import('./pages/settings/witnesses.tsx')).Witnesses)],
  ['/settings/agent-profiles', page(async () => (await import('./pages/settings/agent-profiles.tsx')).AgentProfiles)],
  ['/*', page(async () => (await import('./layout/not-found.tsx')).NotFound)],
];

export function App() {
  return (
    <ErrorBoundary>
      <Switch>
        <Route path="/sign-in">
          <Suspense fallback={null}>
            <SignIn />
          </Suspense>
        </Route>
        <Route>
          <Shell>
            <Pages />
          </Shell>
        </Route>
      </Switch>
      <Toasts />
    </ErrorBoundary>
  );
}

function Pages(): ReactNode {
  return (
    <Switch>
      {PAGES.map(([path, component]) => (
        <Route key={path} path={path} component={component} />
      ))}
    </Switch>
  );
}
