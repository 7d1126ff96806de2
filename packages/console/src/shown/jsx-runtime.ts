/**
 * What the console's JSX compiles to: React's own, and every text in an element, and in what is read aloud of one, is shown by
 * the contract's rule. So no component can forget it. A part of a sentence keeps the spaces at its ends; `Shown` is for whole
 * texts, which keep none unseen.
 */
import { shownText } from '@rcpt/contract/shown.ts';
import { jsx as element, jsxs as elements, Fragment } from 'react/jsx-runtime';
import { Link } from 'wouter';
import { shownNode } from './shown.ts';

type Props = Record<string, unknown>;
type Make = typeof element;

/** They hold text and no elements. */
const TEXT_ALONE = new Set<unknown>(['option', 'title', 'text', 'tspan', 'desc', 'style', 'textarea']);
const READ_ALOUD = ['title', 'aria-label', 'alt', 'placeholder'] as const;

export { Fragment };
export const jsx: Make = (type, props, key) => element(type, seen(type, props as Props), key);
export const jsxs: Make = (type, props, key) => elements(type, seen(type, props as Props), key);

/**
 * Of elements, and of the one component that is not ours and draws what it is given. Ours hand their texts on to elements.
 * `data-as-typed`: what lies below a field has to be the field's text, character for character.
 */
export function seen(type: unknown, props: Props): Props {
  const is_ours = typeof type !== 'string' && type !== Fragment && type !== Link;
  if (is_ours || 'data-as-typed' in props) return props;
  const said: Props = {};
  for (const name of READ_ALOUD) if (typeof props[name] === 'string') said[name] = shownText(props[name], 'part');
  if (props.children !== undefined) said.children = seenChild(props.children, type, props.dir !== 'auto');
  return { ...props, ...said };
}

function seenChild(child: unknown, type: unknown, isolated: boolean): unknown {
  if (Array.isArray(child)) return child.map((each) => seenChild(each, type, isolated));
  if (typeof child !== 'string') return child;
  return TEXT_ALONE.has(type) ? shownText(child, 'part') : shownNode(child, 'part', isolated);
}
