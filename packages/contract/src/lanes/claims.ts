/** Claims that an output makes about its own numbers: totals, counts and times. Found in any JSON of any shape. */
import { add, compare, type Decimal, decimal, formatDecimal, subtract } from '../money.ts';
import type { Json, JsonObject } from '../wire.ts';

/** `agrees` is null where the claim was seen and cannot be decided; `detail` says what was seen. */
export interface Claim {
  agrees: boolean | null;
  detail: string;
}

const TOTAL = /^(?:grand_)?(?:total|sum)$/i;
const COUNT = /^(?:count|total_count|item_count|n)$/i;
const AMOUNTS = ['amount', 'value', 'total', 'price', 'cost', 'cost_usd', 'amount_usd', 'usd', 'quantity', 'count'];
/** Members that may stand between the items and their total. */
const ADJUSTMENT = /tax|vat|discount|shipping|fee|rounding|adjust|offset|opening|other/i;
const HALF_CENT = decimal('0.005');

/** Every `{total, items}` and `{count, list}` in the value, outermost first. */
export function numberClaims(value: Json): Claim[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = (within: Json[]) => within.filter(isComposed).flatMap(numberClaims);
  if (Array.isArray(value)) return inner(value);
  const members = Object.entries(value);
  return [...totalClaims(members), ...countClaims(members), ...inner(members.map(([, member]) => member))];
}

function isComposed(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null;
}

/** As `Object.values`, which takes three times as long for a record of many members. */
function partsOf(value: Json[] | JsonObject): Json[] {
  if (Array.isArray(value)) return value;
  const parts: Json[] = [];
  for (const name in value) parts.push(value[name]!);
  return parts;
}

function totalClaims(members: [string, Json][]): Claim[] {
  const claimed = members.find(([name, total]) => typeof total === 'number' && TOTAL.test(name));
  if (!claimed) return [];
  const series = members.flatMap(([name, list]) => {
    const amounts = Array.isArray(list) && list.length > 0 ? amountsOf(list) : null;
    return amounts ? [{ name, amounts }] : [];
  });
  const only = series[0];
  if (!only) return [];
  const [name, total] = claimed as [string, number];
  const adjustment = members.find(([member]) => ADJUSTMENT.test(member))?.[0];
  if (series.length > 1) return [{ agrees: null, detail: `"${name}" could be the sum of several lists` }];
  if (adjustment) return [{ agrees: null, detail: `"${adjustment}" may stand between the items and "${name}"` }];
  const sum = only.amounts.reduce(add);
  const difference = subtract(sum, decimal(total));
  const off = compare(difference, HALF_CENT) === 1 || compare(difference, { unscaled: -5n, scale: 3 }) === -1;
  const seen = `"${name}" says ${total}, the ${only.amounts.length} numbers of "${only.name}" make ${formatDecimal(sum)}`;
  return [{ agrees: !off, detail: seen }];
}

function countClaims(members: [string, Json][]): Claim[] {
  const lists = members.filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]));
  if (lists.length === 0) return [];
  // By the name of its count, the first list of that name: a record may have as many lists as it has numbers.
  const counts = new Map<string, [string, Json[]]>();
  for (const entry of lists)
    for (const name of [`${entry[0]}_count`, `${entry[0].replace(/s$/, '')}_count`])
      if (!counts.has(name)) counts.set(name, entry);
  return members.flatMap(([name, count]): Claim[] => {
    if (typeof count !== 'number') return [];
    const counted = counts.get(name) ?? (COUNT.test(name) && lists.length === 1 ? lists[0] : undefined);
    if (!counted)
      return COUNT.test(name) && lists.length > 1
        ? [{ agrees: null, detail: `"${name}" could count several lists` }]
        : [];
    const [list, items] = counted;
    return [{ agrees: items.length === count, detail: `"${name}" says ${count}, "${list}" holds ${items.length}` }];
  });
}

/** The numbers of a list of numbers, or of the one amount that all its objects have; null for any other list. */
function amountsOf(list: Json[]): Decimal[] | null {
  if (list.every((item) => typeof item === 'number')) return list.map(decimal);
  if (!list.every((item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item)))
    return null;
  const shared = AMOUNTS.filter((name) => list.every((item) => typeof item[name] === 'number'));
  const [name] = shared;
  return shared.length === 1 && name ? list.map((item) => decimal(item[name] as number)) : null;
}

/** Every object with a start and an end: the end is not before the start, and a stated duration fits between. */
export function timeClaims(value: Json): Claim[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = partsOf(value).filter(isComposed).flatMap(timeClaims);
  if (Array.isArray(value)) return inner;
  const { started_at, finished_at, duration_seconds } = value;
  if (started_at === undefined || finished_at === undefined) return inner;
  const from = readInstant(started_at);
  const to = readInstant(finished_at);
  if (from === null || to === null) {
    return [{ agrees: null, detail: 'started_at and finished_at are not both ISO 8601 instants' }, ...inner];
  }
  const elapsed = (to - from) / 1000;
  if (elapsed < 0) return [{ agrees: false, detail: `finished ${-elapsed} s before it started` }, ...inner];
  // One second of slack: clocks are often written without milliseconds.
  const fits = typeof duration_seconds !== 'number' || duration_seconds <= elapsed + 1;
  const stated = typeof duration_seconds === 'number' ? `, stated duration ${duration_seconds} s` : '';
  return [{ agrees: fits, detail: `${elapsed} s between start and finish${stated}` }, ...inner];
}

/** Milliseconds since 1970; only full instants with an offset mean the same everywhere. */
function readInstant(value: Json): number | null {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/.test(value)
  )
    return null;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? null : instant;
}

/** All texts in a value, one per line; member names are not texts. */
export function textsOf(value: Json | undefined): string {
  const texts: string[] = [];
  const gather = (inner: Json | undefined) => {
    if (typeof inner === 'string') texts.push(inner);
    else if (inner !== undefined && isComposed(inner)) for (const part of partsOf(inner)) gather(part);
  };
  gather(value);
  return texts.filter(Boolean).join('\n');
}

export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return isComposed(value) && partsOf(value).every(isEmpty);
}
