/** The same while developing. */
import { jsxDEV as element } from 'react/jsx-dev-runtime';
import { Fragment, seen } from './jsx-runtime.ts';

export { Fragment };
export const jsxDEV: typeof element = (type, props, ...rest) =>
  element(type, seen(type, props as never) as never, ...rest);
