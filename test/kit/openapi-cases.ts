/**
 * Bad input, generated from an OpenAPI description: for each operation, what a broken or hostile client might send and the
 * statuses that may answer it. An operation that is added later gets its cases by being described.
 */

export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  default?: unknown;
};

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  name: string;
  method: string;
  path: string;
  secured: boolean;
  parameters: Parameter[];
  body: Schema | null;
  /** The form that may be sent instead. */
  form: Schema | null;
  summary: string | undefined;
  /** Status → media type → schema; a `$ref` is resolved. */
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
}

export interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { responses: Record<string, Operation['responses'][string]>; schemas: Record<string, Schema> };
}

interface Described {
  summary?: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses?: Record<string, Operation['responses'][string] & { $ref?: string }>;
}

export function operationsOf({ paths, components }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      secured: (described.security ?? []).length > 0,
      parameters: described.parameters ?? [],
      body: described.requestBody?.content['application/json']?.schema ?? null,
      form: described.requestBody?.content['multipart/form-data']?.schema ?? null,
      summary: described.summary,
      responses: Object.fromEntries(
        Object.entries(described.responses ?? {}).map(([status, response]) => [
          status,
          response.$ref ? components.responses[response.$ref.split('/').at(-1)!]! : response,
        ]),
      ),
    })),
  );
}

/** The path with its places filled; an unknown parameter becomes a word that names nothing. */
export function filled(path: string, places: Record<string, string>): string {
  return path.replace(/\{(\w+|\*)\}/g, (_, name: string) => places[name] ?? 'nothing');
}

export interface Case {
  what: string;
  /** The exact bytes of the body. */
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** After the path. */
  query?: string;
  /** Sent in chunks, without a Content-Length. */
  chunked?: boolean;
  statuses: number[];
}

const JSON_TYPE = { 'content-type': 'application/json' };
const refusedBody = (what: string, body: string | Buffer, status: number): Case => ({
  what,
  body,
  headers: JSON_TYPE,
  statuses: [status],
});

