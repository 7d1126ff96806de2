/** A receipt between the ones before and after it in the chain. */
import type { ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { GENESIS_HASH } from '@rcpt/proof/chain.ts';
import type { ReceiptVerdict } from '@rcpt/proof/receipt.ts';
import { Link } from 'wouter';
import { Skeleton } from '../../components/skeleton.tsx';
import type { Slot } from '../ledger/chain.ts';
import { ChainRow } from '../ledger/chain-row.tsx';
import type { Violation } from '../ledger/wording.ts';

/** The receipt with its neighbours, as they are recorded; null: there is none. */
export interface Around {
  next: ReceiptSummary | null;
  here: ReceiptSummary | null;
  previous: ReceiptSummary | null;
}

export function ChainPlace({ around, verdict }: { around: Around | undefined; verdict: ReceiptVerdict }) {
  if (around === undefined) return <Skeleton height="10.5rem" />;
  const { next, here, previous } = around;
  if (here === null) return <p className="muted">The ledger lists no receipt at this number.</p>;
  // What the bytes say counts, not what is recorded beside them.
  const sealed = {
    ...here,
    parent_hash: verdict.parent_hash ?? here.parent_hash,
    receipt_sha256: verdict.receipt_sha256 ?? here.receipt_sha256,
  };
  const found = (receipt: Slot): Violation[] =>
    receipt === sealed && verdict.fault ? [{ kind: 'payload_altered', ...verdict, ...verdict.fault }] : [];
  const rows: [Slot, Slot, Slot][] = [
    ...(next ? [[null, next, sealed] as [Slot, Slot, Slot]] : []),
    [next, sealed, previous],
    ...(previous ? [[sealed, previous, undefined] as [Slot, Slot, Slot]] : []),
  ];
  return (
    <>
      <ol className="chain-piece" aria-label="Neighbours in the chain">
        {rows.map(([above, receipt, below]) => (
          <li key={receipt!.org_seq} className="chain-row" data-here={receipt === sealed || undefined}>
            <ChainRow
              org_seq={receipt!.org_seq}
              receipt={receipt}
              above={above}
              below={below}
              found={found(receipt)}
              foundAbove={found(above)}
              foundBelow={found(below)}
            />
          </li>
        ))}
      </ol>
      <p className="chain-words-below">{placeInWords(sealed.org_seq, sealed.parent_hash, next !== null)}</p>
    </>
  );
}

function placeInWords(org_seq: number, parent_hash: string, followed: boolean) {
  const first = org_seq === 0 && parent_hash === GENESIS_HASH;
  return (
    <>
      {first ? 'The first receipt of its chain' : `Receipt #${org_seq} of its chain`}
      {followed ? '. ' : ', and the newest. '}
      <Link href="/ledger">Verify the whole chain</Link>
    </>
  );
}
