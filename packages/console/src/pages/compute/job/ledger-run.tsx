/** The Run that a finished job becomes in the ledger: how far it is, or why it is not there. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { Job, JobEvent, JobLedger } from '@rcpt/contract/router/compute.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { router } from '../../../api/clients.ts';
import { useIdempotentMutation } from '../../../api/idempotent-mutation.ts';
import { KEYS } from '../../../api/keys.ts';
import { runQuery, useSession } from '../../../api/queries.ts';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Problem } from '../../../components/problem.tsx';
import { deniedReason } from '../../../format/permissions.ts';
import { Section } from '../../../layout/page.tsx';
import { toast } from '../../../layout/toasts.tsx';
import { runOf } from './steps.ts';

export function LedgerRun({ job, events }: { job: Job; events: readonly JobEvent[] }) {
  const run_id = job.ledger?.run_id ?? runOf(events);
  // A router may report to another organization's ledger: then there is no Run to show here.
  const { data: run } = useQuery({ ...runQuery(run_id ?? ''), enabled: run_id !== null, retry: false });
  if (run === undefined && job.ledger === null) return null;
  return (
    <Section title="In the ledger">
      {run && (
        <Link href={`/runs/${encodeURIComponent(run.id)}`} className="ledger-run panel">
          <Icon name={run.receipt_id === null ? 'runs' : 'receipt'} />
          <span>
            <strong>{run.title}</strong>
            <small>{stageWords(run)}</small>
          </span>
          <Icon name="right" />
        </Link>
      )}
      {job.ledger && <Delivery job_id={job.id} ledger={job.ledger} shown={run !== undefined} />}
    </Section>
  );
}

/** What the Run alone does not say. */
function Delivery({ job_id, ledger, shown }: { job_id: string; ledger: JobLedger; shown: boolean }) {
  const { state, reason } = ledger;
  if (state === 'refused') return <Refused job_id={job_id} reason={reason ?? ''} />;
  if (state === 'waiting')
    return (
      <p className="muted">On its way to the ledger{reason === null ? '.' : `; the last attempt said: ${reason}`}</p>
    );
  if (reason !== null) return <p className="muted">{reason}</p>;
  return shown ? null : <p className="muted">Delivered to the ledger.</p>;
}

function Refused({ job_id, reason }: { job_id: string; reason: string }) {
  const store = useQueryClient();
  const { role } = useSession();
  const act = useIdempotentMutation(() => router.retryLedger(job_id), {
    onSuccess(job) {
      store.setQueryData(KEYS.compute('job', job_id), job);
      void store.invalidateQueries({ queryKey: KEYS.compute('job', job_id) });
      void store.invalidateQueries({ queryKey: KEYS.compute('summary') });
      toast('It is sent to the ledger again');
    },
  });
  return (
    <div className="why-failed bad">
      <strong>The ledger refused this job</strong>
      <p>{reason}</p>
      <p className="muted">It is not sent again by itself. Mend what it names, then send it.</p>
      {act.error && <Problem error={act.error} />}
      <Button
        small
        busy={act.isPending}
        disabledReason={deniedReason(role, 'approve')}
        onClick={() => act.mutate(undefined)}
      >
        Send again
      </Button>
    </div>
  );
}

function stageWords({ receipt_id, stage, approval }: Run): string {
  if (receipt_id !== null) return `Receipt ${receipt_id}`;
  if (stage === 'Verdict') return 'Waits for a person to approve it';
  if (stage === 'Approval') return approval?.decision === 'rejected' ? 'Rejected' : 'Approved, to be minted';
  return `At ${stage}`;
}
