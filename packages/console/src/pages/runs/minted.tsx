/** The receipt a Run became: its place in the chain, its files, and the link it is shared by. */
import type { Receipt } from '@rcpt/contract/ledger/receipts.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { receiptQuery } from '../../api/queries.ts';
import { AwayLink } from '../../parts/button.tsx';
import { Hash } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ShareLink } from '../../parts/share-link.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import './minted.css';

export function Minted({ receipt_id }: { receipt_id: string }) {
  const receipt = useQuery(receiptQuery(receipt_id));
  return (
    <Loaded query={receipt} skeleton={<Skeleton height="9rem" />}>
      {(sealed) => <Sealed receipt={sealed} />}
    </Loaded>
  );
}

function Sealed({ receipt }: { receipt: Receipt }) {
  const { receipt_id, org_seq, receipt_sha256, created_at, share_url } = receipt;
  const path = new URL(share_url).pathname;
  return (
    <section className="minted" aria-label="Receipt">
      <header>
        <Icon name="receipt" />
        <div>
          <h2>
            <Link href={`/receipts/${receipt_id}`}>{receipt_id}</Link>
          </h2>
          <p className="muted">
            Number {org_seq} of the chain, sealed <Moment at={created_at} />
          </p>
        </div>
        <div className="button-row">
          <AwayLink small icon="download" href={`${path}/download`} download={`${receipt_id}.json`}>
            JSON
          </AwayLink>
          <AwayLink small icon="file" href={`${path}/pdf`}>
            PDF
          </AwayLink>
        </div>
      </header>
      <Hash value={receipt_sha256} what="Receipt hash" />
      <ShareLink receipt_id={receipt_id} />
    </section>
  );
}
