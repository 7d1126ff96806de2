/** Status marks: each its own shape, so that they tell apart in black and white. Drawn in a square of 16 units. */
import type { PrintedCheck, Tone } from '@rcpt/contract/lanes/lane.ts';

export type Mark = 'tick' | 'warning' | 'cross' | 'ring' | 'dash';

/** `solid` is filled with the tone, `cut` is stroked over it in the paper's colour, `line` is stroked with the tone. */
export interface MarkShape {
  solid: string;
  cut: string;
  line: string;
}

const DISC = 'M8 1A7 7 0 0 1 8 15A7 7 0 0 1 8 1Z';
const RING = 'M8 1.9A6.1 6.1 0 0 1 8 14.1A6.1 6.1 0 0 1 8 1.9Z';

export const MARKS: Record<Mark, MarkShape> = {
  tick: { solid: DISC, cut: 'M4.7 8.3L7 10.6L11.4 5.8', line: '' },
  warning: { solid: 'M8 1.2L15.4 14.4L0.6 14.4Z', cut: 'M8 6V10M8 12L8 12.2', line: '' },
  cross: { solid: 'M5 1H11L15 5V11L11 15H5L1 11V5Z', cut: 'M5.4 5.4L10.6 10.6M10.6 5.4L5.4 10.6', line: '' },
  ring: { solid: '', cut: '', line: RING },
  dash: { solid: '', cut: '', line: `${RING}M5 8H11` },
};

export function markOfCheck(check: PrintedCheck): Mark {
  if (check.status === 'pass') return 'tick';
  if (check.status === 'flag') return 'warning';
  return check.status === 'skip' ? 'dash' : 'ring';
}

export const MARK_OF_TONE: Record<Tone, Mark> = { good: 'tick', caution: 'warning', bad: 'cross', neutral: 'dash' };
