/** The end of what was found so far: how far the search has come, and the way on. */
import type { ReceiptPage } from '@rcpt/contract/ledger/search.ts';
import { useEffect, useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { Problem } from '../../components/problem.tsx';
import { Progress } from '../../components/progress.tsx';
import { count } from '../../format/numbers.ts';
import { reachOf } from './searching.ts';

interface SearchEndProps {
  pages: readonly ReceiptPage[];
  asked: number;
  busy: boolean;
  error: unknown;
  /** The next page, by itself. */
  onGo: () => void;
  /** The next page, because a person wants more. */
  onAsk: () => void;
}

export function SearchEnd({ pages, asked, busy, error, onGo, onAsk }: SearchEndProps) {
  const { next, back_to, found, barren } = reachOf(pages, asked);
  const going = next === 'on' && !error;
  const latest = useRef(onGo);
  latest.current = onGo;
  useEffect(() => {
    if (going && !busy) latest.current();
  }, [going, busy]);

  if (error) return <Problem error={error} retry={onAsk} />;
  if (back_to === null) return <p className="list-end">{found > 0 && `${count(found, 'receipt')} in all`}</p>;
  if (!barren) return <LoadMore hasMore busy={busy} onMore={onAsk} />;
  const head = pages[0]?.head_seq ?? back_to;
  return (
    <div className="search-end">
      <p role="status">
        {found === 0 ? 'Nothing found' : `${count(found, 'receipt')} found`} down to <strong>#{back_to}</strong>.
      </p>
      <Progress label="Searched so far" done={head + 1 - back_to} of={head + 1} />
      <Button busy={busy || going} onClick={onAsk}>
        Search on
      </Button>
    </div>
  );
}
