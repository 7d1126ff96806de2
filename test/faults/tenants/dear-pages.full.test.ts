/** Public pages of receipts with thousands of soft hyphens and 20,000 members, read by anybody, each within the rate limit. */
import { readAll, shareEach, wordsOf } from './dear.ts';
import { type Attack, type Prepare, unharmedBy } from './victim.ts';

const UNSEEN = wordsOf('\u00ad\u200b\u202e\u2060', 'x\u00ad');

export const prepare: Prepare = (attacker) =>
  shareEach(attacker, (i) => ({
    ...Object.fromEntries(Array.from({ length: 90 }, (_, k) => [`a${k}`, UNSEEN(100 * i + k, 2_500)])),
    members: Object.fromEntries(Array.from({ length: 20_000 }, (_, k) => [`m${k}`, k])),
  }));

export const attack: Attack = (attacker) =>
  readAll(attacker, [
    { form: '', accept: 'text/html' },
    { form: '', accept: 'application/json' },
    { form: '/download', accept: '*/*' },
  ]);

unharmedBy('public pages that are dear to draw', import.meta.url);
