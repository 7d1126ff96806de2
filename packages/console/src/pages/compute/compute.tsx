/** Queue and fleet at a glance. */
import { useQuery } from '@tanstack/react-query';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { Section } from '../../layout/page.tsx';
import { QuoteAJob } from './badges.tsx';
import { ComputePage } from './compute-page.tsx';
import { Activity } from './overview/activity.tsx';
import { Counts } from './overview/counts.tsx';
import { Fleet } from './overview/fleet.tsx';
import { Queue } from './overview/queue.tsx';
import { summaryQuery } from './queries.ts';

export function Compute() {
  const summary = useQuery(summaryQuery);
  return (
    <ComputePage title="Compute" up={null} query={summary} skeleton={<OverviewSkeleton />} actions={<QuoteAJob />}>
      {(counts) => (
        <>
          <Counts summary={counts} />
          {counts.queued_jobs > 0 && <Queue queued={counts.queued_jobs} />}
          <Activity />
          <Fleet />
        </>
      )}
    </ComputePage>
  );
}

function OverviewSkeleton() {
  return (
    <>
      <div className="counts">
        {[0, 1, 2, 3, 4].map((place) => (
          <div key={place} className="count">
            <Skeleton width="4rem" height="0.8rem" />
            <Skeleton width="2.5rem" height="1.6rem" />
          </div>
        ))}
      </div>
      <Section title="Activity, UTC">
        <Skeleton height="13.5rem" />
      </Section>
      <Section title="Workers">
        <SkeletonRows rows={3} />
      </Section>
    </>
  );
}
