/** How anyone verifies the chain without this service. */
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../api/queries.ts';
import { Command } from '../../components/copy.tsx';
import { newestQuery } from '../receipts/queries.ts';

export function Offline() {
  const { organization } = useSession();
  const { data } = useQuery(newestQuery);
  // An end that is not the recorded one is nothing to note down.
  const head = data?.receipts.find(({ org_seq }) => org_seq === data.head_seq);
  const file = `${organization.id}-chain.ndjson`;
  return (
    <div className="offline">
      <p>
        The{' '}
        <a href="/ledger/export" download="">
          export
        </a>{' '}
        is the whole chain, one receipt per line, each exactly as it is stored. Whoever holds it can verify it on their
        own machine, without a network and without trusting this service:
      </p>
      <Command text={`./rcpt verify ${file}`} />
      {head && (
        <>
          <p>
            That nothing was cut off at the end shows only against an end that somebody noted earlier. The chain ends at{' '}
            <strong>#{head.org_seq}</strong> as of now; note it, and compare later:
          </p>
          <Command text={`./rcpt verify --head ${head.org_seq}:${head.receipt_sha256} ${file}`} />
        </>
      )}
    </div>
  );
}
