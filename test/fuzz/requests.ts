/** One request of any kind for one operation: valid, almost valid, or nothing a client should send. */
import type { Sent } from '../kit/openapi-answers.ts';
import {
  type Case,
  invalidBodies,
  invalidIdempotencyKeys,
  invalidQueries,
  type Operation,
  type Parameter,
  sample,
  strangePlaces,
  unreadableBodies,
} from '../kit/openapi-cases.ts';
import type { Random } from './random.ts';
import type { Side } from './sides.ts';
import type { Caller, Target } from './target.ts';
import { spoiled, valueFor } from './values.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ODD_HEADERS: Record<string, string>[] = [
  { accept: 'text/html' },
  { accept: 'application/x-ndjson' },
  { accept: 'text/event-stream' },
  { accept: 'image/png' },
  { accept: '*/*;q=0' },
  { accept: ';;;q=,' },
  { accept: 'x'.repeat(4_000) },
  { 'user-agent': 'Slackbot 1.0' },
  { 'x-request-id': '<script>'.repeat(10) },
  { 'x-forwarded-for': "' or 1=1 --" },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' },
  { host: 'evil.example' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { range: 'bytes=0-' },
  { 'if-none-match': '*' },
  { 'last-event-id': '9'.repeat(40) },
  { 'x-http-method-override': 'DELETE' },
];

export interface Generator {
  request(operation: Operation, caller: Caller): Sent;
}

