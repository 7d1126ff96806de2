/** The end of a list that goes on: the next page comes when one gets near it, or at a press. */
import { useEffect, useRef } from 'react';
import { Button } from './button.tsx';

interface LoadMoreProps {
  hasMore: boolean;
  busy: boolean;
  onMore: () => void;
}

export function LoadMore({ hasMore, busy, onMore }: LoadMoreProps) {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  latest.current = onMore;
  const waiting = hasMore && !busy;
  useEffect(() => {
    if (!waiting || end.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && latest.current(), {
      rootMargin: '600px',
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [waiting]);
  if (!hasMore) return null;
  return (
    <div ref={end} className="more">
      <Button kind="quiet" busy={busy} onClick={onMore}>
        LoadMore
      </Button>
    </div>
  );
}

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The same for a query of pages. */
export function LoadNextPage({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { query: Pages }) {
  return <LoadMore hasMore={hasNextPage} busy={isFetchingNextPage} onMore={() => void fetchNextPage()} />;
}
