/** Values for a schema, and values for nothing good. */
import type { Schema } from '../kit/openapi-cases.ts';
import { sample } from '../kit/openapi-cases.ts';
import type { Random } from './random.ts';
import type { Side } from './sides.ts';

const TEXTS = [
  '',
  '\u0000',
  '\u0000'.repeat(300),
  '\ufffe',
  '\u202e',
  '\u200b',
  '\ud800',
  '😀'.repeat(100),
  '%s%n',
  '#{7*7}',
  '<script>',
  'a\r\nb: c',
  '../../etc/passwd',
  '..\\..\\x',
  "'; drop table runs; --",
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(501),
  'é'.repeat(20_001),
  'null',
  'NaN',
  '-1',
  '1e999',
  '٣',
  'ﬁ',
  'İ',
  '\u0301',
  'a@example.org',
  'http://127.0.0.1:1/',
  'file:///etc/passwd',
];
const NUMBERS = [
  -0,
  -1,
  0,
  0.5,
  1e-7,
  5e-324,
  1e21,
  1.7976931348623157e308,
  2 ** 31,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  0.1 + 0.2,
  1e15 + 0.3,
];

/** A member that names something → that kind of id. */
const KIND_OF: Record<string, string> = {
  agent_profile_id: 'ap',
  organization_id: 'org',
  member_id: 'mem',
  job_id: 'job',
  input_dataset_id: 'ds',
};

/** Mostly what the schema takes. Members that name something are filled from what this side knows. */
export function valueFor(schema: Schema, side: Side, random: Random, name = '', depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  if (schema.anyOf) return valueFor(random.pick(schema.anyOf), side, random, name, depth);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return textFor(schema, side, random, name);
    case 'integer':
      return Math.trunc(numberFor(schema, random));
    case 'number':
      return numberFor(schema, random);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array': {
      const length = random.between(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3));
      return Array.from({ length }, () =>
        valueFor(schema.items ?? {}, side, random, name.replace(/s$/, ''), depth + 1),
      );
    }
    case 'object':
      if (schema.properties === undefined) return freely(side, random, depth);
      return Object.fromEntries(
        Object.entries(schema.properties)
          .filter(([inner]) => schema.required?.includes(inner) || random.chance(0.4))
          .map(([inner, member]) => [inner, valueFor(member, side, random, inner, depth + 1)]),
      );
  }
  return freely(side, random, depth);
}

function textFor(schema: Schema, side: Side, random: Random, name: string): string {
  const { pattern, minLength = 0, maxLength = 500 } = schema;
  const known = side.known.get(KIND_OF[name] ?? name) ?? [];
  if (known.length > 0 && random.chance(0.7)) return random.pick(known.slice(-6));
  const { mark } = side;
  if (pattern === undefined) {
    if (random.chance(0.05)) return mark.padEnd(Math.min(maxLength, 20_000), 'x');
    return `${mark} ${random.letters(6)}`.slice(0, Math.max(maxLength, minLength));
  }
  const words = [
    `${mark}-${random.letters(4)}`,
    mark,
    `${random.letters(6)}.${mark}@example.org`,
    `http://${mark}.example:8088`,
    random.hex(64),
    `1.0.${random.between(0, 99)}`,
    '2026-05-29',
    'text/plain',
  ];
  const expression = new RegExp(pattern);
  return random.pick(
    words
      .filter((word) => expression.test(word))
      .concat(words.some((word) => expression.test(word)) ? [] : [sample(schema) as string]),
  );
}

function numberFor({ minimum, maximum }: Schema, random: Random): number {
  const low = minimum ?? 0.25;
  const high = maximum ?? 1_000;
  if (random.chance(0.2)) return random.pick([low, high]);
  return random.chance(0.7) ? Math.min(high, low + random.between(0, 20)) : low + random.next() * (high - low);
}

/** Any JSON, with the side's mark in it. */
export function freely(side: Side, random: Random, depth = 0): unknown {
  const kinds = [
    () => `${side.mark} ${random.letters(5)}`,
    () => random.pick(NUMBERS),
    () => random.chance(0.5),
    () => null,
    ...(depth > 3 ? [] : [() => Array.from({ length: random.between(0, 3) }, () => freely(side, random, depth + 1))]),
  ];
  if (depth > 3 || (depth > 0 && random.chance(0.6))) return random.pick(kinds)();
  return Object.fromEntries(
    Array.from({ length: random.between(0, 4) }, () => [random.letters(4), freely(side, random, depth + 1)]),
  );
}

/** The same, with every text by another. Words of closed lists stay, so that the rest is looked at. */
function everyText(value: unknown, by: unknown): unknown {
  if (typeof value === 'string') return by;
  if (Array.isArray(value)) return value.map((item) => everyText(item, by));
  if (typeof value !== 'object' || value === null) return value;
  const kept = [
    'lane',
    'kind',
    'role',
    'status',
    'decision',
    'lease_token',
    'member_id',
    'job_type',
    'requested_gpu_sku',
  ];
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, kept.includes(name) ? inner : everyText(inner, by)]),
  );
}

/** The same, with one place changed into a hostile value. */
export function spoiled(value: unknown, side: Side, random: Random, foreign: string[]): unknown {
  if (random.chance(0.05)) return everyText(value, random.pick(TEXTS));
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return spoil(value, side, random, foreign);
  const members = Object.keys(value);
  if (members.length === 0) return spoil(value, side, random, foreign);
  const at = random.pick(members);
  if (Array.isArray(value)) return value.with(Number(at), spoiled(value[Number(at)], side, random, foreign));
  const { [at]: inner, ...rest } = value as Record<string, unknown>;
  if (random.chance(0.1)) return rest;
  if (random.chance(0.1)) return { ...value, [random.pick(TEXTS)]: spoil(null, side, random, foreign) };
  return { ...rest, [at]: spoiled(inner, side, random, foreign) };
}

function spoil(value: unknown, { mark }: Side, random: Random, foreign: string[]): unknown {
  const ways = [
    () => random.pick(TEXTS),
    () => `${mark}${random.pick(TEXTS)}`,
    () => random.pick(NUMBERS),
    () => null,
    () => [],
    () => ({}),
    () => [value, value],
    () => ({ [mark]: value }),
    () => String(value),
    () => nested(random.pick([5, 60, 190]), value),
    () => Array(random.pick([101, 501, 5_000])).fill(0),
    () => Object.fromEntries(Array.from({ length: random.pick([100, 3_000]) }, (_, i) => [`m${i}`, i])),
    () => ({ constructor: { prototype: { admin: true } } }),
    () => (foreign.length > 0 ? random.pick(foreign) : 'nothing'),
    () => (foreign.length > 0 ? random.pick(foreign) : 'nothing'),
  ];
  return random.pick(ways)();
}

function nested(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { a: value } : [value];
  return value;
}
