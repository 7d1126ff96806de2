/** What waits, what was sealed last, and where the chain stands. */
import type { RunList } from '@rcpt/contract/ledger/runs.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { z } from 'zod';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import type { RunFilters } from '../../api/queries.ts';
import { useSession } from '../../api/queries.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Page, Section } from '../../layout/page.tsx';
import { FirstRun } from '../runs/first-run.tsx';
import { RunTable } from '../runs/run-table.tsx';
import { ChainCard } from './chain-card.tsx';
import { ComputeCard } from './compute-card.tsx';
import { LastReceipts } from './last-receipts.tsx';
import './home.css';

const SHOWN = 5;

/** The first few Runs at one stage. */
function useFirstRuns(filters: RunFilters) {
  return useQuery({
    queryKey: [...KEYS.runs(filters), 'first', SHOWN],
    queryFn: ({ signal }) => ledger.listRuns({ ...filters, limit: SHOWN }, signal),
  });
}

export function Home() {
  const { organization, role } = useSession();
  const any = useFirstRuns({});
  return (
    <Page title={organization.name}>
      <QueryBoundary query={any} skeleton={<SkeletonRows rows={6} />}>
        {({ runs }) =>
          runs.length === 0 ? (
            <FirstRun />
          ) : (
            <div className="home">
              <div>
                <Waiting mayApprove={deniedReason(role, 'approve') === null} />
                <LastReceipts />
              </div>
              <aside>
                <ChainCard />
                <ComputeCard />
              </aside>
            </div>
          )
        }
      </QueryBoundary>
    </Page>
  );
}

function Waiting({ mayApprove }: { mayApprove: boolean }) {
  const verdicts = useFirstRuns({ stage: 'Verdict' });
  const checks = useFirstRuns({ stage: 'Checks' });
  if (verdicts.data?.runs.length === 0 && checks.data?.runs.length === 0) return <NothingWaits />;
  return (
    <>
      <Runs
        title={mayApprove ? 'Waiting for your approval' : 'Waiting for approval'}
        query={verdicts}
        shown="verdict"
        all="/runs?stage=Verdict"
      />
      <Runs title="At their checks" query={checks} shown="status" all="/runs?stage=Checks" />
    </>
  );
}

type Listed = Parameters<typeof QueryBoundary<z.infer<typeof RunList>>>[0]['query'];

interface RunsProps {
  title: string;
  query: Listed;
  shown: 'status' | 'verdict';
  /** Where all of them are listed. */
  all: string;
}

function Runs({ title, query, shown, all }: RunsProps) {
  if (query.data?.runs.length === 0) return null;
  return (
    <Section title={title} beside={query.data?.next_after ? <Link href={all}>All of them</Link> : null}>
      <QueryBoundary query={query} skeleton={<SkeletonRows rows={3} />}>
        {({ runs }) => <RunTable label={title} runs={runs} shown={shown} />}
      </QueryBoundary>
    </Section>
  );
}

function NothingWaits() {
  return (
    <section className="nothing-waits">
      <Icon name="check" />
      <div>
        <h2>Nothing waits for a person</h2>
        <p className="muted">Runs appear here when they need a decision.</p>
      </div>
      <ButtonLink href="/runs" small>
        All Runs
      </ButtonLink>
    </section>
  );
}
