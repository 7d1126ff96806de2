/** All receipts, newest first, and looking through them. */
import type { ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { useRowCursor } from '../../components/row-cursor.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { count } from '../../format/numbers.ts';
import { LANE_LABEL } from '../../format/vocabulary.ts';
import { Page } from '../../layout/page.tsx';
import { asksForAll, changed, filtersOf, type ReceiptFilters } from './filters.ts';
import { NoReceipts, NothingFound } from './nothing.tsx';
import { newestQuery, receiptListQuery } from './queries.ts';
import { ReceiptTable } from './receipt-table.tsx';
import { SearchEnd } from './search-end.tsx';
import './receipts.css';

const BEGINNING_PX = 100;

export function Receipts() {
  const [params, setParams] = useSearchParams();
  const filters = filtersOf(params);
  const change = (to: Partial<Record<keyof ReceiptFilters, string>>) =>
    setParams((before) => changed(before, to), { replace: true });
  return (
    <Page title="Receipts">
      <search className="filters receipt-filters">
        <SearchBox
          label="Title, number, id or hash"
          value={filters.search ?? ''}
          onSearch={(search) => change({ search })}
        />
        <SelectField
          label="Lane"
          labelHidden
          value={filters.lane ?? ''}
          onChange={(event) => change({ lane: event.target.value })}
        >
          <option value="">Any lane</option>
          {LANE_NAMES.map((lane) => (
            <option key={lane} value={lane}>
              {LANE_LABEL[lane]}
            </option>
          ))}
        </SelectField>
        <Days filters={filters} change={change} />
      </search>
      <Found
        filters={filters}
        onClear={() => setParams(changed(params, { search: '', lane: '', from: '', to: '' }), { replace: true })}
      />
    </Page>
  );
}

function Days({
  filters: { from = '', to = '' },
  change,
}: {
  filters: ReceiptFilters;
  change: (to: { from?: string; to?: string }) => void;
}) {
  return (
    <fieldset className="days">
      <legend className="visually-hidden">Sealed on (UTC)</legend>
      <TextField
        label="From"
        type="date"
        value={from}
        max={to}
        onChange={(event) => change({ from: event.target.value })}
      />
      <TextField
        label="To"
        type="date"
        value={to}
        min={from}
        onChange={(event) => change({ to: event.target.value })}
      />
    </fieldset>
  );
}

function Found({ filters, onClear }: { filters: ReceiptFilters; onClear: () => void }) {
  // What was found before stays until there is something else to show.
  const list = useInfiniteQuery({ ...receiptListQuery(filters), placeholderData: keepPreviousData });
  const [asked, setAsked] = useState({ filters, pages: 0 });
  const before = list.isPlaceholderData;
  return (
    <QueryBoundary query={list} skeleton={<SkeletonRows rows={12} />}>
      {({ pages }) => {
        const receipts = pages.flatMap((page) => page.receipts);
        const nothing = receipts.length === 0 && !list.hasNextPage;
        return (
          <div className="found" data-before={before || undefined} aria-busy={before || undefined}>
            {!before && (
              <Newer shown={pages[0]!.head_seq} atStart={pages.length === 1} onShow={() => void list.refetch()} />
            )}
            {nothing && (asksForAll(filters) ? <NoReceipts /> : <NothingFound onClear={onClear} />)}
            {receipts.length > 0 && <List key={JSON.stringify(filters)} receipts={receipts} />}
            {!nothing && (
              <SearchEnd
                pages={pages}
                asked={JSON.stringify(asked.filters) === JSON.stringify(filters) ? asked.pages : 0}
                busy={list.isFetchingNextPage || before}
                error={list.isFetchNextPageError ? list.error : null}
                onGo={() => void list.fetchNextPage()}
                onAsk={() => {
                  setAsked({ filters, pages: pages.length });
                  void list.fetchNextPage();
                }}
              />
            )}
          </div>
        );
      }}
    </QueryBoundary>
  );
}

function List({ receipts }: { receipts: readonly ReceiptSummary[] }) {
  const [, navigate] = useLocation();
  const { at } = useRowCursor(receipts.length, (row) => navigate(`/receipts/${receipts[row]!.receipt_id}`));
  return <ReceiptTable receipts={receipts} at={at} />;
}

/** What was sealed since: shown at once at the top of the list, offered further down. */
function Newer({ shown, atStart, onShow }: { shown: number | null; atStart: boolean; onShow: () => void }) {
  const newest = useQuery(newestQuery);
  const newer = (newest.data?.head_seq ?? -1) - (shown ?? -1);
  const latest = useRef(onShow);
  latest.current = onShow;
  useEffect(() => {
    if (newer > 0 && atStart && scrollY < BEGINNING_PX) latest.current();
  }, [newer, atStart]);
  if (newer <= 0) return null;
  return (
    <p className="newer">
      <Button small icon="refresh" onClick={onShow}>
        {count(newer, 'receipt')} sealed since
      </Button>
    </p>
  );
}
