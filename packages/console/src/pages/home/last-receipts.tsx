import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../components/table.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { LANE_LABEL } from '../../format/vocabulary.ts';
import { Section } from '../../layout/page.tsx';

const SHOWN = 6;
const COLUMNS = [
  { label: 'Title' },
  { label: 'Lane', kind: 'wide' },
  { label: 'Receipt', kind: 'least' },
  { label: 'Sealed', kind: 'number' },
] as const;

export function LastReceipts() {
  const page = useQuery({
    queryKey: KEYS.receipts({ limit: SHOWN }),
    queryFn: ({ signal }) => ledger.listReceipts({ limit: SHOWN }, signal),
  });
  return (
    <Section title="Sealed last" beside={<Link href="/receipts">All receipts</Link>}>
      <QueryBoundary query={page} skeleton={<SkeletonRows rows={SHOWN} />}>
        {({ receipts }) =>
          receipts.length === 0 ? (
            <p className="muted">No receipt yet: an approved Run becomes one.</p>
          ) : (
            <Table label="Last receipts" columns={COLUMNS}>
              {receipts.map(({ receipt_id, title, lane, created_at }) => (
                <Row key={receipt_id}>
                  <HeadCell href={`/receipts/${receipt_id}`}>{title}</HeadCell>
                  <Cell kind="wide">{LANE_LABEL[lane]}</Cell>
                  <Cell kind="least">
                    <code>{receipt_id}</code>
                  </Cell>
                  <Cell kind="number">
                    <Timestamp at={created_at} />
                  </Cell>
                </Row>
              ))}
            </Table>
          )
        }
      </QueryBoundary>
    </Section>
  );
}
