import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@rcpt/proof/canonical.ts';
import fc from 'fast-check';
import { Json, JsonObject, Line, MAX_JSON_DEPTH, Prose } from '../src/wire.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

test('every JSON value that is accepted can be canonicalized', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      if (Json.safeParse(value).success) canonicalize(value as Json);
    }),
    { numRuns: 1000 },
  );
});

test('a refused value says where', () => {
  const faults: [unknown, string, RegExp][] = [
    [{ a: [1, { b: Number.NaN }] }, 'a.1.b', /finite/],
    [{ a: 2 ** 53 }, 'a', /2\^53/],
    [['\ud800'], '0', /surrogate/],
    [{ '\udc00': 1 }, '', /surrogate/],
    [JSON.parse('{"a":{"__proto__":1}}'), 'a.__proto__', /usable/],
    [{ a: undefined }, 'a', /required/],
    [{ a: new Date(0) }, 'a', /JSON value/],
    [{ a: 1n }, 'a', /JSON value/],
  ];
  for (const [value, path, message] of faults) {
    const issue = Json.safeParse(value).error?.issues[0];
    assert.equal(issue?.path.join('.'), path);
    assert.match(issue?.message ?? '', message);
  }
});

test('nesting ends before the stack does', () => {
  const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  assert.ok(Json.safeParse(nested(MAX_JSON_DEPTH)).success);
  assert.ok(!Json.safeParse(nested(MAX_JSON_DEPTH + 1)).success);
  assert.ok(!Json.safeParse(nested(200_000)).success);
});

test('an object is an object, neither list nor null', () => {
  for (const value of [[], null, 'x', 1, undefined]) assert.ok(!JsonObject.safeParse(value).success);
  assert.deepEqual(JsonObject.parse({ a: [] }), { a: [] });
});

test('a line is one line that a database can store and a person can read', () => {
  assert.equal(Line.parse('  a title '), 'a title');
  for (const text of ['', '   ', 'a\nb', 'a\u0000b', '\ud800', 'x'.repeat(501)])
    assert.ok(!Line.safeParse(text).success);
  assert.ok(!Prose.safeParse('a\u0000').success);
  assert.ok(Prose.safeParse('two\nlines').success);
});
