import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import { Check } from '@rcpt/contract/work.ts';
import { Refusal } from '@rcpt/service/error.ts';
import fc from 'fast-check';
import { compileSheet } from '../../src/flight-sheets/compile.ts';
import { decide, errorsOf, form, sheetOf } from '../kit/sheet.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const holds = (expr: string, submission: Json, inputs: JsonObject = {}) =>
  assert.equal(
    decide(expr, submission, { inputs }).status,
    'pass',
    `${expr}: ${decide(expr, submission, { inputs }).detail}`,
  );
const fails = (expr: string, submission: Json, detail: RegExp) => {
  const finding = decide(expr, submission);
  assert.equal(finding.status, 'flag', expr);
  assert.match(finding.detail, detail);
};

test('numbers of a submission mix with whole numbers of a rule', () => {
  holds('submission.a * 2 == submission.b && submission.a + 1 == 3 && 1 + submission.a == 3.0', { a: 2, b: 4 });
  holds('submission.a / 2 == 1.5 && 7 / 2 == 3 && submission.a % 2 == 1', { a: 3 });
  holds('size(submission.l) == submission.n && submission.l[submission.i] == 8 && submission.l[0] < 7.5', {
    l: [7, 8],
    n: 2,
    i: 1,
  });
  holds('2 in submission.l && submission.n in [1, 2.0] && submission.n <= size(submission.l)', { l: [2, 3], n: 2 });
  holds('type(submission.n) == double && type(1) == int && string(submission.n) == "2" && int(submission.n) == 2', {
    n: 2,
  });
});

test('doubles are IEEE 754, and the helpers are exact in decimals', () => {
  fails('submission.a + submission.b == submission.c', { a: 0.1, b: 0.2, c: 0.3 }, /^Does not hold/);
  holds('sum([submission.a, submission.b]) == submission.c', { a: 0.1, b: 0.2, c: 0.3 });
  holds('within(submission.a, 100, 0.01) && !within(submission.a, 100, 0.009)', { a: 100.01 });
  holds('round(2.675, 2) == 2.68 && round(0.125, 2) == 0.12 && round(submission.a, 0) == 2 && round(7, 1) == 7', {
    a: 2.5,
  });
  holds('abs(submission.a) == 3 && abs(-2) == 2', { a: -3 });
  holds('sum([]) == 0 && sum(submission.l.map(x, x.v)) == 6', { l: [{ v: 1 }, { v: 2 }, { v: 3 }] });
  holds('size(distinct(submission.l)) == 4', { l: ['a', 'a', 1, 1, true, null, null] });
});

test('what cannot be evaluated is a flag that says why and where', () => {
  fails('submission.price > 1', {}, /^Could not be decided: there is no member price \(column 11\)\.$/);
  fails('submission.a / submission.b > 1', { a: 1, b: 0 }, /division by zero/);
  fails('1 / 0 > 1', {}, /divide by zero/);
  fails('submission.a % 1.5 == 0', { a: 3 }, /whole numbers/);
  fails('submission.a + "x" == "y"', { a: 1 }, /'\+' does not take \(double, string\)/);
  fails('submission.a * submission.a > 1', { a: 1e200 }, /too large/);
  fails('submission.l[3] == 1', { l: [1] }, /there is no item 3/);
  fails('submission.a', { a: 'yes' }, /it comes out as a text, not as true or false/);
  fails('submission.all(x, x > 1)', 'a text', /type mismatch|no such overload|iterable/);
  fails('sum(submission.l) == 1', { l: [1, '2'] }, /not a number/);
  fails('distinct(submission.l) == []', { l: [{}] }, /distinct takes/);
  fails('double(submission.a) == 1', { a: 'abc' }, /not a decimal number/);
  fails('timestamp(submission.a) > timestamp("2024-01-01T00:00:00Z")', { a: 'yesterday' }, /parse timestamp/);
  fails('true &&\n submission.a', { a: 1 }, /expected bool/);
});

test('an error on one side of an or does not hide what the other side knows', () => {
  holds('submission.missing == 1 || submission.a == 1', { a: 1 });
  fails('submission.missing == 1 || submission.a == 2', { a: 1 }, /no member missing/);
  holds('!has(submission.b) || submission.b > 1', { a: 1 });
});

