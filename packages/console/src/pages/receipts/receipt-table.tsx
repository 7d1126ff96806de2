import type { ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import type { CSSProperties } from 'react';
import { OutcomeStatus } from '../../components/outcome.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { LANE_LABEL } from '../../format/vocabulary.ts';

const COLUMNS = [
  { label: 'Receipt' },
  { label: 'Lane', kind: 'wide' },
  { label: 'Verdict' },
  { label: 'Hash', kind: 'widest' },
  { label: 'Sealed', kind: 'number' },
] as const;

/** One line per receipt; `at` is the line the keyboard stands on. */
export function ReceiptTable({ receipts, at }: { receipts: readonly ReceiptSummary[]; at: number }) {
  return (
    <Table
      label="Receipts"
      columns={COLUMNS}
      style={{ '--digits': String(receipts[0]?.org_seq).length } as CSSProperties}
    >
      {receipts.map(({ receipt_id, org_seq, title, lane, outcome, receipt_sha256, created_at }, row) => (
        <Row key={receipt_id} at={row === at}>
          <HeadCell href={`/receipts/${receipt_id}`}>
            <span className="numbered">
              <span className="receipt-number">#{org_seq}</span> <span className="clamped">{title || receipt_id}</span>
            </span>
          </HeadCell>
          <Cell kind="wide">{LANE_LABEL[lane]}</Cell>
          <Cell>{outcome && <OutcomeStatus outcome={outcome} />}</Cell>
          <Cell kind="widest">
            <code>{receipt_sha256.slice(0, 10)}</code>
          </Cell>
          <Cell kind="number">
            <Timestamp at={created_at} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}
