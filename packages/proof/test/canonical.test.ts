import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalize, MAX_DEPTH } from '../src/canonical.ts';
import { ProofError, type ProofErrorCode } from '../src/error.ts';
import { parseStrict } from '../src/parse.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

function refuses(code: ProofErrorCode, path: string, act: () => unknown): void {
  assert.throws(act, (error) => {
    assert(error instanceof ProofError, String(error));
    assert.deepEqual({ code: error.code, path: error.path }, { code, path });
    return true;
  });
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('members are sorted by UTF-16 code units, at every depth', () => {
  const value = { '\u{1f600}': 1, '\ufb33': 2, '\u20ac': 3, '\r': 4, '10': 5, '9': 6, b: { z: 1, a: 2 }, B: 7 };
  const expected = '{"\\r":4,"10":5,"9":6,"B":7,"b":{"a":2,"z":1},"\u20ac":3,"\u{1f600}":1,"\ufb33":2}';
  assert.equal(canonicalize(value), expected);
});

test('objects of many members are sorted like small ones', () => {
  const keys = Array.from({ length: 60 }, (_, i) => `k${(i * 37) % 60}`);
  const text = canonicalize(Object.fromEntries(keys.map((key) => [key, 1])));
  assert.equal(
    text,
    `{${keys
      .toSorted()
      .map((key) => `"${key}":1`)
      .join(',')}}`,
  );
});

test('numbers take the ECMAScript form', () => {
  const forms: [number, string][] = [
    [-0, '0'],
    [0, '0'],
    [1.5, '1.5'],
    [0.000001, '0.000001'],
    [9.999999999999997e-7, '9.999999999999997e-7'],
    [333333333.3333333, '333333333.3333333'],
    [5e-324, '5e-324'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [-Number.MAX_SAFE_INTEGER, '-9007199254740991'],
    [4.5, '4.5'],
    [2e-3, '0.002'],
  ];
  for (const [number, form] of forms) assert.equal(canonicalize(number), form);
});

test('strings escape what RFC 8785 says and nothing else', () => {
  assert.equal(
    canonicalize('\u20ac$\u000f\nA\'B"\\\\"/\u007f\u2028'),
    '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"',
  );
  assert.equal(canonicalize('\b\t\f\r\u0000'), '"\\b\\t\\f\\r\\u0000"');
});

test('what JSON cannot carry is refused, and the member named', () => {
  refuses('not_finite', '/a', () => canonicalize({ a: Number.NaN }));
  refuses('not_finite', '/a/1', () => canonicalize({ a: [0, Number.POSITIVE_INFINITY] }));
  refuses('integer_too_large', '/a', () => canonicalize({ a: 2 ** 53 }));
  refuses('integer_too_large', '', () => canonicalize(-(2 ** 53)));
  refuses('lone_surrogate', '/a', () => canonicalize({ a: '\ud800' }));
  refuses('lone_surrogate', '/\udc00x', () => canonicalize({ '\udc00x': 1 }));
  refuses('not_canonicalizable', '/a', () => canonicalize({ a: undefined }));
  refuses('not_canonicalizable', '/0', () => canonicalize(new Array(1)));
  refuses('not_canonicalizable', '/a~1b/~0', () => canonicalize({ 'a/b': { '~': () => 1 } }));
  refuses('not_canonicalizable', '', () => canonicalize(1n));
  refuses('not_canonicalizable', '/at', () => canonicalize({ at: new Date(0) }));
});

test('nesting is bounded, so that nothing overflows the stack', () => {
  assert.equal(canonicalize(JSON.parse(nested(MAX_DEPTH))), nested(MAX_DEPTH));
  assert.deepEqual(parseStrict(nested(MAX_DEPTH)), JSON.parse(nested(MAX_DEPTH)));
  refuses('too_deep', '/0'.repeat(MAX_DEPTH), () => canonicalize(JSON.parse(nested(MAX_DEPTH + 1))));
  refuses('too_deep', '/0'.repeat(MAX_DEPTH), () => parseStrict(nested(MAX_DEPTH + 1)));
  assert.throws(() => parseStrict('['.repeat(1e6)), { code: 'too_deep' });
  assert.throws(() => parseStrict('{"a":'.repeat(1e6)), { code: 'too_deep' });
});

test('a text that two readers could read differently is refused', () => {
  refuses('duplicate_key', '/a', () => parseStrict('{"a":1,"a":1}'));
  refuses('duplicate_key', '/b/0/a', () => parseStrict('{"b":[{"a":1,"\\u0061":2}]}'));
  refuses('duplicate_key', '/__proto__', () => parseStrict('{"__proto__":1,"__proto__":2}'));
  refuses('lone_surrogate', '/a', () => parseStrict('{"a":"\\ud800"}'));
  refuses('lone_surrogate', '', () => parseStrict('{"\\udc00":1}'));
  refuses('lone_surrogate', '', () => parseStrict('"\ud800"'));
  refuses('integer_too_large', '/a', () => parseStrict('{"a":9007199254740993}'));
  refuses('integer_too_large', '', () => parseStrict('-9007199254740992'));
  refuses('not_finite', '/0', () => parseStrict('[1e400]'));
  refuses('not_utf8', '', () => parseStrict(Uint8Array.of(0x22, 0xff, 0x22)));
  refuses('not_utf8', '', () => parseStrict(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)));
  refuses('not_json', '', () => parseStrict('\ufeff{}'));
  refuses('not_json', '', () => parseStrict(''));
});

test('a member named __proto__ is a member', () => {
  const value = parseStrict('{"__proto__":{"a":1},"b":2}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(canonicalize(value), '{"__proto__":{"a":1},"b":2}');
});

/** JSON.parse's judgement of a text: its value, or undefined. */
function plainly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

test('property: what parses strictly, parses plainly to the same value; what is not JSON does not parse', () => {
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', ' ', '\n', '\t', '"', '""', '"a"', '"b"', '\\', '\\u0041', '\\n', '\\x', '-'],
    ...[
      '0',
      '1',
      '01',
      '.5',
      '1.',
      '1.50',
      'e3',
      '1e3',
      '1E+2',
      'true',
      'false',
      'null',
      'nul',
      'é',
      '\u0001',
      '\u00a0',
    ],
  );
  const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.oneof(soup, fc.json()), (text) => {
      let value: unknown;
      try {
        value = parseStrict(text);
      } catch (error) {
        if ((error as ProofError).code === 'not_json') assert.equal(plainly(text), undefined);
        return;
      }
      assert.deepEqual(value, plainly(text));
    }),
    { numRuns: 5000 },
  );
});

test('property: canonical form survives parsing, is one per value, and JSON.parse reads it back', () => {
  const json = fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(json, (value) => {
      let text: string;
      try {
        text = canonicalize(value);
      } catch (error) {
        return assert(['integer_too_large', 'lone_surrogate'].includes((error as ProofError).code));
      }
      assert.deepEqual(JSON.parse(text), value);
      assert.equal(canonicalize(parseStrict(` ${text}\n`)), text);
      assert.equal(canonicalize(parseStrict(new TextEncoder().encode(text))), text);
    }),
    { numRuns: 2000 },
  );
});
