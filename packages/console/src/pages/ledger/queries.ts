/** What the chain's rows are fetched by. */
import { queryOptions } from '@tanstack/react-query';
import { ledger } from '../../api/clients.ts';
import { KEYS } from '../../api/keys.ts';
import { BLOCK_ROWS, rowsOfBlock } from './chain.ts';

/** A block that is scrolled past meanwhile is never asked for. */
const BREATH_MS = 60;

/** The receipts of one block by number. Stopped when it is not shown any more, and dropped soon after. */
export const blockQuery = (block: number) =>
  queryOptions({
    queryKey: KEYS.receipts({ block }),
    queryFn: async ({ signal }) => {
      await breath(signal);
      const page = await ledger.listReceipts({ before_seq: (block + 1) * BLOCK_ROWS, limit: BLOCK_ROWS }, signal);
      return rowsOfBlock(block, page);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    structuralSharing: false,
  });

function breath(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, BREATH_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
