/**
 * Scrolling through a list that is taller than an element may be: browsers end between 17 and 33 million pixels, a
 * million rows are more. The element is `TALLEST` at most. Small movements count pixel for pixel; a far one (the
 * scrollbar dragged, a key held) goes to the same part of the list as of the element. Near both ends the two are the
 * same, so that the first and the last row can be reached exactly.
 */
export const TALLEST = 8_000_000;
const ENDS = 1_000_000;

/** In pixels: of all rows together, and of the part one sees. */
export interface Extent {
  total: number;
  view: number;
}

/** Where the element is scrolled to, and which pixel of the list that shows at the top. */
export interface Place {
  scroll: number;
  top: number;
}

export function heightOf(total: number): number {
  return Math.min(total, TALLEST);
}

/** The place the element's scroll position stands for when one comes from far. */
export function placeAtScroll(scroll: number, extent: Extent): Place {
  const { maxScroll, maxTop, ratio } = boundsOf(extent);
  const at = clamp(scroll, maxScroll);
  if (maxScroll === maxTop || at <= ENDS) return { scroll: at, top: at };
  if (at >= maxScroll - ENDS) return { scroll: at, top: maxTop - (maxScroll - at) };
  return { scroll: at, top: ENDS + (at - ENDS) * ratio };
}

/** Where the element has to be scrolled to for the list to begin at `top`. */
export function placeAtTop(top: number, extent: Extent): Place {
  const { maxScroll, maxTop, ratio } = boundsOf(extent);
  const at = clamp(top, maxTop);
  if (maxScroll === maxTop || at <= ENDS) return { scroll: at, top: at };
  if (at >= maxTop - ENDS) return { scroll: maxScroll - (maxTop - at), top: at };
  return { scroll: ENDS + (at - ENDS) / ratio, top: at };
}

/** The element was scrolled from `before` to `scroll`. */
export function scrolled(before: Place, scroll: number, extent: Extent): Place {
  const { maxScroll, maxTop } = boundsOf(extent);
  const by = scroll - before.scroll;
  if (Math.abs(by) > extent.view || scroll <= 0 || scroll >= maxScroll) return placeAtScroll(scroll, extent);
  return { scroll, top: clamp(before.top + by, maxTop) };
}

/** The list grew by `grown` pixels at its beginning: what one sees stays where it is, unless one is at the beginning. */
export function grownAbove(before: Place, grown: number, extent: Extent): Place {
  return placeAtTop(before.top === 0 ? 0 : before.top + grown, extent);
}

/** Scrolls no further than needed for the row at `start` to be seen whole. */
export function placeShowing({ top }: Place, start: number, height: number, extent: Extent): Place {
  if (start < top) return placeAtTop(start, extent);
  if (start + height > top + extent.view) return placeAtTop(start + height - extent.view, extent);
  return placeAtTop(top, extent);
}

/** The rows from `first` up to and without `end` that are seen, and a few around them. */
export function rowsSeen(top: number, view: number, rowHeight: number, rows: number, around = 8) {
  const first = Math.max(0, Math.floor(top / rowHeight) - around);
  const end = Math.min(rows, Math.ceil((top + view) / rowHeight) + around);
  return { first: Math.min(first, end), end };
}

function boundsOf({ total, view }: Extent): { maxScroll: number; maxTop: number; ratio: number } {
  const maxScroll = Math.max(0, heightOf(total) - view);
  const maxTop = Math.max(0, total - view);
  return { maxScroll, maxTop, ratio: (maxTop - 2 * ENDS) / (maxScroll - 2 * ENDS) };
}

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}
