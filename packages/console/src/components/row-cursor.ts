/** j and k move through a list, Enter opens where they stand. */
import { useState } from 'react';
import { useShortcuts } from '../layout/shortcuts.ts';

/** `at` is the row the keyboard stands on, −1 before the first key. Give rows `at={at === index}`. */
export function useRowCursor(rows: number, open: (row: number) => void): { at: number } {
  const [at, setAt] = useState(-1);
  const current = Math.min(at, rows - 1);
  const move = (to: number) => {
    if (rows === 0) return;
    const next = Math.max(0, Math.min(rows - 1, to));
    setAt(next);
    requestAnimationFrame(() => document.querySelector('[data-at]')?.scrollIntoView({ block: 'nearest' }));
  };
  useShortcuts({
    j: { does: 'Next row', run: () => move(current + 1) },
    k: { does: 'Previous row', run: () => move(current - 1) },
    Enter: { does: 'Open the row', run: () => current >= 0 && open(current), shy: true },
  });
  return { at: current };
}
