/**
 * A text that others wrote, as people see it: by the contract's rule, isolated where it runs from right to left. Plain
 * elements without the console's JSX, which would write the codes by code again.
 */
import { fitting, type Place, runsLeft, stretchesOf } from '@rcpt/contract/shown.ts';
import { createElement, Fragment, type ReactNode } from 'react';

/** Of one text as it is shown: pages get slow beyond. */
const LONGEST = 20_000;

/** A name, a title, a label: `line`. What may have lines of its own, in a block with `dir="auto"`: `text`. */
export function Shown({ text, place = 'line' }: { text: string; place?: Place }): ReactNode {
  const fits = text.length <= LONGEST / 8 ? text.length : fitting(text, LONGEST);
  if (fits === text.length) return shownNode(text, place, place !== 'text');
  const left = (text.length - fits).toLocaleString('en');
  return createElement(
    Fragment,
    null,
    shownNode(text.slice(0, fits), place, place !== 'text'),
    createElement('em', null, ` […] ${left} more characters are not shown.`),
  );
}

export function shownNode(text: string, place: Place, isolated: boolean): ReactNode {
  const stretches = stretchesOf(text, place);
  const isolate = isolated && runsLeft(text);
  if (!isolate && stretches.length === 1 && !stretches[0]!.coded) return text;
  const parts = stretches.map((stretch) =>
    stretch.coded ? createElement('code', { className: 'unseen-code' }, stretch.text) : stretch.text,
  );
  return createElement(isolate ? 'bdi' : Fragment, null, ...parts);
}
