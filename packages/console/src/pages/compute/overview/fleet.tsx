/** The workers: how each stands, what it holds and how long its leases still run. */

import type { ActiveLease } from '@rcpt/contract/router/admin.ts';
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../../../api/queries.ts';
import { Button } from '../../../components/button.tsx';
import { useNow } from '../../../components/clock.ts';
import { Command } from '../../../components/copy.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { QueryBoundary } from '../../../components/query-boundary.tsx';
import { useRowCursor } from '../../../components/row-cursor.ts';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx';
import { Timestamp } from '../../../components/timestamp.tsx';
import { count } from '../../../format/numbers.ts';
import { deniedReason } from '../../../format/permissions.ts';
import { Section } from '../../../layout/page.tsx';
import { JobLink, TimeLeft, WorkerState } from '../badges.tsx';
import { shortId, typeWord } from '../format.ts';
import { GpuLoad } from '../gpu-load.tsx';
import { gpusOf } from '../machine.ts';
import { workerQuery, workersQuery } from '../queries.ts';
import { OrderDialog, orderFor } from '../worker-order.tsx';

/** Of more workers than these the leases stand on their own pages alone. */
const DETAILED = 12;
const DAY_MS = 86_400_000;

export function Fleet() {
  const workers = useQuery(workersQuery);
  return (
    <Section
      title="Workers"
      beside={workers.data && workers.data.length > 0 ? count(workers.data.length, 'worker') : undefined}
    >
      <QueryBoundary query={workers} skeleton={<SkeletonRows rows={3} />}>
        {(all) => (all.length === 0 ? <NoWorkers /> : <KnownWorkers workers={all} />)}
      </QueryBoundary>
    </Section>
  );
}

function NoWorkers() {
  return (
    <EmptyState icon="compute" title="No worker has registered yet">
      <p>
        A worker leases jobs from the router and runs them with the command you give per job type. Start one on any
        machine that reaches the router:
      </p>
      <Command text={"./rcpt worker --router http://127.0.0.1:8088 \\\n  --exec fine_tune='node train.ts'"} />
    </EmptyState>
  );
}

/** Workers that went silent long ago are hidden until they are asked for. */
function KnownWorkers({ workers }: { workers: readonly Worker[] }) {
  const [all, setAll] = useState(false);
  const now = useNow();
  const heard = workers.filter((worker) => !isForgotten(worker, now));
  const silent = workers.length - heard.length;
  return (
    <>
      {(all || heard.length > 0) && <WorkerTable workers={inOrder(all ? workers : heard)} />}
      {silent > 0 && (
        <p className="silent">
          <Button kind="quiet" small onClick={() => setAll(!all)}>
            {all ? 'Hide' : 'Show'} {count(silent, 'worker')} silent for more than a day
          </Button>
        </p>
      )}
    </>
  );
}

function isForgotten(worker: Worker, now: number): boolean {
  const { status, current_jobs, last_heartbeat_at, revoked_at, created_at } = worker;
  const holds = current_jobs > 0 && revoked_at === null;
  return status === 'offline' && !holds && now - Date.parse(last_heartbeat_at ?? created_at) > DAY_MS;
}

function WorkerTable({ workers }: { workers: Worker[] }) {
  const { role } = useSession();
  const [asked, setAsked] = useState<Worker | null>(null);
  const [, navigate] = useLocation();
  const { at } = useRowCursor(workers.length, (row) => navigate(hrefOf(workers[row]!)));
  const leases = useLeases(workers);
  return (
    <>
      <Table
        label="Workers"
        columns={[
          { label: 'Worker' },
          { label: 'State' },
          { label: 'Holds' },
          { label: 'GPU load', kind: 'wide' },
          { label: 'Heartbeat', kind: 'wide' },
          { label: 'Actions', kind: 'wide', unseen: true },
        ]}
      >
        {workers.map((worker, i) => (
          <Row key={worker.id} at={at === i}>
            <HeadCell href={hrefOf(worker)} below={worker.node_id !== worker.name && worker.node_id}>
              {worker.name}
            </HeadCell>
            <Cell>
              <WorkerState worker={worker} />
            </Cell>
            <Cell>
              <Leases leases={leases.get(worker.id)} current={worker.current_jobs} />
            </Cell>
            <Cell kind="wide">
              <GpuLoad gpus={worker.status === 'offline' ? [] : gpusOf(worker.metrics)} />
            </Cell>
            <Cell kind="wide">{worker.last_heartbeat_at ? <Timestamp at={worker.last_heartbeat_at} /> : 'never'}</Cell>
            <Cell kind="wide">
              {worker.revoked_at === null && (
                <Button
                  small
                  disabledReason={deniedReason(role, 'administer')}
                  aria-label={`${orderFor(worker).word} ${worker.name}`}
                  onClick={() => setAsked(worker)}
                >
                  {orderFor(worker).word}
                </Button>
              )}
            </Cell>
          </Row>
        ))}
      </Table>
      {asked && <OrderDialog worker={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function Leases({ leases, current }: { leases: ActiveLease[] | undefined; current: number }) {
  // What a worker said last may be long over; what the router knows goes first.
  if (leases === undefined) return current === 0 ? '–' : count(current, 'job');
  if (leases.length === 0) return '–';
  return (
    <ul className="leases">
      {leases.map(({ lease_id, job_id, job_type, expires_at }) => (
        <li key={lease_id}>
          <JobLink id={job_id}>
            {typeWord(job_type)}
            <span className="roomy"> {shortId(job_id)}</span>
          </JobLink>{' '}
          <TimeLeft until={expires_at} />
        </li>
      ))}
    </ul>
  );
}

function useLeases(workers: readonly Worker[]): Map<string, ActiveLease[]> {
  const busy = workers.filter(({ current_jobs }) => current_jobs > 0).slice(0, DETAILED);
  const details = useQueries({ queries: busy.map(({ id }) => workerQuery(id)) });
  return new Map(details.flatMap(({ data }) => (data ? [[data.worker.id, data.active_leases]] : [])));
}

function hrefOf({ id }: Worker): string {
  return `/compute/workers/${encodeURIComponent(id)}`;
}

const PLACE: Record<Worker['status'], number> = {
  busy: 0,
  online: 1,
  registered: 2,
  draining: 3,
  maintenance: 4,
  offline: 5,
};

/** Those at work first, the silent ones last. */
function inOrder(workers: readonly Worker[]): Worker[] {
  return workers.toSorted((a, b) => PLACE[a.status] - PLACE[b.status] || a.name.localeCompare(b.name));
}
