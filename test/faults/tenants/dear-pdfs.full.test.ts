/** PDFs and cards of receipts in Hebrew with points, Latin with marks and quotes: nearly every word has to be shaped. */
import { readAll, shareEach, wordsOf } from './dear.ts';
import { type Attack, type Prepare, unharmedBy } from './victim.ts';

const SCRIPTS = [
  wordsOf('אבגדהוזחטיכלמנסעפצקרשת', '\u05b0\u05b4\u05b8\u05bc'),
  wordsOf('abcdefghijklmnopqrstuvwxyz', '\u0300\u0301\u0308\u0323'),
  wordsOf('“”‘’„«»abc', ''),
];

export const prepare: Prepare = (attacker) =>
  shareEach(attacker, (i) =>
    Object.fromEntries(
      Array.from({ length: 95 }, (_, k) => [`a${k}`, SCRIPTS[k % SCRIPTS.length]!(100 * i + k, 4_000)]),
    ),
  );

export const attack: Attack = (attacker) =>
  readAll(attacker, [
    { form: '/pdf', accept: '*/*' },
    { form: '/card.png', accept: '*/*' },
    { form: '/pdf', accept: '*/*' },
  ]);

unharmedBy('PDFs that are dear to draw', import.meta.url);
