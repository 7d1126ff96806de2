/** One worker: what it is, how it is doing, what it holds and what it did. */
import type { WorkerPage as Detail } from '@rcpt/contract/router/admin.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'wouter';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Section } from '../../layout/page.tsx';
import { JobLink, WorkerState } from './badges.tsx';
import { ComputePage } from './compute-page.tsx';
import { shortId } from './format.ts';
import { Events } from './job/events.tsx';
import { workerQuery } from './queries.ts';
import { Held } from './worker/held.tsx';
import { Load } from './worker/load.tsx';
import { Offer } from './worker/offer.tsx';
import { RevokeDialog } from './worker/revoke.tsx';
import { OrderDialog, orderFor } from './worker-order.tsx';
import './job/job.css';

export function WorkerPage() {
  const { id = '' } = useParams<{ id: string }>();
  const detail = useQuery(workerQuery(id));
  return (
    <ComputePage
      title={detail.data?.worker.name ?? 'Worker'}
      query={detail}
      beside={detail.data && <WorkerState worker={detail.data.worker} />}
      actions={detail.data && detail.data.worker.revoked_at === null && <Orders detail={detail.data} />}
      skeleton={<WorkerSkeleton />}
    >
      {({ worker, active_leases, recent_events }) => (
        <div className="job-columns">
          <div>
            <Section title="Holds now">
              <Held leases={active_leases} worker={worker} />
            </Section>
            <Section title="Recent events">
              {recent_events.length === 0 ? (
                <p className="muted">This worker has not leased a job yet.</p>
              ) : (
                <Events
                  events={recent_events}
                  ofJob={({ job_id }) => <JobLink id={job_id}>job {shortId(job_id)}</JobLink>}
                />
              )}
            </Section>
          </div>
          <aside aria-label="About this worker">
            <Section title="Machine">
              <Load worker={worker} />
            </Section>
            <Section title="Offers">
              <Offer worker={worker} />
            </Section>
          </aside>
        </div>
      )}
    </ComputePage>
  );
}

function Orders({ detail: { worker } }: { detail: Detail }) {
  const { role } = useSession();
  const [asking, setAsking] = useState<'order' | 'revoke' | null>(null);
  const disabledReason = deniedReason(role, 'administer');
  const close = () => setAsking(null);
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setAsking('order')}>
        {orderFor(worker).word}
      </Button>
      <Button kind="quiet" disabledReason={disabledReason} onClick={() => setAsking('revoke')}>
        Revoke
      </Button>
      {asking === 'order' && <OrderDialog worker={worker} onClose={close} />}
      {asking === 'revoke' && <RevokeDialog worker={worker} onClose={close} />}
    </>
  );
}

function WorkerSkeleton() {
  return (
    <div className="job-columns">
      <div>
        <Section title="Holds now">
          <Skeleton height="5rem" />
        </Section>
        <Section title="Recent events">
          <SkeletonRows rows={6} />
        </Section>
      </div>
      <aside aria-label="About this worker">
        <Section title="Machine">
          <SkeletonRows rows={5} />
        </Section>
      </aside>
    </div>
  );
}
