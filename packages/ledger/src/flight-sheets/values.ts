/** JSON as rules see it: members in sorted order, so that no finding depends on the order they were sent in. */

import { type CelMap, type CelValue, celList, celMap, isCelList, isCelMap } from '@bufbuild/cel';
import type { Json } from '@rcpt/contract/wire.ts';

/** A copy with members in the order of canonical JSON. */
export function inOrder(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, inOrder(value[name] as Json)]),
  );
}

/** Every JSON number becomes a CEL double; names of members are strings. */
export function toCelValue(value: Json): CelValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return celList(value.map(toCelValue));
  return namedMap(new Map(Object.entries(value).map(([name, inner]) => [name, toCelValue(inner)])));
}

/** Looking up a number in a map of names would search all of them; here it is simply absent. */
function namedMap(entries: Map<string, CelValue>): CelMap {
  const map = celMap(entries);
  return Object.assign(map, {
    get: (name: unknown) => (typeof name === 'string' ? entries.get(name) : undefined),
    has: (name: unknown) => typeof name === 'string' && entries.has(name),
  });
}

/** How much there is to walk through, counted no further than `most`. */
export function weigh(value: unknown, most: number): number {
  if (typeof value === 'string') return 1 + value.length / 32;
  if (value instanceof Uint8Array) return 1 + value.length / 32;
  let weight = 1;
  if (isCelList(value)) {
    for (const item of value) {
      if (weight > most) break;
      weight += weigh(item, most - weight);
    }
  } else if (isCelMap(value)) {
    for (const [, item] of value) {
      if (weight > most) break;
      weight += 1 + weigh(item, most - weight);
    }
  }
  return weight;
}
