/** The Run that was opened in the ledger for a job, and how far it is. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { Job, JobEvent } from '@rcpt/contract/router/compute.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { KEYS } from '../../../api/keys.ts';
import { ledger } from '../../../api/ledger.ts';
import { runQuery } from '../../../api/queries.ts';
import { Section } from '../../../frame/page.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { runOf } from './steps.ts';

export function LedgerRun({ job, events }: { job: Job; events: readonly JobEvent[] }) {
  const told = runOf(events);
  const byId = useQuery({ ...runQuery(told ?? ''), enabled: told !== null, retry: false });
  const mayHave = job.status === 'completed' && (job.job_type === 'fine_tune' || job.job_type === 'eval');
  // The router names a Run after the job when the job has no title of its own.
  const byTitle = useQuery({
    queryKey: KEYS.runs({ search: job.id }),
    queryFn: ({ signal }) => ledger.runs({ search: job.id, limit: 1 }, signal),
    enabled: told === null && mayHave,
    retry: false,
  });
  // A router may report to another organization's ledger: then there is nothing to show here.
  const run = byId.data ?? byTitle.data?.runs[0];
  if (run === undefined) return null;
  return (
    <Section title="In the ledger">
      <Link href={`/runs/${encodeURIComponent(run.id)}`} className="ledger-run sheet">
        <Icon name={run.receipt_id === null ? 'runs' : 'receipt'} />
        <span>
          <strong>{run.title}</strong>
          <small>{stageWords(run)}</small>
        </span>
        <Icon name="right" />
      </Link>
    </Section>
  );
}

function stageWords({ receipt_id, stage, approval }: Run): string {
  if (receipt_id !== null) return `Receipt ${receipt_id}`;
  if (stage === 'Verdict') return 'Waits for a person to approve it';
  if (stage === 'Approval') return approval?.decision === 'rejected' ? 'Rejected' : 'Approved, to be minted';
  return `At ${stage}`;
}
