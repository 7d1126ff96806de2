/** All jobs, newest first, by status and member. */
import type { Job } from '@rcpt/contract/router/compute.ts';
import { JOB_STATUSES } from '@rcpt/contract/words.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLocation, useSearchParams } from 'wouter';
import { Button, ButtonLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SelectField } from '../../components/field.tsx';
import { LoadNextPage } from '../../components/load-more.tsx';
import { useRowCursor } from '../../components/row-cursor.ts';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { usd } from '../../format/numbers.ts';
import { JobState, QuoteAJob, useGpuName, useMemberName } from './badges.tsx';
import { ComputePage } from './compute-page.tsx';
import { JOB_LOOK, shortId, typeWord } from './format.ts';
import { jobsQuery, memberNamesQuery } from './queries.ts';

export function Jobs() {
  const [search, setSearch] = useSearchParams();
  const status = JOB_STATUSES.find((each) => each === search.get('status'));
  const member_id = search.get('member') ?? undefined;
  const ledger = search.get('ledger') === 'refused' ? ('refused' as const) : undefined;
  const jobs = useInfiniteQuery(jobsQuery({ status, member_id, ledger }));
  const filtered = [status, member_id, ledger].some((each) => each !== undefined);
  const choose = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return (
    <ComputePage
      title="Jobs"
      query={jobs}
      skeleton={
        <>
          <Filters status={status} member_id={member_id} choose={choose} />
          <SkeletonRows rows={12} />
        </>
      }
      actions={<QuoteAJob />}
    >
      {({ pages }) => (
        <>
          <Filters status={status} member_id={member_id} choose={choose} />
          {ledger && (
            <p className="muted">
              Finished jobs that the ledger refused. Each says disabledReason, and can be sent again.{' '}
              <Button small kind="quiet" onClick={() => choose('ledger', '')}>
                Show all jobs
              </Button>
            </p>
          )}
          {pages[0]?.length === 0 ? (
            <NoJobs filtered={filtered} clear={() => setSearch({}, { replace: true })} />
          ) : (
            <JobTable jobs={pages.flat()} />
          )}
          <LoadNextPage query={jobs} />
        </>
      )}
    </ComputePage>
  );
}

interface FiltersProps {
  status: string | undefined;
  member_id: string | undefined;
  choose: (name: 'status' | 'member', value: string) => void;
}

function Filters({ status = '', member_id = '', choose }: FiltersProps) {
  const { data: members = [] } = useQuery(memberNamesQuery);
  const unnamed = member_id !== '' && !members.some(({ id }) => id === member_id);
  return (
    <div className="job-filters">
      <SelectField label="Status" labelHidden value={status} onChange={({ target }) => choose('status', target.value)}>
        <option value="">Any status</option>
        {JOB_STATUSES.map((each) => (
          <option key={each} value={each}>
            {JOB_LOOK[each].word}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Member"
        labelHidden
        value={member_id}
        onChange={({ target }) => choose('member', target.value)}
      >
        <option value="">Any member</option>
        {unnamed && <option value={member_id}>{member_id}</option>}
        {members.map(({ id, name, email }) => (
          <option key={id} value={id}>
            {name} ({email})
          </option>
        ))}
      </SelectField>
    </div>
  );
}

function NoJobs({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  if (filtered)
    return (
      <EmptyState icon="search" title="No job matches">
        <Button onClick={clear}>Show all jobs</Button>
      </EmptyState>
    );
  return (
    <EmptyState icon="runs" title="No jobs yet">
      <p>A job starts with a quote: which hardware, for how many hours. The first worker that fits runs it.</p>
      <ButtonLink href="/compute/quotes">Quote a job</ButtonLink>
    </EmptyState>
  );
}

function JobTable({ jobs }: { jobs: readonly Job[] }) {
  const [, navigate] = useLocation();
  const { at } = useRowCursor(jobs.length, (row) => navigate(`/compute/jobs/${encodeURIComponent(jobs[row]!.id)}`));
  const memberName = useMemberName();
  const gpuName = useGpuName();
  return (
    <Table
      label="Jobs, newest first"
      columns={[
        { label: 'Job' },
        { label: 'Status' },
        { label: 'Member', kind: 'widest' },
        { label: 'Hardware', kind: 'wide' },
        { label: 'Cost', kind: 'number' },
        { label: 'Created', kind: 'number' },
      ]}
    >
      {jobs.map((job, i) => (
        <Row key={job.id} at={at === i}>
          <HeadCell href={`/compute/jobs/${encodeURIComponent(job.id)}`}>
            <span className="whole">
              {typeWord(job.job_type)} <code className="short-id">{shortId(job.id)}</code>
            </span>
          </HeadCell>
          <Cell>
            <JobState status={job.status} />
          </Cell>
          <Cell kind="widest">{memberName(job.member_id)}</Cell>
          <Cell kind="wide">{gpuName(job.requested_gpu_sku)}</Cell>
          <Cell kind="number">
            <Cost job={job} />
          </Cell>
          <Cell kind="number">
            <Timestamp at={job.created_at} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** What it came to; before that what it was estimated at. */
function Cost({ job: { actual_cost_usd, estimated_cost_usd, status } }: { job: Job }) {
  if (actual_cost_usd !== null) return usd(actual_cost_usd);
  if (status === 'failed' || status === 'canceled') return 'no charge';
  return <span title="Estimated">≈ {usd(estimated_cost_usd)}</span>;
}
