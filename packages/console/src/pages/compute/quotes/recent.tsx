/** Quotes that were given, from the router's receipts: a day at a time. */
import type { RouterReceipt } from '@rcpt/contract/router/receipts.ts';
import type { JobType } from '@rcpt/contract/router/vocabulary.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, IconButton } from '../../../components/button.tsx';
import { useNow } from '../../../components/clock.ts';
import { QueryBoundary } from '../../../components/query-boundary.tsx';
import { SkeletonRows } from '../../../components/skeleton.tsx';
import { Cell, HeadCell, Row, Table } from '../../../components/table.tsx';
import { Timestamp } from '../../../components/timestamp.tsx';
import { day } from '../../../format/instant.ts';
import { Section } from '../../../layout/page.tsx';
import { useGpuName, useMemberName } from '../badges.tsx';
import { hoursWords } from '../duration.ts';
import { OFFERED_JOB_TYPES, typeWord } from '../format.ts';
import { quotesQuery } from '../queries.ts';
import type { QuoteDraft } from './form.tsx';

const DAY_MS = 86_400_000;

export function RecentQuotes({ onUse }: { onUse: (draft: QuoteDraft) => void }) {
  const [back, setBack] = useState(0);
  const now = Math.max(useNow(), Date.now() - DAY_MS / 24);
  const date = new Date(now - back * DAY_MS).toISOString().slice(0, 10);
  const quotes = useQuery(quotesQuery(date));
  return (
    <Section
      title="Quotes given"
      beside={
        <div className="button-row">
          <IconButton small icon="left" label="The day before" onClick={() => setBack(back + 1)} />
          <span aria-live="polite">{back === 0 ? 'Today, UTC' : `${day(`${date}T00:00:00Z`, now)}, UTC`}</span>
          <IconButton
            small
            icon="right"
            label="The day after"
            disabledReason={back === 0 ? 'This is today.' : null}
            onClick={() => setBack(back - 1)}
          />
        </div>
      }
    >
      <QueryBoundary query={quotes} skeleton={<SkeletonRows rows={3} />}>
        {({ receipts }) =>
          receipts.length === 0 ? (
            <p className="panel muted">No quote was given on this day.</p>
          ) : (
            <QuoteTable receipts={receipts} onUse={onUse} />
          )
        }
      </QueryBoundary>
    </Section>
  );
}

function QuoteTable({ receipts, onUse }: { receipts: RouterReceipt[]; onUse: (draft: QuoteDraft) => void }) {
  const memberName = useMemberName();
  const gpuName = useGpuName();
  return (
    <Table
      label="Quotes, newest first"
      columns={[
        { label: 'For' },
        { label: 'Hardware', kind: 'wide' },
        { label: 'Member', kind: 'wide' },
        { label: 'Given', kind: 'wide' },
        { label: 'Price', kind: 'number' },
        { label: 'Actions', kind: 'least', unseen: true },
      ]}
    >
      {receipts.map((receipt) => {
        const draft = draftOf(receipt);
        return (
          <Row key={receipt.receipt_id}>
            <HeadCell>
              {typeWord(draft.job_type)}, {hoursWords(Number(draft.hours))}
            </HeadCell>
            <Cell kind="wide">{gpuName(draft.requested_gpu_sku)}</Cell>
            <Cell kind="wide">{memberName(receipt.member_id)}</Cell>
            <Cell kind="wide">
              <Timestamp at={receipt.created_at} />
            </Cell>
            <Cell kind="number">{receipt.amount_usd} USD</Cell>
            <Cell kind="least">
              <Button small kind="quiet" onClick={() => onUse(draft)}>
                Use again
              </Button>
            </Cell>
          </Row>
        );
      })}
    </Table>
  );
}

function draftOf({ member_id, metadata }: RouterReceipt): QuoteDraft {
  const { requested_gpu_sku, job_type } = metadata;
  return {
    member_id,
    requested_gpu_sku: String(requested_gpu_sku ?? ''),
    hours: hoursIn(metadata),
    job_type: OFFERED_JOB_TYPES.find((type) => type === job_type) ?? (String(job_type) as JobType),
  };
}

/** The receipt's hours have two decimals; its milliseconds are exact. */
function hoursIn({ estimated_milliseconds, estimated_hours }: RouterReceipt['metadata']): string {
  if (typeof estimated_milliseconds !== 'number') return String(estimated_hours ?? '');
  return String(Number((estimated_milliseconds / 3_600_000).toFixed(6)));
}
