/**
 * What rules may call: CEL's standard functions, and on top of them
 * - arithmetic between int and double, done in double: `submission.amount * 2`;
 * - `%` on doubles that hold whole numbers; a division by zero or an infinite result is an error, never a value;
 * - `abs(x)`, `round(x, places)` half to even, `within(a, b, tolerance)`, `sum(list)`: exact in decimals, then nearest double;
 * - `distinct(list)`: the list without repeated texts, numbers, truths and nulls.
 */

import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celFunc,
  celList,
  celMethod,
  isCelList,
  isCelMap,
  listType,
} from '@bufbuild/cel';
import { add, compare, decimal, round, subtract, toNumber } from '@rcpt/contract/money.ts';
import type { Meter } from './meter.ts';
import { patterns } from './pattern.ts';
import { weigh } from './values.ts';

const { BOOL, DOUBLE, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** Calls that compilation puts in, so that loops are counted and their results grow in place. */
export const STEP = '@step';
export const RANGE = '@range';
export const APPEND = '@append';

export function sheetFunctions(meter: Meter): CelFunc[] {
  const compile = patterns(meter);
  return [
    ...arithmetic,
    ...helpers,
    celMethod('matches', STRING, [STRING], BOOL, function (pattern) {
      return compile(pattern).test(this);
    }),
    celFunc('matches', [STRING, STRING], BOOL, (text, pattern) => compile(pattern).test(text)),
    celFunc('double', [STRING], DOUBLE, readNumber),
    celFunc(STEP, [DYN, INT], DYN, (condition, cost) => {
      meter.charge(Number(cost));
      return condition;
    }),
    celFunc(RANGE, [DYN], DYN, (range) => {
      if (isCelList(range) || isCelMap(range)) meter.charge(1 + range.size);
      return range;
    }),
    celFunc(APPEND, [LIST, DYN], LIST, appender()),
  ];
}

const arithmetic: CelFunc[] = [
  ...mixed('_+_', (a, b) => a + b),
  ...mixed('_-_', (a, b) => a - b),
  ...mixed('_*_', (a, b) => a * b),
  ...mixed('_/_', (a, b) => {
    if (b === 0) throw new Error('division by zero');
    return a / b;
  }),
  ...mixed('_%_', (a, b) => {
    if (b === 0) throw new Error('division by zero');
    if (!Number.isInteger(a) || !Number.isInteger(b)) throw new Error('% needs whole numbers');
    return a % b;
  }),
];

function mixed(name: string, operate: (a: number, b: number) => number): CelFunc[] {
  const finite = (a: number | bigint, b: number | bigint) => {
    const result = operate(Number(a), Number(b));
    if (!Number.isFinite(result)) throw new Error('the result is too large for a number');
    return result;
  };
  return [
    celFunc(name, [DOUBLE, DOUBLE], DOUBLE, finite),
    celFunc(name, [DOUBLE, INT], DOUBLE, finite),
    celFunc(name, [INT, DOUBLE], DOUBLE, finite),
  ];
}

const NUMBERS = [DOUBLE, INT] as const;

const helpers: CelFunc[] = [
  celFunc('abs', [DOUBLE], DOUBLE, (x) => Math.abs(x)),
  celFunc('abs', [INT], INT, (x) => (x < 0n ? -x : x)),
  ...NUMBERS.map((x) => celFunc('round', [x, INT], DOUBLE, (value, places) => rounded(value, places))),
  ...NUMBERS.flatMap((a) =>
    NUMBERS.flatMap((b) => NUMBERS.map((tolerance) => celFunc('within', [a, b, tolerance], BOOL, isWithin))),
  ),
  celFunc('sum', [LIST], DOUBLE, (list) => toNumber([...list].map(exact).reduce(add, decimal(0)))),
  celFunc('distinct', [LIST], LIST, (list) =>
    celList([...new Map([...list].map((item) => [identity(item), item])).values()]),
  ),
];

function rounded(value: number | bigint, places: bigint): number {
  if (places < 0n || places > 15n) throw new Error('round takes 0 to 15 places');
  return toNumber(round(exact(value), Number(places)));
}

/** |a − b| ≤ tolerance, exact: 100.01 is within 0.01 of 100. */
function isWithin(a: number | bigint, b: number | bigint, tolerance: number | bigint): boolean {
  const difference = subtract(exact(a), exact(b));
  const size = difference.unscaled < 0n ? { ...difference, unscaled: -difference.unscaled } : difference;
  return compare(size, exact(tolerance)) <= 0;
}

function exact(value: CelValue): ReturnType<typeof decimal> {
  if (typeof value === 'number' && Number.isFinite(value)) return decimal(value);
  if (typeof value === 'bigint') return { unscaled: value, scale: 0 };
  throw new Error('the list holds something that is not a number');
}

function readNumber(text: string): number {
  try {
    return toNumber(decimal(text.trim()));
  } catch {
    throw new Error('the text is not a decimal number');
  }
}

function identity(value: CelValue): string {
  if (typeof value === 'number' || typeof value === 'bigint') return `n${Number(value)}`;
  if (value === null || typeof value !== 'object') return `${typeof value}${value}`;
  throw new Error('distinct takes texts, numbers, truths and nulls');
}

/**
 * `@result + [item]` of the macros `map` and `filter`, without copying the list at every step. The accumulator of a
 * comprehension cannot be named by a rule, so no rule sees it grow.
 */
function appender(): (list: CelList, item: CelValue) => CelList {
  const grown = new WeakMap<object, CelValue[]>();
  return (list, item) => {
    const items = grown.get(list);
    if (items) {
      items.push(item);
      return list;
    }
    const fresh = [...list, item];
    const longer = celList(fresh);
    grown.set(longer, fresh);
    return longer;
  };
}

/** Texts searched in texts: no longer than this part of the needle is compared at one place in the worst case. */
const NEEDLE = 256;
const SEARCHES = new Set(['contains', 'indexOf', 'startsWith', 'endsWith']);
/** `timestamp.getHours("Europe/Berlin")`: the rules of a named zone are looked up at each call, an offset is read. */
const IN_A_ZONE = /^get[A-Z]/;
const OFFSET = /^[+-]?\d/;
const ZONE_COST = 250;
const COUNTED_ELSEWHERE = new Set([STEP, RANGE, APPEND, 'matches', 'dyn', 'type']);

/** What a call costs before it is made. */
export function costOfCall(name: string, args: readonly unknown[], most: number): number {
  if (COUNTED_ELSEWHERE.has(name)) return 1;
  if (name === 'size') return typeof args[0] === 'string' ? weigh(args[0], most) : 1;
  if (SEARCHES.has(name)) {
    const [text, needle] = args.map((arg) => (typeof arg === 'string' ? arg.length : 0));
    return 1 + ((text ?? 0) * Math.min(needle ?? 0, NEEDLE)) / 1024;
  }
  const [, zone] = args;
  const looked_up = IN_A_ZONE.test(name) && typeof zone === 'string' && !OFFSET.test(zone) ? ZONE_COST : 0;
  return args.reduce<number>((cost, arg) => cost + weigh(arg, most), 1 + looked_up);
}
