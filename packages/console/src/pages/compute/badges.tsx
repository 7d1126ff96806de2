/** Small things that stand on several compute pages. */

import type { JobStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { ButtonLink } from '../../components/button.tsx';
import { useSeconds } from '../../components/clock.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { exact } from '../../format/instant.ts';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { durationWords, timeLeft } from './duration.ts';
import { JOB_LOOK, lookOf } from './format.ts';
import { memberNamesQuery, pricesQuery } from './queries.ts';

export function JobState({ status }: { status: JobStatus }) {
  const { mark, tone, word } = JOB_LOOK[status];
  return (
    <StatusBadge mark={mark} tone={tone}>
      {word}
    </StatusBadge>
  );
}

export function WorkerState({ worker }: { worker: Pick<Worker, 'status' | 'revoked_at'> }) {
  const { mark, tone, word } = lookOf(worker);
  return (
    <StatusBadge mark={mark} tone={tone}>
      {word}
    </StatusBadge>
  );
}

/** Counting down. A lease is renewed long before it runs out: short of time is one that was not. */
export function TimeLeft({ until }: { until: string }) {
  const left = timeLeft(until, useSeconds());
  return (
    <time
      dateTime={until}
      title={`Runs out ${exact(until)}`}
      className={left === null ? 'time-left over' : 'time-left'}
    >
      {left === null ? 'ran out' : left}
    </time>
  );
}

/** Counting up. */
export function TimeSince({ from }: { from: string }) {
  return (
    <span className="time-left">{durationWords(Math.floor((useSeconds() - Date.parse(from)) / 1000) * 1000)}</span>
  );
}

/** What people call a member; the id of one that is not among the newest. */
export function useMemberName(): (id: string) => string {
  const { data } = useQuery(memberNamesQuery);
  return (id) => data?.find((member) => member.id === id)?.name ?? id;
}

/** What people call a GPU, by the router's price table; its SKU when it has no price. */
export function useGpuName(): (sku: string) => string {
  const { data } = useQuery(pricesQuery);
  return (sku) => data?.find(({ gpu_type }) => gpu_type === sku)?.gpu_name ?? sku;
}

/** Where every job begins; `c` leads there. */
export function QuoteAJob() {
  const [, navigate] = useLocation();
  useShortcuts({ c: { does: 'Quote a job', run: () => navigate('/compute/quotes') } });
  return (
    <ButtonLink href="/compute/quotes" kind="primary" icon="plus">
      Quote a job
    </ButtonLink>
  );
}

export function JobLink({ id, children }: { id: string; children: React.ReactNode }) {
  return <Link href={`/compute/jobs/${encodeURIComponent(id)}`}>{children}</Link>;
}
