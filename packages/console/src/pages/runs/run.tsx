/** One Run: where it stands, what it waits for, and everything it gathered, newest stage first. */
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { STAGES } from '@rcpt/contract/words.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { runQuery, useSession } from '../../api/queries.ts';
import { ActorName } from '../../components/actor-name.tsx';
import { Hash } from '../../components/copy.tsx';
import { Description, DescriptionList } from '../../components/description-list.tsx';
import { JsonSection } from '../../components/json-view.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { Badge, StatusBadge } from '../../components/status-badge.tsx';
import { type Step, Stepper } from '../../components/stepper.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { deniedDecision, deniedReason } from '../../format/permissions.ts';
import { runStatus } from '../../format/run-status.ts';
import { LANE_LABEL } from '../../format/vocabulary.ts';
import { Page, Section } from '../../layout/page.tsx';
import { ChecksSection } from './checks.tsx';
import { EvidenceSection } from './evidence.tsx';
import { Minted } from './minted.tsx';
import { NextStep } from './next-step.tsx';
import { VerdictPanel } from './verdict.tsx';

const UP = { href: '/runs', label: 'Runs' };

export function RunPage() {
  const { id = '' } = useParams<{ id: string }>();
  const run = useQuery(runQuery(id));
  if (run.data !== undefined) return <KnownRun run={run.data} />;
  return (
    <Page title="Run" up={UP}>
      <QueryBoundary query={run} skeleton={<RunSkeleton />}>
        {() => null}
      </QueryBoundary>
    </Page>
  );
}

function KnownRun({ run }: { run: Run }) {
  const session = useSession();
  const { mark, tone, words } = runStatus(run);
  const disabledReason = deniedReason(session.role, 'work');
  return (
    <Page
      key={run.id}
      title={run.title}
      up={UP}
      beside={
        <>
          <Badge>{LANE_LABEL[run.lane]}</Badge>
          <StatusBadge mark={mark} tone={tone}>
            {words}
          </StatusBadge>
        </>
      }
    >
      <Stepper label="Stages" steps={stepsOf(run)} />
      <VerdictPanel run={run} />
      <NextStep run={run} />
      {run.receipt_id !== null && <Minted receipt_id={run.receipt_id} />}
      <ChecksSection run={run} disabledReason={deniedDecision(session, run)} />
      {run.execution !== null && <JsonSection title="Execution" value={run.execution} />}
      <EvidenceSection run={run} disabledReason={disabledReason} />
      <JsonSection title="Inputs" value={run.inputs} />
      <Section title="About this Run">
        <div className="panel">
          <About run={run} />
        </div>
      </Section>
    </Page>
  );
}

function About({ run }: { run: Run }) {
  const { name, model, harness, capability_tier } = run.agent_profile;
  const agent = [name, model, harness, capability_tier].filter((word) => word !== 'undeclared' && word !== '');
  return (
    <DescriptionList>
      <Description label="Id">
        <Hash value={run.id} what="Id" />
      </Description>
      <Description label="Agent">
        {agent.length > 0 ? agent.join(' · ') : <span className="muted">Nobody was declared</span>}
      </Description>
      <Description label="Opened">
        <Timestamp at={run.created_at} />
      </Description>
      <Description label="Last step">
        <Timestamp at={run.updated_at} />
      </Description>
    </DescriptionList>
  );
}

/** A stage that was reached is done; the next one is where it stands, unless the Run ended. */
function stepsOf(run: Run): Step[] {
  const rejected = run.approval?.decision === 'rejected';
  return STAGES.map((name, place) => {
    const mark = run.stages.find(({ stage }) => stage === name);
    if (mark !== undefined) {
      const detail = (
        <>
          <Timestamp at={mark.at} /> by <ActorName id={mark.by} />
        </>
      );
      return { name, state: rejected && name === 'Approval' ? 'stopped' : 'done', detail };
    }
    return { name, state: place === run.stages.length && !rejected ? 'current' : 'ahead' };
  });
}

function RunSkeleton() {
  return (
    <>
      <Skeleton height="3.5rem" />
      <br />
      <Skeleton height="5rem" />
      <br />
      <SkeletonRows rows={6} />
    </>
  );
}
