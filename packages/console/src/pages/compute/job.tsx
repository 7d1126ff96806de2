/** One job: how far it is, its log as it comes, what it made, what it cost and why. */
import type { Job } from '@rcpt/contract/router/compute.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'wouter';
import { router } from '../../api/clients.ts';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { KEYS } from '../../api/keys.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { deniedReason } from '../../format/permissions.ts';
import { Section } from '../../layout/page.tsx';
import { toast } from '../../layout/toasts.tsx';
import { JobState, useGpuName } from './badges.tsx';
import { ComputePage } from './compute-page.tsx';
import { isOver, shortId, typeWord, waitingWords } from './format.ts';
import { Artifacts } from './job/artifacts.tsx';
import { Cost } from './job/cost.tsx';
import { Details } from './job/details.tsx';
import { Events } from './job/events.tsx';
import { LedgerRun } from './job/ledger-run.tsx';
import { Metrics } from './job/metrics.tsx';
import { JobReceipts } from './job/receipts.tsx';
import { datesOf, failureOf, metricsOf } from './job/steps.ts';
import { Timeline } from './job/timeline.tsx';
import { Log } from './log/log.tsx';
import { artifactsQuery, eventsQuery, jobQuery, jobReceiptsQuery } from './queries.ts';
import './job/job.css';

export function JobPage() {
  const { id = '' } = useParams<{ id: string }>();
  const job = useQuery(jobQuery(id));
  return (
    <ComputePage
      title={job.data ? `${typeWord(job.data.job_type)} ${shortId(id)}` : 'Job'}
      up={{ href: '/compute/jobs', label: 'Jobs' }}
      query={job}
      beside={job.data && <JobState status={job.data.status} />}
      actions={job.data && !isOver(job.data.status) && <Cancel job={job.data} />}
      skeleton={<JobSkeleton />}
    >
      {(found) => <JobBody key={id} job={found} />}
    </ComputePage>
  );
}

function JobBody({ job }: { job: Job }) {
  const store = useQueryClient();
  const gpuName = useGpuName();
  const events = useQuery(eventsQuery(job));
  const artifacts = useQuery(artifactsQuery(job.id));
  const known = events.data ?? [];
  const receipts = useQuery({ ...jobReceiptsQuery(job.id, datesOf(job, known)), enabled: events.data !== undefined });
  const metrics = metricsOf(known);
  const failure = job.status === 'failed' ? failureOf(known) : null;
  /** The log's stream tells of a new status before anything else does. */
  const hear = (next: Job) => {
    const before = store.getQueryData<Job>(KEYS.compute('job', job.id));
    store.setQueryData(KEYS.compute('job', job.id), next);
    if (before?.status !== next.status || before.attempt !== next.attempt)
      void store.invalidateQueries({ queryKey: KEYS.compute('job', job.id) });
  };
  return (
    <>
      <Timeline job={job} events={known} />
      {failure && (
        <div className="why-failed bad">
          <strong>Why it failed</strong>
          <p>{failure.message}</p>
          {typeof failure.payload.error_code === 'string' && failure.payload.error_code !== '' && (
            <code>{failure.payload.error_code}</code>
          )}
        </div>
      )}
      <div className="job-columns">
        <div>
          <Section title="Log">
            <Log
              id={job.id}
              onJob={hear}
              cut_at={job.log_cut_at}
              waiting={waitingFor(job, gpuName(job.requested_gpu_sku))}
            />
          </Section>
          {artifacts.data && artifacts.data.length > 0 && (
            <Section title="Artifacts">
              <Artifacts artifacts={artifacts.data} />
            </Section>
          )}
          {metrics.length > 0 && (
            <Section title="Metrics">
              <Metrics metrics={metrics} />
            </Section>
          )}
          <Section title="Events">
            <QueryBoundary query={events} skeleton={<SkeletonRows rows={4} />}>
              {(all) => <Events events={all} />}
            </QueryBoundary>
          </Section>
        </div>
        <aside aria-label="About this job">
          <Section title="Cost">
            <Cost job={job} receipts={receipts.data} />
          </Section>
          <LedgerRun job={job} events={known} />
          <Section title="Details">
            <Details job={job} events={known} />
          </Section>
          <Section title="Router receipts">
            <QueryBoundary query={receipts} skeleton={<SkeletonRows rows={3} />}>
              {(all) => <JobReceipts receipts={all} />}
            </QueryBoundary>
          </Section>
        </aside>
      </div>
    </>
  );
}

function waitingFor({ status, waiting_for, job_type }: Job, gpu: string): string {
  if (status === 'queued' && waiting_for !== null)
    return `The job waits in the queue. ${waitingWords(waiting_for, gpu, job_type)}`;
  if (status === 'leased') return 'A worker has leased the job and is about to start it.';
  return 'The job has written nothing yet. Its lines appear here as they come.';
}

function Cancel({ job }: { job: Job }) {
  const store = useQueryClient();
  const { role } = useSession();
  const [asking, setAsking] = useState(false);
  const act = useIdempotentMutation(() => router.cancelJob(job.id), {
    onSuccess(canceled) {
      store.setQueryData(KEYS.compute('job', job.id), canceled);
      void store.invalidateQueries({ queryKey: KEYS.compute() });
      toast('Job canceled');
      setAsking(false);
    },
  });
  return (
    <>
      <Button kind="danger" disabledReason={deniedReason(role, 'work')} onClick={() => setAsking(true)}>
        Cancel job
      </Button>
      {asking && (
        <Confirm
          title="Cancel this job?"
          action="Cancel job"
          kind="danger"
          mutation={act}
          onConfirm={() => act.mutate(undefined)}
          onClose={() => setAsking(false)}
        >
          <p>
            {job.status === 'queued'
              ? 'It leaves the queue and is not run. Nothing is charged.'
              : 'Its worker is told at once and stops the command. What it did so far is lost; nothing is charged.'}{' '}
            This cannot be taken back.
          </p>
        </Confirm>
      )}
    </>
  );
}

function JobSkeleton() {
  return (
    <>
      <div className="timeline">
        <Skeleton height="5.2rem" />
      </div>
      <div className="job-columns">
        <div>
          <Section title="Log">
            <Skeleton height="16rem" />
          </Section>
        </div>
        <aside aria-label="About this job">
          <Section title="Cost">
            <SkeletonRows rows={3} />
          </Section>
        </aside>
      </div>
    </>
  );
}
