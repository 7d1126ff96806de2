import type { Run } from '@rcpt/contract/ledger/runs.ts';
import { Status } from '../../parts/mark.tsx';
import { Moment } from '../../parts/moment.tsx';
import { OutcomeStatus } from '../../parts/outcome.tsx';
import { Cell, HeadCell, Row, Table } from '../../parts/table.tsx';
import { standingOf } from '../../words/standing.ts';
import { LANE_LABEL } from '../../words/vocabulary.ts';

const COLUMNS = [
  { label: 'Title' },
  { label: 'Lane', kind: 'wide' },
  { label: 'Stands', kind: 'least' },
  { label: 'Verdict', kind: 'wide' },
  { label: 'Last step', kind: 'number' },
] as const;

/** One line per Run; `at` is the line the keyboard stands on. */
export function RunTable({ label, runs, at = -1 }: { label: string; runs: readonly Run[]; at?: number }) {
  return (
    <div className="sheet flush">
      <Table label={label} columns={COLUMNS}>
        {runs.map((run, row) => (
          <RunRow key={run.id} run={run} at={row === at} />
        ))}
      </Table>
    </div>
  );
}

function RunRow({ run, at }: { run: Run; at: boolean }) {
  const { mark, tone, words } = standingOf(run);
  return (
    <Row at={at}>
      <HeadCell href={`/runs/${run.id}`}>{run.title}</HeadCell>
      <Cell kind="wide">{LANE_LABEL[run.lane]}</Cell>
      <Cell kind="least">
        <Status mark={mark} tone={tone}>
          {words}
        </Status>
      </Cell>
      <Cell kind="wide">{run.verdict && <OutcomeStatus outcome={run.verdict.outcome} />}</Cell>
      <Cell kind="number">
        <Moment at={run.updated_at} />
      </Cell>
    </Row>
  );
}
