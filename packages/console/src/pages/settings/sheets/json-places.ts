/** Typed JSON: its value, or where it stops being JSON; and where in the text a value stands. */

import type { Json } from '@rcpt/contract/wire.ts';
import { parseStrict } from '@rcpt/proof/parse.ts';

/** What is wrong at which offset of a text; null: with the whole of it. */
export interface TextFault {
  message: string;
  offset: number | null;
}
type ReadJson = { value: Json; fault: null } | { value: undefined; fault: TextFault };

/** As strictly as the ledger reads it: the same member twice is a fault here too. */
export function readJson(text: string): ReadJson {
  try {
    return { value: parseStrict(text) as Json, fault: null };
  } catch (error) {
    const { message } = error as Error;
    const at = /^(.*) at character (\d+)/.exec(message);
    if (at === null) return { value: undefined, fault: { message, offset: null } };
    const offset = Math.min(Number(at[2]), Math.max(0, text.length - 1));
    const words = at[1]!.replace('unexpected the end', 'the JSON ends too early');
    return { value: undefined, fault: { message: words, offset } };
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|[{}[\],:]/g;

/** The offset of every value by its dotted path, of a text that is JSON; the whole is at ''. */
export function placesOf(text: string): Map<string, number> {
  const places = new Map<string, number>();
  const tokens = text.matchAll(TOKEN);
  const next = () => tokens.next().value as RegExpExecArray;
  const value = (path: string, token: RegExpExecArray): void => {
    places.set(path, token.index);
    const under = (step: string | number) => (path === '' ? String(step) : `${path}.${step}`);
    if (token[0] === '{')
      for (let key = next(); key[0] !== '}'; key = next()) {
        if (key[0] === ',') continue;
        next();
        value(under(JSON.parse(key[0]) as string), next());
      }
    if (token[0] === '[') {
      let index = 0;
      for (let item = next(); item[0] !== ']'; item = next()) if (item[0] !== ',') value(under(index++), item);
    }
  };
  value('', next());
  return places;
}

/** Where the value at `path` stands, or the nearest that is there; `within`: that many characters into its text. */
export function placeOf(text: string, path: string, within: string | null = null): number {
  const places = placesOf(text);
  const steps = path.split('.');
  for (let length = steps.length; length > 0; length--) {
    const place = places.get(steps.slice(0, length).join('.'));
    if (place === undefined) continue;
    // A text stands in JSON with its quotes and escapes.
    return within === null || length < steps.length ? place : place + JSON.stringify(within).length - 1;
  }
  return places.get('') ?? 0;
}

/** 1-based, as editors count. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
