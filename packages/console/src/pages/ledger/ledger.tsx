/** The chain itself: verified as a whole, and looked at link by link. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../api/queries.ts';
import { AwayLink, Button, ButtonLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Page, Section } from '../../layout/page.tsx';
import { newestQuery } from '../receipts/queries.ts';
import { lastOf } from './chain.ts';
import { ChainList } from './chain-list.tsx';
import { JumpBox } from './jump-box.tsx';
import { Offline } from './offline.tsx';
import { PackDialog } from './pack-dialog.tsx';
import { receipts } from './verification.ts';
import { VerifyPanel } from './verify-panel.tsx';
import { WitnessedEnd } from './witnessed-end.tsx';
import { violationsBySeq } from './wording.ts';
import './ledger.css';

export function LedgerPage() {
  const newest = useQuery(newestQuery);
  const last = newest.data ? lastOf(newest.data) : -1;
  const { role } = useSession();
  const [packing, setPacking] = useState(false);
  return (
    <Page
      title="Ledger"
      lead="Every receipt names the hash of the one before it. Change one, and the chain breaks right there."
      actions={
        last >= 0 && (
          <>
            <AwayLink icon="download" href="/ledger/export" download="">
              Export
            </AwayLink>
            <Button icon="download" disabledReason={deniedReason(role, 'audit')} onClick={() => setPacking(true)}>
              Pack for an auditor
            </Button>
          </>
        )
      }
    >
      <QueryBoundary
        query={newest}
        skeleton={
          <>
            <Skeleton height="7rem" />
            <SkeletonRows rows={8} height="3.5rem" />
          </>
        }
      >
        {() => (last < 0 ? <NothingYet /> : <Chain last={last} />)}
      </QueryBoundary>
      {packing && <PackDialog onClose={() => setPacking(false)} />}
    </Page>
  );
}

function Chain({ last }: { last: number }) {
  const [at, setAt] = useState(-1);
  const state = receipts.use();
  const violations = violationsBySeq(state.is === 'done' ? state.report.violations : []);
  const show = (org_seq: number) => {
    setAt(Math.min(org_seq, last));
    document.querySelector('.chain-scroller')?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <VerifyPanel last={last} onShow={show} />
      <WitnessedEnd />
      <Section title="The chain" beside={<JumpBox last={last} onJump={show} />}>
        <ChainList last={last} at={at} onMove={setAt} violations={violations} />
      </Section>
      <Section title="Verify it elsewhere">
        <Offline />
      </Section>
    </>
  );
}

function NothingYet() {
  return (
    <EmptyState icon="chain" title="The chain has no receipt yet">
      <p>
        There is nothing to verify. The first receipt that is sealed begins the chain; each one after it names the hash
        of the one before.
      </p>
      <ButtonLink href="/runs">To the Runs</ButtonLink>
    </EmptyState>
  );
}
