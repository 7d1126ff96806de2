/** The jobs a worker holds, and how long its right to each still runs. */

import type { ActiveLease } from '@rcpt/contract/router/admin.ts';
import type { JobStatus } from '@rcpt/contract/router/vocabulary.ts';
import type { Worker } from '@rcpt/contract/router/workers.ts';
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx';
import { JobState, TimeLeft } from '../badges.tsx';
import { shortId, typeWord } from '../format.ts';

export function Held({
  leases,
  worker: { status, revoked_at },
}: {
  leases: readonly ActiveLease[];
  worker: Pick<Worker, 'status' | 'revoked_at'>;
}) {
  if (leases.length === 0) return <p className="panel muted">{revoked_at === null ? IDLE[status] : REVOKED}</p>;
  return (
    <Table
      label="Jobs held"
      columns={[{ label: 'Job' }, { label: 'Status' }, { label: 'Lease runs out in', kind: 'number' }]}
    >
      {leases.map(({ lease_id, job_id, job_type, status: job_status, expires_at }) => (
        <Row key={lease_id}>
          <HeadCell href={`/compute/jobs/${encodeURIComponent(job_id)}`}>
            <span className="whole">
              {typeWord(job_type)} <code className="short-id">{shortId(job_id)}</code>
            </span>
          </HeadCell>
          <Cell>
            <JobState status={job_status as JobStatus} />
          </Cell>
          <Cell kind="number">
            <TimeLeft until={expires_at} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

const IDLE: Record<Worker['status'], string> = {
  registered: 'Nothing: it has registered and not asked for a job yet.',
  online: 'Nothing: it waits for a job it can run.',
  busy: 'Nothing that the router knows of.',
  draining: 'Nothing: it is drained and can be stopped, or resumed.',
  maintenance: 'Nothing while it is under maintenance.',
  offline: 'Nothing: it missed three heartbeats, or said it is offline. When it says otherwise it goes on by itself.',
};
const REVOKED = 'Nothing: it was revoked. What it held was given back.';
