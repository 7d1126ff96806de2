/** A receipt whose bytes are here: whether they hold, what they say, and the bytes themselves. */
import type { ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { verifyReceipt } from '@rcpt/proof/receipt.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { ShareLink } from '../../components/share-link.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Section } from '../../layout/page.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { BesideReceipt } from './beside.tsx';
import { type Around, ChainPlace } from './chain-place.tsx';
import { Compare } from './compare.tsx';
import { Integrity } from './integrity.tsx';
import { Opening } from './opening.tsx';
import { printQuery } from './queries.ts';
import { PrintedSection } from './sections.tsx';
import { StoredBytes } from './stored-bytes.tsx';

interface SealedProps {
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** When they were fetched, and hashed at once. */
  at: number;
  around: Around | undefined;
}

export function Sealed({ id, bytes, at, around }: SealedProps) {
  const verdict = useMemo(() => verifyReceipt(bytes), [bytes]);
  const print = useQuery(printQuery);
  const [, navigate] = useLocation();
  const go = (to: ReceiptSummary | null | undefined) => to && navigate(`/receipts/${to.receipt_id}`);
  useShortcuts({
    j: { does: 'The receipt before', run: () => go(around?.previous) },
    k: { does: 'The receipt after', run: () => go(around?.next) },
  });
  const { payload } = verdict;
  return (
    <>
      <Integrity verdict={verdict} id={id} at={at} bytes={bytes.length} />
      <div className="receipt-columns">
        <div>
          {payload === null ? (
            <p className="muted">What is stored cannot be read as a receipt. Its bytes are shown as they are.</p>
          ) : (
            <QueryBoundary query={print} skeleton={<SkeletonRows rows={9} />}>
              {(printOf) => <Said print={printOf(payload, verdict.ok)} />}
            </QueryBoundary>
          )}
        </div>
        <div>
          <StoredBytes bytes={bytes} id={id} />
          {verdict.ok && payload && verdict.receipt_id === id && <Compare receipt={payload} />}
          <Section title="Place in the chain">
            <ChainPlace around={around} verdict={verdict} />
          </Section>
          <Section title="Share link">
            <ShareLink receipt_id={id} />
          </Section>
          <BesideReceipt receipt_id={id} evidence={evidenceLabels(payload)} />
        </div>
      </div>
    </>
  );
}

function evidenceLabels(payload: { evidence?: unknown } | null): string[] {
  const items = Array.isArray(payload?.evidence) ? (payload.evidence as { label?: unknown }[]) : [];
  return items.map((item) => (typeof item?.label === 'string' ? item.label : ''));
}

function Said({ print }: { print: Parameters<typeof Opening>[0]['print'] }) {
  return (
    <>
      <Opening print={print} />
      {print.sections.map((section, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sections of a receipt that never changes
        <PrintedSection key={place} section={section} />
      ))}
    </>
  );
}
