/** The lines themselves: as many as fit are there, however many there are. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { exact } from '../../../format/instant.ts';
import { type LogLine, withoutTabs } from './lines.ts';

const LINE_PX = 20;
const NEAR_END_PX = 24;

export function LogView({ lines, wrapped }: { lines: readonly LogLine[]; wrapped: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const top = useRef(0);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (place) => lines[place]?.number ?? place,
    overscan: 24,
  });
  const last = lines.at(-1)?.number;
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when lines came, or turned out to be higher than thought
  useLayoutEffect(() => {
    if (following && scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [last, height, following]);

  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) setFollowing(true);
    else if (scrollTop < top.current - 2) setFollowing(false);
    top.current = scrollTop;
  };
  const items = virtual.getVirtualItems();
  const digits = String(last ?? 0).length;
  return (
    <div className="log-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={scroller} className="log-lines" aria-label="Log" tabIndex={0} onScroll={onScroll}>
        <div style={{ height }} className="log-all">
          <div style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }} data-wrapped={wrapped || undefined}>
            {items.map(({ index, key }) => (
              <Line
                key={key}
                line={lines[index]!}
                digits={digits}
                {...(wrapped ? { index, measure: virtual.measureElement } : {})}
              />
            ))}
          </div>
        </div>
      </section>
      {!following && (
        <Button small icon="down" onClick={() => setFollowing(true)}>
          To the end
        </Button>
      )}
    </div>
  );
}

interface LineProps {
  line: LogLine;
  digits: number;
  /** Where lines are wrapped each has its own height. */
  index?: number;
  measure?: (element: Element | null) => void;
}

const Line = memo(function Line({ line: { number, stream, text, at }, digits, index, measure }: LineProps) {
  return (
    <div className="log-line" data-stream={stream} data-index={index} {...(measure ? { ref: measure } : {})}>
      <span className="log-number" style={{ minWidth: `${digits}ch` }} title={exact(at)}>
        {number}
      </span>
      {stream !== 'stdout' && <span className="log-stream">{stream}</span>}
      <span className="log-text">{withoutTabs(text)}</span>
    </div>
  );
});
