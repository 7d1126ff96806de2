import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { OutcomeStatus } from '../../components/outcome.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Cell, type Column, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { runStatus } from '../../format/run-status.ts';
import { LANE_LABEL } from '../../format/vocabulary.ts';

/** What a list says of each Run, beside its title: in a list of one stage the status would say the same in every line. */
type Shown = 'all' | 'status' | 'verdict';

const COLUMNS: Record<Shown, readonly Column[]> = {
  all: [
    { label: 'Title' },
    { label: 'Lane', kind: 'wide' },
    { label: 'Status' },
    { label: 'Verdict', kind: 'wide' },
    { label: 'Last step', kind: 'number' },
  ],
  status: [
    { label: 'Title' },
    { label: 'Lane', kind: 'wide' },
    { label: 'Status' },
    { label: 'Last step', kind: 'number' },
  ],
  verdict: [
    { label: 'Title' },
    { label: 'Lane', kind: 'wide' },
    { label: 'Verdict' },
    { label: 'Last step', kind: 'number' },
  ],
};

interface RunTableProps {
  label: string;
  runs: readonly Run[];
  shown?: Shown;
  /** The line the keyboard stands on. */
  at?: number;
}

/** One line per Run. */
export function RunTable({ label, runs, shown = 'all', at = -1 }: RunTableProps) {
  return (
    <Table label={label} columns={COLUMNS[shown]}>
      {runs.map((run, row) => (
        <RunRow key={run.id} run={run} shown={shown} at={row === at} />
      ))}
    </Table>
  );
}

function RunRow({ run, shown, at }: { run: Run; shown: Shown; at: boolean }) {
  const { mark, tone, words } = runStatus(run);
  return (
    <Row at={at}>
      <HeadCell href={`/runs/${run.id}`}>{run.title}</HeadCell>
      <Cell kind="wide">{LANE_LABEL[run.lane]}</Cell>
      {shown !== 'verdict' && (
        <Cell>
          <StatusBadge mark={mark} tone={tone}>
            {words}
          </StatusBadge>
        </Cell>
      )}
      {shown !== 'status' && (
        <Cell kind={shown === 'all' ? 'wide' : undefined}>
          {run.verdict && <OutcomeStatus outcome={run.verdict.outcome} />}
        </Cell>
      )}
      <Cell kind="number">
        <Timestamp at={run.updated_at} />
      </Cell>
    </Row>
  );
}
