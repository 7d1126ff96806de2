/** One receipt: what it says, beside the bytes that say it, hashed again here. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { problemOf } from '../../api/problem.ts';
import { ButtonLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Problem } from '../../components/problem.tsx';
import { Skeleton, SkeletonRows } from '../../components/skeleton.tsx';
import { Badge } from '../../components/status-badge.tsx';
import { exactToTheMillisecond } from '../../format/instant.ts';
import { LANE_LABEL } from '../../format/vocabulary.ts';
import { Page } from '../../layout/page.tsx';
import { ReceiptActions } from './actions.tsx';
import { seqOf } from './bytes.ts';
import { aroundQuery, bytesQuery, printQuery } from './queries.ts';
import { Sealed } from './sealed.tsx';
import './receipt.css';

export function ReceiptPage() {
  const { id = '' } = useParams<{ id: string }>();
  return <OneReceipt key={id} id={id} />;
}

function OneReceipt({ id }: { id: string }) {
  const org_seq = seqOf(id);
  const bytes = useQuery({ ...bytesQuery(id), enabled: org_seq !== null });
  const around = useQuery({ ...aroundQuery(org_seq ?? 0), enabled: org_seq !== null });
  // Wanted below; its script travels beside the receipt.
  useQuery(printQuery);
  // Both at once, so that nothing moves when the second comes.
  const here = around.isPending ? undefined : bytes.data;
  const record = here === undefined && !bytes.error ? null : (around.data?.here ?? null);
  const missing = org_seq === null || (bytes.error && problemOf(bytes.error).status === 404);
  const title = record?.title || (missing ? 'Receipt' : id);

  return (
    <Page
      title={title}
      up={{ href: '/receipts', label: 'Receipts' }}
      beside={record && <Badge>{LANE_LABEL[record.lane]}</Badge>}
      lead={
        <>
          <code>{id}</code>
          {record && (
            <>
              , sealed <time dateTime={record.created_at}>{exactToTheMillisecond(record.created_at)}</time>
            </>
          )}
        </>
      }
      actions={here && <ReceiptActions id={id} bytes={here} record={record} />}
    >
      {missing ? (
        <NoSuchReceipt listed={record !== null} />
      ) : here ? (
        <Sealed id={id} bytes={here} at={bytes.dataUpdatedAt} around={around.data} />
      ) : bytes.error ? (
        <Problem error={bytes.error} retry={() => void bytes.refetch()} />
      ) : (
        <div aria-busy="true">
          <Skeleton height="4.5rem" />
          <SkeletonRows rows={9} />
        </div>
      )}
    </Page>
  );
}

function NoSuchReceipt({ listed }: { listed: boolean }) {
  if (listed)
    return (
      <EmptyState icon="shield" title="What is stored under this number is not this receipt">
        <p>The ledger lists it, but the stored bytes do not carry its id. Verify the chain to see what was altered.</p>
        <ButtonLink href="/ledger">To the ledger</ButtonLink>
      </EmptyState>
    );
  return (
    <EmptyState icon="search" title="There is no such receipt">
      <p>It may have been mistyped, or belong to another organization.</p>
      <ButtonLink href="/receipts">To the receipts</ButtonLink>
    </EmptyState>
  );
}
