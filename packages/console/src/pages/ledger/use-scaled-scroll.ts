/** Scaled scrolling of an element whose rows all have one height. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  type Extent,
  grownAbove,
  heightOf,
  type Place,
  placeAtTop,
  placeShowing,
  rowsSeen,
  scrolled,
} from './scaled-scroll.ts';

/** Of a row, in the root's font size. */
const ROW_REM = 3.5;
/** Until the element is measured. */
const FIRST_VIEW_PX = 600;
const IDLE_MS = 160;

export function useScaledScroll(rows: number) {
  const scroller = useRef<HTMLElement>(null);
  const [rowHeight] = useState(() => ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const [view, setView] = useState(FIRST_VIEW_PX);
  const [place, setPlace] = useState<Place>({ scroll: 0, top: 0 });
  const extent = { total: rows * rowHeight, view };
  const latest = useRef<{ place: Place; extent: Extent; rows: number }>({ place, extent, rows });
  latest.current.extent = extent;

  const go = useCallback((to: Place) => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = to.scroll;
    // Browsers round: what counts is where it stands.
    latest.current.place = { scroll: element.scrollTop, top: to.top };
    setPlace(latest.current.place);
  }, []);

  // Newer rows came above: what is being read stays where it is.
  useLayoutEffect(() => {
    const grown = rows - latest.current.rows;
    latest.current.rows = rows;
    if (grown !== 0) go(grownAbove(latest.current.place, grown * rowHeight, latest.current.extent));
  }, [rows, rowHeight, go]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setView(element.clientHeight));
    observer.observe(element);
    setView(element.clientHeight);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    let idle: ReturnType<typeof setTimeout> | undefined;
    const onScroll = () => {
      const { place: before, extent: now } = latest.current;
      const next = scrolled(before, element.scrollTop, now);
      latest.current.place = next;
      setPlace(next);
      clearTimeout(idle);
      idle = setTimeout(settle, IDLE_MS);
    };
    // Pixel for pixel the element drifts from the list; put back in place at rest, it never runs out of way.
    const settle = () => {
      const { place: now, extent: at } = latest.current;
      const right = placeAtTop(now.top, at);
      if (Math.abs(right.scroll - now.scroll) > 1) flushSync(() => go(right));
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      clearTimeout(idle);
      element.removeEventListener('scroll', onScroll);
    };
  }, [go]);

  const { first, end } = rowsSeen(place.top, view, rowHeight, rows);
  return {
    scroller,
    rowHeight,
    first,
    end,
    /** Without the rows around them. */
    seen: rowsSeen(place.top + rowHeight / 2, view - rowHeight, rowHeight, rows, 0),
    height: heightOf(extent.total),
    /** Where in the element the row `first` begins. */
    offset: place.scroll - place.top + first * rowHeight,
    /** Brings a row into view: in the middle when it comes from far. */
    show: useCallback(
      (row: number) => {
        const { place: now, extent: at } = latest.current;
        const start = row * rowHeight;
        const far = start < now.top - rowHeight || start > now.top + at.view;
        go(far ? placeAtTop(start - (at.view - rowHeight) / 2, at) : placeShowing(now, start, rowHeight, at));
      },
      [go, rowHeight],
    ),
  };
}
