/** What these pages ask the ledger for. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { bytesOf } from './bytes.ts';
import type { ReceiptFilters } from './filters.ts';
import { PAGE_ROWS } from './searching.ts';

/** Not made stale by every mint, which would read all pages again: the page itself says when there is something new. */
export const receiptListQuery = (filters: ReceiptFilters) =>
  infiniteQueryOptions({
    queryKey: ['receipt-list', filters],
    queryFn: ({ pageParam, signal }) =>
      ledger.listReceipts({ ...filters, before_seq: pageParam, limit: PAGE_ROWS }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (last) => last.next_before_seq ?? undefined,
  });

/** Where the chain ends, and the receipt that stands there. */
export const newestQuery = queryOptions({
  queryKey: KEYS.receipts({ newest: true }),
  queryFn: ({ signal }) => ledger.listReceipts({ limit: 1 }, signal),
});

/** The receipt at a number with its neighbours, as they are recorded. */
export const aroundQuery = (org_seq: number) =>
  queryOptions({
    queryKey: KEYS.receipts({ around: org_seq }),
    queryFn: async ({ signal }) => {
      const { receipts } = await ledger.listReceipts({ before_seq: org_seq + 2, limit: 3 }, signal);
      const at = (wanted: number) => receipts.find((receipt) => receipt.org_seq === wanted) ?? null;
      return { next: at(org_seq + 1), here: at(org_seq), previous: at(org_seq - 1) };
    },
  });

/** The stored bytes. Asked for anew by every visit, because what counts is what is stored now. */
export const bytesQuery = (receipt_id: string) =>
  queryOptions({
    queryKey: [...KEYS.receipt(receipt_id), 'bytes'],
    queryFn: ({ signal }) => bytesOf(receipt_id, signal),
    staleTime: 0,
    refetchOnWindowFocus: false,
    structuralSharing: false,
  });

/** How people read receipts: loaded with the first of them. */
export const printQuery = queryOptions({
  queryKey: ['print'],
  queryFn: async () => (await import('./print.ts')).printOf,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});