/** Bodies that no operation takes, whether it has one or not: refused before anybody looks at what they say. */
export function unreadableBodies(limit: number): Case[] {
  const text = (bytes: number) => `{"a":"${'x'.repeat(bytes)}"}`;
  return [
    refusedBody('a word that is not JSON', 'hello', 400),
    refusedBody('truncated JSON', '{"a":', 400),
    refusedBody('a truncated text', '{"a":"b', 400),
    refusedBody('something after the JSON', '{} {}', 400),
    refusedBody('a trailing comma', '{"a":1,}', 400),
    refusedBody('a comment', '{/* a */}', 400),
    refusedBody('single quotes', "{'a':1}", 400),
    refusedBody('a byte order mark', '\ufeff{}', 400),
    refusedBody('a raw control character', '{"a":"\u0001"}', 400),
    refusedBody('bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), 400),
    refusedBody('bytes of UTF-16', Buffer.from('{"a":1}', 'utf16le'), 400),
    ...['NaN', 'Infinity', '-Infinity', 'undefined', '0x10', '01', '+1', '.5', '1.', '1e'].map((number) =>
      refusedBody(`the number ${number}`, `{"a":${number}}`, 400),
    ),
    refusedBody('an integer beyond 2^53', '{"a":9007199254740993}', 422),
    refusedBody('a number beyond all doubles', '{"a":1e999}', 422),
    refusedBody('a lone surrogate', '{"a":"\\ud800"}', 422),
    refusedBody('a lone surrogate in a name', '{"\\udc00":1}', 422),
    refusedBody('a member twice', '{"a":1,"a":2}', 422),
    refusedBody('a member twice, once in escapes', '{"a":1,"\\u0061":2}', 422),
    refusedBody('a list ten thousand deep', '['.repeat(10_000) + ']'.repeat(10_000), 422),
    refusedBody('objects ten thousand deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 422),
    refusedBody('a body over the limit', text(limit), 413),
    { ...refusedBody('a body over the limit, in chunks', text(limit), 413), chunked: true },
    ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/jsonx', 'json', ';;;'].map(
      (type): Case => ({ what: `media type ${type}`, body: '{}', headers: { 'content-type': type }, statuses: [415] }),
    ),
    { what: 'a body without a media type', body: '{}', statuses: [415] },
    {
      what: 'gzip',
      body: Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64'),
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      statuses: [400, 415],
    },
  ];
}

/** Bodies that this operation's schema rules out. */
export function invalidBodies(schema: Schema, base: unknown): Case[] {
  const invalid = (what: string, value: unknown) => refusedBody(what, JSON.stringify(value), 422);
  return [
    { what: 'no body', statuses: [422] },
    { what: 'an empty body', body: '', headers: JSON_TYPE, statuses: [422] },
    ...[null, true, 1, 'text', []].map((value) => invalid(`the body ${JSON.stringify(value)}`, value)),
    ...[...violations(schema, base)].map(([what, value]) => invalid(what, value)),
  ];
}

/** Values that differ from `base`, which is valid, in one place where the schema does not allow it. */
export function* violations(schema: Schema, base: unknown, at = 'the body', depth = 4): Generator<[string, unknown]> {
  if (depth === 0 || schema.anyOf !== undefined) return;
  const types = [schema.type ?? []].flat();
  if (types.includes('object') && isObject(base)) {
    for (const name of schema.required ?? []) {
      const { [name]: _, ...rest } = base;
      yield [`${at} without ${name}`, rest];
    }
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const value = base[name] ?? sample(member);
      // An optional member that is null is one left out.
      const isRequired = schema.required?.includes(name) === true;
      for (const wrong of wrongTypes(member).filter((value) => isRequired || value !== null))
        yield [`${at}.${name} as ${JSON.stringify(wrong)}`, { ...base, [name]: wrong }];
      for (const wrong of outOfBounds(member))
        yield [`${at}.${name} out of bounds: ${shortened(wrong)}`, { ...base, [name]: wrong }];
      for (const [what, wrong] of violations(member, value, `${at}.${name}`, depth - 1))
        yield [what, { ...base, [name]: wrong }];
    }
  }
  if (types.includes('array') && schema.items !== undefined) {
    const item = Array.isArray(base) && base.length > 0 ? base[0] : sample(schema.items);
    for (const wrong of wrongTypes(schema.items)) yield [`${at}[0] as ${JSON.stringify(wrong)}`, [wrong]];
    for (const [what, wrong] of violations(schema.items, item, `${at}[0]`, depth - 1)) yield [what, [wrong]];
  }
}

const EVERY_TYPE: [type: string, value: unknown][] = [
  ['null', null],
  ['boolean', true],
  ['integer', 7],
  ['number', 0.5],
  ['string', 'text'],
  ['array', []],
  ['object', {}],
];

function wrongTypes(schema: Schema): unknown[] {
  const types = typesOf(schema);
  if (types.length === 0) return [];
  const allowed = types.includes('number') ? [...types, 'integer'] : types;
  return EVERY_TYPE.filter(([type]) => !allowed.includes(type)).map(([, value]) => value);
}

/** None: anything goes. */
function typesOf(schema: Schema): string[] {
  if (schema.anyOf) {
    const each = schema.anyOf.map(typesOf);
    return each.some((types) => types.length === 0) ? [] : each.flat();
  }
  if (schema.type !== undefined) return [schema.type].flat();
  return [schema.const, ...(schema.enum ?? [])].filter((value) => value !== undefined).map((value) => typeof value);
}

function outOfBounds(schema: Schema): unknown[] {
  const { enum: words, const: only, pattern, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  return [
    ...(words || only !== undefined ? ['no such word', '__proto__', 'constructor'] : []),
    ...(pattern ? ['\u0000', 'é'.repeat(300), `${sampleOf(pattern)}\n`, ' '] : []),
    ...(minLength ? [''.padEnd(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), 'x'.repeat(maxLength * 2)]),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [maximum + 1]),
    ...(minItems ? [[]] : []),
    ...(maxItems === undefined ? [] : [Array(maxItems + 1).fill(sample(schema.items ?? {}))]),
  ];
}

