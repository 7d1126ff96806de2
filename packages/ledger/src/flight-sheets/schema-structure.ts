/** Where a JSON Schema has its parts, and which shapes of schema are refused before Ajv sees them. */
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';

export interface SchemaFault {
  path: (string | number)[];
  message: string;
}

/** Applied to the same value as the schema that holds them. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
const ONE = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'contains',
  'unevaluatedItems',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** A referenced part must be where this module finds parts, or its visits would not be counted. */
const REFUSED = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', '$async', 'x-cost'];

const UNWEIGHED = [
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'enum',
  'const',
];
const PART_COST = 100;
/** References followed without going deeper into the submission. */
const MAX_CHAIN = 30;

type Path = (string | number)[];
interface Part {
  path: Path;
  schema: JsonObject;
}

/** The schema with every object part replaced by what `change` makes of it, innermost first. */
export function mapSubschemas(schema: Json, change: (part: JsonObject) => JsonObject): Json {
  if (!isObject(schema)) return schema;
  const inner = (value: Json) => mapSubschemas(value, change);
  const parts = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (ONE.includes(keyword)) return [keyword, inner(value)];
    if (LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(inner)];
    if (NAMED.includes(keyword) && isObject(value)) {
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))];
    }
    return [keyword, value];
  });
  return change(Object.fromEntries(parts));
}

/**
 * What compiling the schema costs: its parts, their keywords and what these list. Lists count by their square, too, because their
 * entries are compiled into each other. Keywords that only explain become no code, and `enum` and `const` the same whatever
 * they hold.
 */
export function costOfSchema(schema: JsonObject): number {
  let cost = 0;
  for (const part of partsOf(schema, [])) {
    const keywords = Object.entries(part.schema).filter(([keyword]) => !UNWEIGHED.includes(keyword));
    for (const [keyword, value] of keywords) if (!ONE.includes(keyword)) cost += costOfList(value);
    cost += PART_COST * (1 + keywords.length);
  }
  return cost;
}

function costOfList(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  const lists = entries.filter((entry) => Array.isArray(entry));
  return lists.reduce(
    (cost, list) => cost + costOfList(list),
    PART_COST * (entries.length + entries.length ** 2 / 200),
  );
}

/** In the order of the schema; empty for a schema that Ajv may compile. */
export function findSchemaFaults(schema: JsonObject): SchemaFault[] {
  const parts = [...partsOf(schema, [])];
  const byPointer = new Map(parts.map((part) => [pointerOf(part.path), part]));
  const byAnchor = new Map(parts.map((part) => [`#${part.schema.$anchor}`, part]));
  const resolve = (ref: string) => byPointer.get(plain(ref)) ?? byAnchor.get(ref);
  const faults = parts.flatMap((part) => partFaults(part, resolve));
  return faults.length > 0 ? faults : chainFaults(parts, resolve);
}

function partFaults({ path, schema }: Part, resolve: (ref: string) => Part | undefined): SchemaFault[] {
  const faults: SchemaFault[] = REFUSED.filter((keyword) => Object.hasOwn(schema, keyword)).map((keyword) => ({
    path: [...path, keyword],
    message: `${keyword} is not supported`,
  }));
  if (path.length > 0 && schema.$id !== undefined) {
    faults.push({ path: [...path, '$id'], message: 'only the whole schema may have an $id' });
  }
  const { $ref } = schema;
  if ($ref === undefined) return faults;
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) {
    faults.push({
      path: [...path, '$ref'],
      message: 'a sheet may refer to its own parts only, as in #/$defs/name; nothing is fetched',
    });
  } else if (!resolve($ref)) {
    faults.push({ path: [...path, '$ref'], message: `${$ref} names no part of this schema` });
  }
  return faults;
}

/** A part that reaches itself without a step into the submission would never end; a long chain could end the stack. */
function chainFaults(parts: Part[], resolve: (ref: string) => Part | undefined): SchemaFault[] {
  const length = new Map<JsonObject, number>();
  const following = new Set<JsonObject>();
  const chain = (part: Part): number => {
    const known = length.get(part.schema);
    if (known !== undefined) return known;
    if (following.has(part.schema)) return Number.POSITIVE_INFINITY;
    following.add(part.schema);
    const target = typeof part.schema.$ref === 'string' ? resolve(part.schema.$ref) : undefined;
    const longest = [
      target ? 1 + chain(target) : 0,
      ...IN_PLACE.flatMap((keyword) => [...partsUnder(part, keyword)]).map(chain),
    ].reduce((a, b) => Math.max(a, b));
    following.delete(part.schema);
    length.set(part.schema, longest);
    return longest;
  };
  const faulty = parts.find((part) => chain(part) > MAX_CHAIN);
  if (!faulty) return [];
  const message = Number.isFinite(chain(faulty))
    ? `more than ${MAX_CHAIN} references follow each other`
    : 'refers back to itself without going deeper into the submission';
  return [{ path: faulty.path, message }];
}

function* partsOf(schema: Json, path: Path): Generator<Part> {
  if (!isObject(schema)) return;
  const part = { path, schema };
  yield part;
  for (const keyword of Object.keys(schema)) {
    for (const inner of partsUnder(part, keyword)) yield* partsOf(inner.schema, inner.path);
  }
}

/** The object parts directly under one keyword. */
function* partsUnder({ path, schema }: Part, keyword: string): Generator<Part> {
  const value = schema[keyword];
  if (ONE.includes(keyword) && isObject(value)) yield { path: [...path, keyword], schema: value };
  const many =
    LISTS.includes(keyword) && Array.isArray(value) ? value : NAMED.includes(keyword) && isObject(value) ? value : {};
  for (const [name, inner] of Object.entries(many)) {
    if (isObject(inner)) yield { path: [...path, keyword, name], schema: inner };
  }
}

function pointerOf(path: Path): string {
  return `#${path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
}

function plain(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