test('rules see the inputs and the facts of the evidence', () => {
  const evidence = [{ kind: 'log', label: 'raw', sha256: 'ab', content_type: 'text/plain', byte_size: 12 }];
  const finding = decide(
    'evidence.exists(e, e.kind == "log" && e.byte_size > inputs.least) && submission == "done"',
    'done',
    {
      inputs: { least: 10 },
      evidence,
    },
  );
  assert.equal(finding.status, 'pass', finding.detail);
});

test('times are compared as times', () => {
  const times = { from: '2026-05-29T20:00:00Z', to: '2026-05-29T22:01:30+02:00' };
  holds('timestamp(submission.to) - timestamp(submission.from) == duration("90s")', times);
  holds('(timestamp(submission.to) - timestamp(submission.from)).getSeconds() == 90', times);
});

test('patterns are RE2: Unicode classes yes, look-ahead no', () => {
  holds(String.raw`submission.s.matches(r"^[\p{L}\s]+$") && submission.s.matches("\\u00e9")`, { s: 'é lan' });
  const [error] = errorsOf(sheetOf(['submission.s.matches("(?=a)")']));
  assert.match(error?.message ?? '', /invalid or unsupported/);
  assert.equal(error?.position?.column, 22);
});

test('names that JavaScript gives every object are no members of a submission', () => {
  for (const name of ['constructor', 'toString', '__proto__']) fails(`submission.${name} != 1`, {}, /no member/);
  holds('!has(submission.constructor) && !("toString" in submission)', {});
  assert.equal(form({ type: 'object', required: ['constructor'] }, {}).status, 'flag');
});

test('a sheet that does not compile names every fault, each with its place', () => {
  const sheet = sheetOf([
    '1 + 1',
    'submission.a ==',
    'total > 1',
    'foo(1)',
    'submission.a && 1',
    'size(1, 2) == 1',
    '"a" + 1 == "b"',
  ]);
  assert.deepEqual(
    errorsOf(sheet).map(({ path, message, position }) => [path, message, position?.column]),
    [
      ['rules.0.expr', 'the rule comes out as int, not as true or false', 2],
      ['rules.1.expr', 'found = but expecting end of input', 14],
      ['rules.2.expr', "unknown name 'total': rules see submission, inputs and evidence", 1],
      ['rules.3.expr', "unknown function 'foo'", 1],
      ['rules.4.expr', '&& needs true or false, this is int', 17],
      ['rules.5.expr', "'size' does not take 2 arguments here", 1],
      ['rules.6.expr', "'+' does not take string, int", 4],
    ],
  );
  assert.throws(
    () => compileSheet(sheet),
    (error) => error instanceof Refusal && error.code === 'flight_sheet_invalid',
  );
});

test('a position counts lines and columns from one', () => {
  const [error] = errorsOf(sheetOf(['submission.a == 1 &&\n  total == 2']));
  assert.deepEqual(error?.position, { offset: 23, line: 2, column: 3 });
});

test('rule ids are unique, the key of the form is reserved, and the thresholds are in order', () => {
  const sheet = sheetOf(['true', 'true', 'true']);
  const [first, second, third] = sheet.rules;
  const rules = [first!, { ...second!, id: first!.id }, { ...third!, id: 'output_schema' }];
  assert.deepEqual(
    errorsOf({ ...sheet, rules, fail_threshold: 90 }).map(({ path }) => path),
    ['fail_threshold', 'rules.1.id', 'rules.2.id'],
  );
});

test('a rule for a person is open', () => {
  const sheet = sheetOf(['true']);
  const rules = [
    {
      id: 'tone',
      label: 'The tone is right',
      category: 'policy' as const,
      severity: 'low' as const,
      checklist: true as const,
    },
  ];
  const [, finding] = compileSheet({ ...sheet, rules }).run({ submission: {}, inputs: {}, evidence: [] });
  assert.deepEqual([finding?.key, finding?.status], ['tone', 'open']);
});

