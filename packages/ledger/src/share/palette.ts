/** Colours on paper. Every text colour holds 4.5:1 on white and on its tint; no meaning hangs on colour alone. */
import type { Tone } from '@rcpt/contract/lanes/lane.ts';

export const INK = '#15181e';
export const MUTED = '#596170';
export const RULE = '#d8dce3';
export const PAPER = '#ffffff';
export const WASH = '#f5f6f8';
export const LINK = '#1f4fa3';
export const ALARM = '#a3182a';

export const TONES: Record<Tone, { ink: string; tint: string }> = {
  good: { ink: '#12633c', tint: '#eef7f1' },
  caution: { ink: '#854f00', tint: '#fdf5e6' },
  bad: { ink: ALARM, tint: '#fdf0f1' },
  neutral: { ink: '#3b4556', tint: WASH },
};
