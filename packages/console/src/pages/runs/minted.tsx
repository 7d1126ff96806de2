/** The receipt a Run became: its place in the chain, its files, and the link it is shared by. */
import type { Receipt } from '@rcpt/contract/ledger/receipts.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useIdempotentMutation } from '../../api/idempotent-mutation.ts';
import { problemOf } from '../../api/problem.ts';
import { receiptQuery, shareQuery } from '../../api/queries.ts';
import { AwayLink, Button } from '../../components/button.tsx';
import { Hash } from '../../components/copy.tsx';
import { Icon } from '../../components/icon.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { ShareLink } from '../../components/share-link.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../layout/toasts.tsx';
import { bytesOf } from '../receipts/bytes.ts';
import { saveAs } from '../receipts/save.ts';
import './minted.css';

export function Minted({ receipt_id }: { receipt_id: string }) {
  const receipt = useQuery(receiptQuery(receipt_id));
  return (
    <QueryBoundary query={receipt} skeleton={<Skeleton height="15rem" />}>
      {(sealed) => <Sealed receipt={sealed} />}
    </QueryBoundary>
  );
}

function Sealed({ receipt }: { receipt: Receipt }) {
  const { receipt_id, org_seq, receipt_sha256, created_at } = receipt;
  return (
    <section className="minted" aria-label="Receipt">
      <header>
        <Icon name="receipt" />
        <div>
          <h2>
            <Link href={`/receipts/${receipt_id}`}>{receipt_id}</Link>
          </h2>
          <p className="muted">
            Number {org_seq} of the chain, sealed <Timestamp at={created_at} />
          </p>
        </div>
        <div className="button-row">
          <Json receipt_id={receipt_id} />
          <Pdf receipt_id={receipt_id} />
        </div>
      </header>
      <Hash value={receipt_sha256} what="Receipt hash" />
      <ShareLink receipt_id={receipt_id} />
    </section>
  );
}

/** The stored bytes: an address that a browser opens by itself would get the console's page. */
function Json({ receipt_id }: { receipt_id: string }) {
  const save = useIdempotentMutation(() => bytesOf(receipt_id, new AbortController().signal), {
    onSuccess: (bytes) => saveAs(`${receipt_id}.json`, bytes),
    onError: (error) => toast(problemOf(error).detail, 'bad'),
  });
  return (
    <Button small icon="download" busy={save.isPending} onClick={() => save.mutate(undefined)}>
      JSON
    </Button>
  );
}

function Pdf({ receipt_id }: { receipt_id: string }) {
  const { data: share } = useQuery(shareQuery(receipt_id));
  if (share?.enabled)
    return (
      <AwayLink small icon="file" href={`${share.share_url}/pdf`}>
        PDF
      </AwayLink>
    );
  return (
    <Button
      small
      icon="file"
      disabledReason={share ? 'The PDF goes with the share link, which is switched off.' : 'Loading …'}
    >
      PDF
    </Button>
  );
}
