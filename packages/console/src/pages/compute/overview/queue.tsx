/** Why queued jobs wait. */
import { useQuery } from '@tanstack/react-query';
import { QueryBoundary } from '../../../components/query-boundary.tsx';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { StatusIcon } from '../../../components/status-badge.tsx';
import { amount, count } from '../../../format/numbers.ts';
import { Section } from '../../../layout/page.tsx';
import { useGpuName } from '../badges.tsx';
import { typeWord, waitingWords } from '../format.ts';
import { QUEUE_ROWS, queueQuery } from '../queries.ts';
import { reasonsOf } from '../waiting.ts';

export function Queue({ queued }: { queued: number }) {
  const queue = useQuery(queueQuery);
  const gpuName = useGpuName();
  return (
    <Section
      title="Why jobs wait"
      beside={queued > QUEUE_ROWS ? `the newest ${amount(QUEUE_ROWS)} of ${amount(queued)}` : undefined}
    >
      <QueryBoundary query={queue} skeleton={<SkeletonRows rows={2} />}>
        {(jobs) => (
          <ul className="reasons panel">
            {reasonsOf(jobs).map((reason) => {
              const { waiting_for, requested_gpu_sku, job_type } = reason;
              const stuck = waiting_for !== 'all_busy';
              return (
                <li key={`${waiting_for} ${requested_gpu_sku} ${job_type}`}>
                  <StatusIcon name={stuck ? 'warning' : 'ring'} tone={stuck ? 'caution' : 'neutral'} />
                  <div>
                    <strong>{count(reason.jobs, `${typeWord(job_type).toLowerCase()} job`)}</strong>
                    <p>{waitingWords(waiting_for, gpuName(requested_gpu_sku), job_type)}</p>
                  </div>
                </li>
              );
            })}
          </ul>
        )}
      </QueryBoundary>
    </Section>
  );
}
