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
            That nothing was cut off at its end shows against the{' '}
            <a href="/ledger/checkpoint" download="checkpoint.txt">
              signed checkpoint
            </a>
            , which counts all receipts, and the{' '}
            <a href="/ledger/key" download="ledger.key">
              verifier key
            </a>
            . A reader takes the key from you, by another way than from this service:
          </p>
          <Command text={`./rcpt verify --checkpoint checkpoint.txt --key ledger.key ${file}`} />
          <p>
            It remembers the checkpoint: the next one has to continue it. The chain ends at{' '}
            <strong>#{head.org_seq}</strong> as of now.
          </p>
        </>
      )}
    </div>
  );
}
