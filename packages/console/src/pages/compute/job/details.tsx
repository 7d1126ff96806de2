/** Who wanted it, where it runs, and under which ids it is known. */
import type { Job, JobEvent } from '@rcpt/contract/router/compute.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Hash } from '../../../components/copy.tsx';
import { Description, DescriptionList } from '../../../components/description-list.tsx';
import { byteSize } from '../../../format/numbers.ts';
import { useGpuName, useMemberName } from '../badges.tsx';
import { memberLogsQuery, workersQuery } from '../queries.ts';
import { workerOf } from './steps.ts';

export function Details({ job, events }: { job: Job; events: readonly JobEvent[] }) {
  const memberName = useMemberName();
  const gpuName = useGpuName();
  const { data: workers } = useQuery(workersQuery);
  const { data: logs } = useQuery(memberLogsQuery(job.member_id));
  const worker_id = workerOf(events);
  return (
    <DescriptionList>
      <Description label="Member">
        <Link href={`/compute/jobs?member=${encodeURIComponent(job.member_id)}`}>{memberName(job.member_id)}</Link>
      </Description>
      <Description label="Hardware">{gpuName(job.requested_gpu_sku)}</Description>
      {worker_id !== null && (
        <Description label="Worker">
          <Link href={`/compute/workers/${encodeURIComponent(worker_id)}`}>
            {workers?.find(({ id }) => id === worker_id)?.name ?? worker_id}
          </Link>
          {job.assigned_node_id !== null && <span className="muted"> on {job.assigned_node_id}</span>}
        </Description>
      )}
      <Description label="Attempt">
        {job.attempt === 0 ? 'None yet' : job.attempt} <span className="muted">of {job.max_attempts}</span>
      </Description>
      {job.priority !== 0 && <Description label="Priority">{job.priority}</Description>}
      {job.input_dataset_ids.length > 0 && (
        <Description label="Datasets">{job.input_dataset_ids.join(', ')}</Description>
      )}
      {job.output_uri !== null && (
        <Description label="Output">
          <Hash value={job.output_uri} what="Address" />
        </Description>
      )}
      <Description label="Log">
        {byteSize(job.log_bytes)}
        {logs !== undefined && (
          <span className="muted">
            {' '}
            of {byteSize(logs.job_log_bytes_limit)}; all jobs of this member {byteSize(logs.log_bytes)} of{' '}
            {byteSize(logs.log_bytes_limit)}
          </span>
        )}
      </Description>
      <Description label="Job id">
        <Hash value={job.id} what="Job id" />
      </Description>
    </DescriptionList>
  );
}
