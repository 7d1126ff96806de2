/** The text styles of a printed receipt. */
import { INK, MUTED } from '../palette.ts';
import type { Style } from './layout.ts';

export const KIND: Style = { stack: 'strong', size: 8.5, leading: 12, color: MUTED };
export const TITLE: Style = { stack: 'strong', size: 20, leading: 26, color: INK };
export const HEADING: Style = { stack: 'strong', size: 11.5, leading: 16, color: INK };
export const BODY: Style = { stack: 'text', size: 9.5, leading: 14, color: INK };
export const STRONG: Style = { ...BODY, stack: 'strong' };
export const ASIDE: Style = { ...BODY, color: MUTED };
export const SMALL: Style = { stack: 'text', size: 8.5, leading: 12.5, color: MUTED };
export const COLUMN: Style = { stack: 'strong', size: 7.5, leading: 12, color: MUTED };
export const HASH: Style = { stack: 'mono', size: 7.9, leading: 12.5, color: INK };
