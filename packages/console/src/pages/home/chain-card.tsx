/** Where the chain ends, and when this browser last had it verified. */
import { useQuery } from '@tanstack/react-query';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { lastVerification } from '../../api/last-verification.ts';
import { useSession } from '../../api/queries.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { amount, count } from '../../format/numbers.ts';

export function ChainCard() {
  const head = useQuery({
    queryKey: KEYS.receipts({ limit: 1 }),
    queryFn: ({ signal }) => ledger.listReceipts({ limit: 1 }, signal),
  });
  return (
    <section className="panel card" aria-label="Chain">
      <h2>Chain</h2>
      <QueryBoundary query={head} skeleton={<Skeleton height="5.5rem" />}>
        {({ receipts: [last] }) =>
          last === undefined ? (
            <p className="muted">It begins with the first receipt.</p>
          ) : (
            <>
              <p className="figure">
                <strong>{amount(last.org_seq + 1)}</strong> {last.org_seq === 0 ? 'receipt' : 'receipts'}
              </p>
              <p className="muted">
                Head <Hash value={last.receipt_sha256} what="Head hash" short />
              </p>
              <Verified />
              <ButtonLink small icon="shield" href="/ledger">
                Verify
              </ButtonLink>
            </>
          )
        }
      </QueryBoundary>
    </section>
  );
}

function Verified() {
  const { organization } = useSession();
  const last = lastVerification(organization.id);
  if (last === null) return <p className="muted">Not yet verified from this browser.</p>;
  return (
    <p>
      <StatusBadge mark={last.ok ? 'tick' : 'cross'} tone={last.ok ? 'good' : 'bad'}>
        {last.ok ? 'Unchanged' : 'Altered'}
      </StatusBadge>
      <small className="card-detail">
        {count(last.receipts_checked, 'receipt')}, <Timestamp at={last.at} />
      </small>
    </p>
  );
}
