/** The whole chain, however long: only the rows one sees exist, and only what they need is fetched. */
import { useQueries } from '@tanstack/react-query';
import { type CSSProperties, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import { Problem } from '../../components/problem.tsx';
import { useShortcuts } from '../../layout/shortcuts.ts';
import { blockOf, blocksOf, type Slot } from './chain.ts';
import { ChainRow } from './chain-row.tsx';
import { blockQuery } from './queries.ts';
import { useScaledScroll } from './use-scaled-scroll.ts';
import type { Violation } from './wording.ts';

interface ChainListProps {
  /** The highest number there is. */
  last: number;
  /** The number one stands on, −1 before the first key. */
  at: number;
  onMove: (org_seq: number) => void;
  violations: ReadonlyMap<number, readonly Violation[]>;
}

export function ChainList({ last, at, onMove, violations }: ChainListProps) {
  const rows = last + 1;
  const { scroller, height, offset, rowHeight, first, end, seen, show } = useScaledScroll(rows);
  const seqOf = (row: number) => last - row;
  const blocks = useMemo(() => blocksOf(Math.max(0, last - end), last - Math.max(0, first - 1)), [last, first, end]);
  const loaded = useQueries({ queries: blocks.map(blockQuery) });
  const slotAt = (org_seq: number): Slot => {
    if (org_seq < 0 || org_seq > last) return null;
    const block = loaded[blocks.indexOf(blockOf(org_seq))]?.data;
    return block === undefined ? undefined : (block.get(org_seq) ?? null);
  };
  const failed = loaded.find(({ isError, data }) => isError && data === undefined);

  const showLatest = useRef(show);
  showLatest.current = show;
  useLayoutEffect(() => {
    if (at >= 0 && at <= last) showLatest.current(last - at);
  }, [at, last]);
  const [, navigate] = useLocation();
  const move = (to: number) => onMove(Math.max(0, Math.min(last, to)));
  useShortcuts({
    j: { does: 'Next row', run: () => move(at < 0 ? seqOf(seen.first) : at - 1) },
    k: { does: 'Previous row', run: () => move(at < 0 ? seqOf(seen.first) : at + 1) },
    Enter: {
      does: 'Open the row',
      run: () => {
        const receipt = slotAt(at);
        if (receipt) navigate(`/receipts/${receipt.receipt_id}`);
      },
      shy: true,
    },
  });

  return (
    <>
      <section
        ref={scroller}
        className="chain-scroller"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="The chain, newest first"
        style={{ '--digits': String(last).length } as CSSProperties}
      >
        <Tall height={height} offset={offset} rows={rows}>
          {Array.from({ length: end - first }, (_, place) => {
            const org_seq = seqOf(first + place);
            const found = violations.get(org_seq);
            return (
              <li
                key={org_seq}
                className="chain-row"
                data-at={org_seq === at || undefined}
                data-wrong={found !== undefined || undefined}
                aria-posinset={first + place + 1}
                aria-setsize={rows}
                style={{ height: rowHeight }}
              >
                <ChainRow
                  org_seq={org_seq}
                  receipt={slotAt(org_seq)}
                  above={slotAt(org_seq + 1)}
                  below={slotAt(org_seq - 1)}
                  found={found}
                  foundAbove={violations.get(org_seq + 1)}
                  foundBelow={violations.get(org_seq - 1)}
                />
              </li>
            );
          })}
        </Tall>
      </section>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
    </>
  );
}

/** An element as tall as all rows together, or as an element may be, with the rows one sees at their place in it. */
function Tall({
  height,
  offset,
  rows,
  children,
}: {
  height: number;
  offset: number;
  rows: number;
  children: ReactNode;
}) {
  return (
    <div className="chain-tall" style={{ height }}>
      <ol className="chain-seen" style={{ top: offset }} aria-label={`${rows} receipts`}>
        {children}
      </ol>
    </div>
  );
}
