/** The hands a receipt is written in. */
import { INK, MUTED } from '../palette.ts';
import type { Style } from './layout.ts';

export const KIND: Style = { voice: 'strong', size: 8.5, leading: 12, color: MUTED };
export const TITLE: Style = { voice: 'strong', size: 20, leading: 26, color: INK };
export const HEADING: Style = { voice: 'strong', size: 11.5, leading: 16, color: INK };
export const BODY: Style = { voice: 'text', size: 9.5, leading: 14, color: INK };
export const STRONG: Style = { ...BODY, voice: 'strong' };
export const ASIDE: Style = { ...BODY, color: MUTED };
export const SMALL: Style = { voice: 'text', size: 8.5, leading: 12.5, color: MUTED };
export const COLUMN: Style = { voice: 'strong', size: 7.5, leading: 12, color: MUTED };
export const HASH: Style = { voice: 'mono', size: 7.9, leading: 12.5, color: INK };
