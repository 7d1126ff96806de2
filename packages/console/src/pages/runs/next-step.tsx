/** What a Run waits for now, in words, with the one or two buttons that bring it on. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { type ReactNode, useState } from 'react';
import { ledger } from '../../api/clients.ts';
import { useSession } from '../../api/queries.ts';
import { Button } from '../../components/button.tsx';
import { Problem } from '../../components/problem.tsx';
import { deniedDecision, deniedReason } from '../../format/permissions.ts';
import { openChecks } from '../../format/run-status.ts';
import { Decide } from './decide.tsx';
import { ExecutionForm } from './execution-form.tsx';
import { useRunMutation } from './run-mutation.ts';
import './next-step.css';

export function NextStep({ run }: { run: Run }) {
  if (run.receipt_id !== null) return null;
  switch (run.stage) {
    case 'Inputs':
    case 'Evidence':
      return <PostExecution run={run} />;
    case 'Execution':
      return <RunChecks run={run} />;
    case 'Checks':
      return <GiveVerdict run={run} />;
    case 'Verdict':
      return <Approve run={run} />;
    default:
      return run.approval?.decision === 'rejected' ? <Rejected /> : <Mint run={run} />;
  }
}

function Step({
  title,
  error,
  actions,
  children,
}: {
  title: string;
  error?: unknown;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="next-step" aria-label="Next step">
      <div>
        <h2>{title}</h2>
        <p>{children}</p>
      </div>
      {actions && <div className="button-row">{actions}</div>}
      {error ? <Problem error={error} /> : null}
    </section>
  );
}

function PostExecution({ run }: { run: Run }) {
  const [posting, setPosting] = useState(false);
  const { role } = useSession();
  return (
    <>
      <Step
        title="Next: what was done"
        actions={
          <Button kind="primary" disabledReason={deniedReason(role, 'work')} onClick={() => setPosting(true)}>
            Post the execution
          </Button>
        }
      >
        Attach the evidence first: once the execution is posted, no more is taken.
      </Step>
      {posting && <ExecutionForm run={run} onClose={() => setPosting(false)} />}
    </>
  );
}

function RunChecks({ run }: { run: Run }) {
  const { role } = useSession();
  const act = useRunMutation(run.id, (_: null, key) => ledger.runChecks(run.id, key));
  return (
    <Step
      title="Next: the checks"
      error={act.error}
      actions={
        <Button
          kind="primary"
          disabledReason={deniedReason(role, 'work')}
          busy={act.isPending}
          onClick={() => act.mutate(null)}
        >
          Run the checks
        </Button>
      }
    >
      The rules of this lane are decided on what was posted. The same facts always give the same findings.
    </Step>
  );
}

function GiveVerdict({ run }: { run: Run }) {
  const session = useSession();
  const { role } = session;
  const whyNotOpen = deniedDecision(session, run);
  const act = useRunMutation(run.id, (_: null, key) => ledger.giveVerdict(run.id, key));
  const open = openChecks(run);
  return (
    <Step
      title={open > 0 ? `Next: ${open} open ${open === 1 ? 'check' : 'checks'}` : 'Next: the verdict'}
      error={act.error}
      actions={
        <Button
          kind="primary"
          disabledReason={
            deniedReason(role, 'work') ?? (open > 0 ? (whyNotOpen ?? 'Decide the open checks below first.') : null)
          }
          busy={act.isPending}
          onClick={() => act.mutate(null)}
        >
          Give the verdict
        </Button>
      }
    >
      {open === 0
        ? 'It follows from the checks alone.'
        : whyNotOpen === null
          ? 'These rules are left to a person. Decide them below.'
          : 'These rules are left to an approver or an owner, who decides them below.'}
    </Step>
  );
}

function Approve({ run }: { run: Run }) {
  const session = useSession();
  const [deciding, setDeciding] = useState<'approved' | 'rejected' | null>(null);
  const disabledReason = deniedDecision(session, run);
  return (
    <>
      <Step
        title="Next: a decision"
        actions={
          <>
            <Button kind="danger" disabledReason={disabledReason} onClick={() => setDeciding('rejected')}>
              Reject
            </Button>
            <Button kind="primary" disabledReason={disabledReason} onClick={() => setDeciding('approved')}>
              Approve
            </Button>
          </>
        }
      >
        Approval fixes to the byte what will be sealed.
      </Step>
      {deciding && <Decide run={run} decision={deciding} onClose={() => setDeciding(null)} />}
    </>
  );
}

function Mint({ run }: { run: Run }) {
  const { role } = useSession();
  const act = useRunMutation(run.id, () => ledger.mint(run.id));
  return (
    <Step
      title="Next: the receipt"
      error={act.error}
      actions={
        <Button
          kind="primary"
          disabledReason={deniedReason(role, 'approve')}
          busy={act.isPending}
          onClick={() => act.mutate(null)}
        >
          Mint the receipt
        </Button>
      }
    >
      What was approved is sealed at the end of this organization’s chain, once and for good.
    </Step>
  );
}

function Rejected() {
  return <Step title="Rejected">This is final: the Run gets no receipt. Work that was put right is a new Run.</Step>;
}