test('the form says what is wrong, in the order of the submission', () => {
  const schema = {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'string' }, rows: { type: 'array', items: { type: 'number' } }, b: { enum: ['x', 'y'] } },
    additionalProperties: false,
  };
  const rows = Array.from({ length: 12 }, (_, row) => (row === 2 || row === 10 ? 'text' : row));
  assert.equal(
    form(schema, { rows, b: 'z', extra: 1 }).detail,
    'the output must NOT have additional properties: "extra"; the output must have required property \'a\'; ' +
      '/b must be equal to one of the allowed values: ["x","y"]; /rows/2 must be number; /rows/10 must be number.',
  );
  assert.match(form({ type: 'object' }, '{"a":1}').detail, /a text that holds JSON: send the JSON itself/);
  assert.match(form({ items: { type: 'string' } }, [1, 2, 3, 4, 5, 6, 7]).detail, /; and 2 more\.$/);
  assert.equal(
    form({ type: 'object', properties: { a: { type: 'string', format: 'date-time' } } }, { a: '2026-05-29T20:00:00Z' })
      .status,
    'pass',
  );
});

test('a schema may refer to its own parts, by pointer or anchor, and recursively into the submission', () => {
  const tree = {
    $id: 'https://example.com/tree',
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: { children: { items: { $ref: '#node' } }, value: { type: 'number' } },
        $anchor: 'node',
      },
    },
  };
  assert.equal(form(tree, { value: 1, children: [{ value: 2, children: [] }] }).status, 'pass');
  assert.match(form(tree, { children: [{ value: 'two' }] }).detail, /\/children\/0\/value must be number/);
});

test('a schema that refers elsewhere, runs in circles or is no schema is refused, and nothing is fetched', () => {
  const faults: [JsonObject, RegExp][] = [
    [{ $ref: 'https://example.com/schema.json' }, /its own parts only/],
    [{ properties: { a: { $ref: 'other.json#/x' } } }, /its own parts only/],
    [{ $ref: '#/$defs/absent' }, /names no part/],
    [{ $ref: '#' }, /refers back to itself/],
    [
      { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' },
      /refers back to itself/,
    ],
    [{ $dynamicRef: '#x' }, /not supported/],
    [{ properties: { a: { $id: 'https://example.com/a' } } }, /only the whole schema/],
    [{ type: 'objekt' }, /not JSON Schema 2020-12/],
    [{ $schema: 'http://json-schema.org/draft-07/schema#' }, /no schema with key/],
    [{ requird: ['a'] }, /unknown keyword/],
    [{ format: 'dat' }, /unknown format/],
    [{ pattern: '(a' }, /regexp/],
    [{ pattern: '(?<!a)b' }, /regexp/],
    [{ 'x-cost': 1 }, /not supported/],
  ];
  for (const [schema, message] of faults) {
    const errors = errorsOf(sheetOf(['true'], schema));
    assert.match(errors[0]?.message ?? 'it compiled', message);
    assert.ok(errors[0]?.path.startsWith('output_schema'));
  }
});

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;

function shuffled(value: Json, seed: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed));
  const names = Object.keys(value).sort(
    (a, b) => ((a.length * seed) % 7) - ((b.length * seed) % 7) || (b < a ? -1 : 1),
  );
  return Object.fromEntries(names.map((name) => [name, shuffled(value[name] as Json, seed)]));
}

test('the same sheet and submission give byte-identical findings, in whatever order members were sent', () => {
  const sheet = sheetOf(
    [
      'submission.a == submission.b || submission.all(k, k != "zz")',
      'size(submission) > 1 && submission.map(k, submission[k]).size() == size(submission)',
      'submission.a.map(k, k).size() > 0',
      'sum(submission.l) == 1',
    ],
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['number', 'object'] } },
      additionalProperties: { type: 'array' },
    },
  );
  const compiled = compileSheet(sheet);
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'l', 'c', 'dd', 'eee'), json),
      fc.nat(50),
      (submission, seed) => {
        const facts = { submission: submission as Json, inputs: {}, evidence: [] };
        const findings = compiled.run(facts);
        const again = compileSheet(structuredClone(sheet)).run({
          ...facts,
          submission: shuffled(submission as Json, seed + 1),
        });
        assert.equal(JSON.stringify(again), JSON.stringify(findings));
        for (const finding of findings) assert.ok(Check.safeParse(finding).success);
      },
    ),
    { numRuns: 200 },
  );
});

test('no submission makes the executor throw', () => {
  const compiled = compileSheet(
    sheetOf(['submission.a[0].b * 2 > size(submission.c)', 'submission == inputs', 'evidence[0].x == submission'], {
      type: 'array',
    }),
  );
  fc.assert(
    fc.property(
      json,
      json,
      (submission, other) => compiled.run({ submission, inputs: { other }, evidence: [other] }).length === 4,
    ),
  );
});