export function generatorOf({ sides, bodies, placeNames, tamed, json_limit }: Target, random: Random): Generator {
  const unreadable = unreadableBodies(json_limit);
  const strange = strangePlaces([]);
  const prepared = new Map<Operation, { invalid: Case[]; queries: Case[]; keys: Case[] }>();
  const keys: string[] = [];

  return {
    request(operation, caller) {
      const path = pathOf(operation, caller.side) + queryOf(operation, caller.side);
      const { body, headers } = bodyOf(operation, caller, path);
      return {
        method: operation.method,
        path,
        body,
        headers: {
          ...credentialOf(caller),
          ...(random.chance(0.1) ? random.pick(ODD_HEADERS) : {}),
          ...headers,
          ...keyOf(operation),
        },
        chunked: body !== undefined && random.chance(0.03),
      };
    },
  };

  function pathOf({ path }: Operation, side: Side): string {
    let before = '';
    return path.replace(/\{(\w+|\*)\}/g, (_, parameter: string) => {
      const place = placeFor(placeNames(path, parameter, before), side);
      before = place;
      return place;
    });
  }

  function placeFor(names: string[], side: Side): string {
    if (random.chance(0.06)) return random.pick(strange).part;
    if (random.chance(0.12)) return encodeURIComponent(foreign(side, names));
    if (random.chance(0.04)) return encodeURIComponent(foreign(side));
    const known = names.map((name) => side.known.get(name) ?? []).find((list) => list.length > 0) ?? [];
    const own = known.filter((each) => !side.kept.has(each));
    // The newest are where the way goes on.
    return encodeURIComponent(own.length === 0 ? 'nothing' : random.pick(random.chance(0.7) ? own.slice(-4) : own));
  }

  /** What another side knows, of these names or of any. */
  function foreign(side: Side, names?: string[]): string {
    const other = random.pick(sides.filter((each) => each !== side));
    // A caller with a side's key is that side.
    const all = [...other.known.keys()].filter((name) => name !== 'rk');
    const values = (names ?? all).flatMap((name) => other.known.get(name) ?? []);
    return values.length === 0 ? 'nothing' : random.pick(values);
  }

  function queryOf(operation: Operation, side: Side): string {
    const queries = operation.parameters.filter((parameter) => parameter.in === 'query');
    if (queries.length === 0) return '';
    const invalid = preparedFor(operation).queries;
    if (invalid.length > 0 && random.chance(0.1)) return random.pick(invalid).query ?? '';
    const given = queries
      .filter(() => random.chance(0.3))
      .map((query) => `${query.name}=${encodeURIComponent(queryValue(query, side))}`);
    return given.length === 0 ? '' : `?${given.join('&')}`;
  }

  function queryValue({ schema, name }: Parameter, side: Side): string {
    if (random.chance(0.1)) return foreign(side).toWellFormed();
    return String(valueFor(schema, side, random, name)).toWellFormed();
  }

  function bodyOf(operation: Operation, caller: Caller, path: string): Pick<Sent, 'body' | 'headers'> {
    if (operation.body === null) return random.chance(0.03) ? partOf(random.pick(unreadable)) : {};
    if (random.chance(0.04)) return partOf(random.pick(unreadable));
    if (random.chance(0.1)) return partOf(random.pick(preparedFor(operation).invalid));
    const { side } = caller;
    const make = bodies[operation.name];
    let value =
      make !== undefined && random.chance(0.8) ? make(side, random, path) : valueFor(operation.body, side, random);
    if (random.chance(0.2)) value = spoiled(value, side, random, foreignIds(side));
    value = tamed(value, caller);
    if (operation.form !== null && random.chance(0.3)) return formOf(value);
    const text = JSON.stringify(value) ?? '';
    return { body: random.chance(0.03) ? doubled(text) : text, headers: JSON_TYPE };
  }

  /** Only what the service has made: another side's own words would be found wherever they are kept. */
  function foreignIds(side: Side): string[] {
    const other = random.pick(sides.filter((each) => each !== side));
    return [...other.known.values()].flat().filter((value) => other.owned.has(value) && !value.startsWith('rk_'));
  }

  function formOf(value: unknown): Pick<Sent, 'body' | 'headers'> {
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    const parts = members.map(
      ([name, member]) =>
        `--b\r\ncontent-disposition: form-data; name="${name.replace(/[\r\n"]/g, '')}"\r\n\r\n${member}\r\n`,
    );
    const file = `--b\r\ncontent-disposition: form-data; name="file"; filename="f.txt"\r\ncontent-type: text/plain\r\n\r\n${JSON.stringify(value)}\r\n`;
    const end = random.chance(0.05) ? '' : '--b--\r\n';
    return {
      body: `${parts.join('')}${random.chance(0.9) ? file : ''}${random.chance(0.03) ? file : ''}${end}`,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    };
  }

  function keyOf(operation: Operation): Record<string, string> {
    if (operation.method === 'GET' || random.chance(0.8)) return {};
    const { keys: invalid } = preparedFor(operation);
    if (invalid.length > 0 && random.chance(0.1)) return random.pick(invalid).headers ?? {};
    // All sides send the same Idempotency-Keys: each must be answered as its own.
    if (keys.length > 0 && random.chance(0.5)) return { 'idempotency-key': random.pick(keys.slice(-10)) };
    const key = `key-${random.letters(8)}`;
    keys.push(key);
    return { 'idempotency-key': key };
  }

  function preparedFor(operation: Operation) {
    const made = prepared.get(operation) ?? {
      invalid:
        operation.body === null
          ? []
          : invalidBodies(operation.body, sample(operation.body)).filter(
              ({ body }) => (body?.length ?? 0) < 2 * json_limit,
            ),
      queries: invalidQueries(operation.parameters),
      keys: invalidIdempotencyKeys(operation.parameters),
    };
    prepared.set(operation, made);
    return made;
  }
}

function partOf({ body, headers }: Case): Pick<Sent, 'body' | 'headers'> {
  return { body, headers: headers ?? {} };
}

/** Its first member twice. */
function doubled(text: string): string {
  const first = /^\{("[^"\\]*"):/.exec(text)?.[1];
  return first === undefined ? text : `{${first}:0,${text.slice(1)}`;
}

export function credentialOf({ credential }: Caller): Record<string, string> {
  if (credential === null) return {};
  if (credential.startsWith('rcpt_session=')) return { cookie: credential, 'sec-fetch-site': 'same-origin' };
  return { authorization: `Bearer ${credential}` };
}