/** Query parameters that are there and wrong. */
export function invalidQueries(parameters: Parameter[]): Case[] {
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) => {
      const of = (value: string): Case => ({ what: `?${name}=${value}`, query: `?${name}=${value}`, statuses: [422] });
      const twice = { what: `?${name} twice`, query: `?${name}=1&${name}=2`, statuses: [422] };
      const numeric = typesOf(schema).some((type) => type === 'integer' || type === 'number');
      const wrong = numeric
        ? [
            'abc',
            '1.5',
            'NaN',
            'Infinity',
            '1e999',
            '9007199254740993',
            '-9007199254740993',
            '%00',
            '1%00',
            '%F0%9F%92%A9',
            '1;2',
            '[]',
            '{}',
          ]
        : schema.enum || schema.pattern
          ? ['', 'nothing', '%00', '__proto__', 'constructor', "'%20or%201=1--", '%F0%9F%92%A9', 'x'.repeat(5000)]
          : [];
      const bounds = [schema.minimum, schema.maximum].map((bound, i) =>
        bound === undefined ? null : bound + (i === 0 ? -1 : 1),
      );
      return [
        ...wrong.map(of),
        ...bounds.filter((bound) => Number.isSafeInteger(bound)).map((bound) => of(String(bound))),
        ...(wrong.length > 0 ? [twice] : []),
      ];
    });
}

/** Path parts that name nothing; `ids` are ids of other kinds and of other organizations. */
export function strangePlaces(ids: string[]): { what: string; part: string; statuses: number[] }[] {
  const unknown = [
    ...ids,
    '..',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '%2e',
    '%00',
    'a%00b',
    '%0d%0aset-cookie:%20a=b',
    '%2f',
    '%5c..%5c',
    '%F0%9F%92%A9',
    '%20',
    "'%20or%20'1'='1",
    ';drop%20table%20runs',
    '__proto__',
    'constructor',
    'undefined',
    'null',
    '-1',
    '0',
    '9'.repeat(30),
    '*',
    '%25',
    '$%7Bjndi:ldap://a%7D',
    'x'.repeat(201),
    'x'.repeat(2000),
  ].map((part) => ({ what: `the place ${shortened(part)}`, part, statuses: [404] }));
  return [
    ...unknown,
    ...['%zz', '%c0%ae', '%'].map((part) => ({ what: `the place ${part}`, part, statuses: [400, 404] })),
  ];
}

/** Idempotency keys that are none. */
export function invalidIdempotencyKeys(parameters: Parameter[]): Case[] {
  if (!parameters.some(({ name }) => name === 'idempotency-key')) return [];
  return ['', 'two words', 'x'.repeat(256), 'caf\u00e9', 'a\tb', 'a,\u0080'].map((key) => ({
    what: `the Idempotency-Key ${shortened(key)}`,
    headers: { 'idempotency-key': key },
    statuses: [422],
  }));
}

const WORDS = [
  'text',
  '1.0.0',
  'a',
  '5e'.repeat(32),
  'text/plain',
  '2026-01-01T00:00:00.000Z',
  `run_${'0'.repeat(32)}`,
  'a@example.org',
  'http://127.0.0.1:8088',
];

/** A small value that the schema takes. */
export function sample(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.anyOf) return sample(schema.anyOf[0]!);
  switch ([schema.type].flat()[0]) {
    case 'string':
      return sampleOf(schema.pattern);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return false;
    case 'array':
      return Array(schema.minItems ?? 0).fill(sample(schema.items ?? {}));
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));
  }
  return null;
}

function sampleOf(pattern: string | undefined): string {
  return (pattern && WORDS.find((word) => new RegExp(pattern).test(word))) || 'text';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
