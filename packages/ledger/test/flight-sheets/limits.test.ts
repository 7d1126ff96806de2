/** Hostile sheets and submissions: all of them end soon, at the same step each time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@rcpt/contract/wire.ts';
import { compileSheet } from '../../src/flight-sheets/compile.ts';
import { decide, errorsOf, form, sheetOf } from '../kit/sheet.ts';

const LIMIT = 'Could not be decided: exceeds the cost limit.';
/** Of this process's own time, not the clock's. Generous: the work itself is counted, and takes a hundredth of this. */
const SOON_MS = 30_000;

function soon<T>(work: () => T): T {
  const began = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(began);
  assert.ok((user + system) / 1_000 < SOON_MS, `took ${Math.round((user + system) / 1_000)} ms`);
  return result;
}

const ones = Array.from({ length: 10_000 }, () => 1);
const rows = Array.from({ length: 10_000 }, (_, row) => ({ id: row, name: `row ${row}` }));
const many = Object.fromEntries(rows.map((row) => [row.name, row.id]));

test('loops over lists are cut off when their product is too large', () => {
  const hostile: [string, Json][] = [
    ['submission.all(a, submission.all(b, submission.all(c, a + b + c >= 0)))', ones],
    ['submission.all(a, submission.all(b, submission.all(c, a + b + c >= 0))) || true', ones],
    ['submission.exists(a, submission.exists(b, a == b + 1))', ones],
    ['submission.map(a, submission.map(b, a + b)).size() == 10000', ones],
    ['submission.filter(a, submission.exists_one(b, b == a)).size() == 0', ones],
    ['submission.all(a, a in submission)', rows.map((row) => row.id)],
    ['submission.all(a, submission == submission)', ones],
    ['submission.all(a, sum(submission) > 0)', ones],
    ['submission.all(a, size(distinct(submission)) > 0)', ones],
    ['submission.all(k, submission.all(l, k != l || true))', many],
  ];
  for (const [expr, submission] of hostile) assert.equal(soon(() => decide(expr, submission)).detail, LIMIT, expr);
});

test('one loop over ten thousand rows is well within the limit', () => {
  for (const expr of [
    'submission.map(r, r.id * 2).size() == 10000',
    'submission.filter(r, r.id % 2 == 0).size() == 5000',
    'sum(submission.map(r, r.id)) == 49995000',
    'size(distinct(submission.map(r, r.name))) == size(submission)',
    'submission.all(r, r.name.matches("^row [0-9]+$"))',
    'submission.all(r, r.name.startsWith("row ") && has(r.id))',
  ]) {
    const finding = soon(() => decide(expr, rows));
    assert.equal(finding.status, 'pass', `${expr}: ${finding.detail}`);
  }
});

test('looking up a number among many names does not search them', () => {
  assert.match(
    soon(() => decide('inputs.rows.all(r, submission[1] == r)', many, { inputs: { rows: ones } })).detail,
    /no item 1/,
  );
});

test('a text cannot be doubled until the memory is full', () => {
  const doubled = (times: number) => `[submission]${'.map(x, x + x)'.repeat(times)}.size() == 1`;
  assert.equal(soon(() => decide(doubled(40), 'a'.repeat(1000))).detail, LIMIT);
  assert.equal(soon(() => decide(`[[1, 1]]${'.map(x, x + x)'.repeat(40)}.size() == 1`, {})).detail, LIMIT);
  assert.equal(decide(doubled(3), 'a').status, 'pass');
});

test('patterns take linear time, and large ones are counted as large', () => {
  const text = 'a'.repeat(100_000);
  assert.equal(soon(() => decide('submission.matches("^(a+)+$b")', text)).status, 'flag');
  assert.equal(soon(() => decide('submission.matches("(a?){1000}a{1000}")', text)).detail, LIMIT);
  assert.match(soon(() => decide('submission.matches(submission)', text)).detail, /longer than 1000/);
  assert.match(
    soon(() => decide('submission.s.matches(submission.p)', { s: text, p: '('.repeat(400) })).detail,
    /nests deeper/,
  );
  assert.equal(soon(() => form({ pattern: '^(a|aa)+$' }, `${text}b`)).status, 'flag');
  assert.equal(soon(() => form({ pattern: `(a?){1000}a{1000}` }, text)).detail, LIMIT);
  assert.equal(
    soon(() => decide('submission.all(x, x.matches("(x+x+)+y"))', Array(2000).fill('x'.repeat(200)))).status,
    'flag',
  );
});

test('searching a text in a text is counted', () => {
  const text = 'ab'.repeat(200_000);
  assert.equal(
    soon(() =>
      decide('submission.l.all(x, !submission.t.contains(submission.n))', {
        t: text,
        n: `${'ab'.repeat(500)}b`,
        l: ones,
      }),
    ).detail,
    LIMIT,
  );
});

test('an expression of any shape is parsed soon or refused', () => {
  for (const expr of [
    '('.repeat(2000) + ')'.repeat(1999),
    `${'['.repeat(60)}1${']'.repeat(60)} == submission`,
    `1${'+1'.repeat(1900)} == 1`,
    `submission${'.a'.repeat(1900)} == 1`,
    `submission${'[0]'.repeat(1300)} == 1`,
    `${'{1:'.repeat(60)}1${'}'.repeat(60)} == submission`,
    `${'a.all(x,'.repeat(60)}true${')'.repeat(60)}`,
    `${'true?'.repeat(700)}1`,
    '"'.repeat(3999),
    'a'.repeat(4000),
    '/*'.repeat(2000),
    '\u0000',
  ]) {
    const errors = soon(() => errorsOf(sheetOf([expr])));
    assert.ok(errors.length > 0, expr.slice(0, 40));
    assert.ok(errors[0]?.position, expr.slice(0, 40));
  }
  assert.deepEqual(
    soon(() => errorsOf(sheetOf([`${'!'.repeat(1000)}true`, `true${' && true'.repeat(400)}`]))),
    [],
  );
});

test('a tower of alternatives in a schema is cut off, however it is built', () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 30; level++) deep = { c: [deep] };
  const twice = { properties: { c: { items: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } } } };
  assert.equal(soon(() => form(twice, deep)).detail, LIMIT);
  const $defs: JsonObject = { d28: {} };
  for (let level = 0; level < 28; level++) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  assert.equal(soon(() => form({ $defs, $ref: '#/$defs/d0' }, {})).detail, LIMIT);
});

test('a long chain of references and a schema of many parts are refused', () => {
  const $defs: JsonObject = { d100: {} };
  for (let level = 0; level < 100; level++) $defs[`d${level}`] = { $ref: `#/$defs/d${level + 1}` };
  assert.match(
    errorsOf(sheetOf(['true'], { $defs, $ref: '#/$defs/d0' }))[0]?.message ?? '',
    /references follow each other/,
  );
  const properties = Object.fromEntries(Array.from({ length: 3000 }, (_, part) => [`p${part}`, { type: 'string' }]));
  assert.match(soon(() => errorsOf(sheetOf(['true'], { properties })))[0]?.message ?? '', /costs \d+ to compile/);
});

test('comparing all items with each other is counted as that', () => {
  assert.equal(soon(() => form({ uniqueItems: true }, rows)).detail, LIMIT);
  assert.equal(soon(() => form({ uniqueItems: true }, rows.slice(0, 500))).status, 'pass');
  assert.equal(soon(() => form({ items: { enum: rows.slice(0, 2000) } }, rows)).detail, LIMIT);
});

test('a submission that is wrong in every item is described by the first', () => {
  const finding = soon(() => form({ items: { type: 'string' } }, ones));
  assert.match(finding.detail, /^\/0 must be string; .*; and 9995 more\.$/);
});

test('all rules of a sheet share one limit, so the last one is reached soon', () => {
  const expr = 'submission.all(a, submission.all(b, submission.all(c, a.x == 1)))';
  const findings = soon(() =>
    compileSheet(sheetOf(Array(200).fill(expr))).run({ submission: ones, inputs: {}, evidence: [] }),
  );
  assert.ok(findings.slice(1).every((finding) => finding.detail === LIMIT));
});

test('the cut comes at the same step each time, and one expensive rule leaves room for the next', () => {
  const compiled = compileSheet(sheetOf(['submission.all(a, submission.all(b, a == b))', 'submission.all(a, a == 1)']));
  const facts = { submission: ones, inputs: {}, evidence: [] };
  const [, first, second] = compiled.run(facts);
  assert.deepEqual([first?.detail, second?.status], [LIMIT, 'pass']);
  assert.deepEqual(compiled.run(facts), compiled.run(facts));
});

test('a sheet is refused at the rule with which it costs more to compile than it may', () => {
  const long = Array.from({ length: 200 }, (_, i) => `submission.a == ${i}${' && true'.repeat(400)}`);
  const errors = soon(() => errorsOf(sheetOf(long)));
  assert.equal(errors[0]!.path, 'rules.62.expr');
  assert.match(errors[0]!.message, /costs more to compile than it may/);
  assert.deepEqual(errors[0]!.position, { offset: 0, line: 1, column: 1 });
  assert.deepEqual(
    soon(() => errorsOf(sheetOf(long))),
    errors,
  );
  assert.deepEqual(
    soon(() => errorsOf(sheetOf(long.slice(0, 50)))),
    [],
  );
});

test('patterns that a sheet holds are counted by what they unfold to when it is compiled', () => {
  const matches = (i: number) => `submission.matches("(?i:[a-z]){999}${i}")`;
  const rule = Array.from({ length: 80 }, (_, i) => matches(i)).join(' || ');
  assert.match(soon(() => errorsOf(sheetOf(Array(100).fill(rule))))[0]?.message ?? '', /costs more to compile/);
  const properties = Object.fromEntries(
    Array.from({ length: 900 }, (_, i) => [`p${i}`, { pattern: `(?i:[a-z]){999}${i}` }]),
  );
  assert.match(soon(() => errorsOf(sheetOf(['true'], { properties })))[0]?.message ?? '', /patterns are too large/);
});

test('the rules of a named time zone are looked up at a price, an offset is read', () => {
  const hours = (zone: string) => `submission.all(x, timestamp('2026-05-29T20:14:33Z').getHours('${zone}') >= 0)`;
  assert.equal(soon(() => decide(hours('Europe/Berlin'), ones)).detail, LIMIT);
  assert.equal(soon(() => decide(hours('Europe/Berlin'), ones.slice(0, 1_500))).status, 'pass');
  assert.equal(soon(() => decide(hours('+02:00'), ones)).status, 'pass');
  assert.equal(soon(() => decide("submission.all(x, duration('1h').getHours() == 1)", ones)).status, 'pass');
});

test('a schema that costs too much to compile is refused, one that explains itself at length is not', () => {
  const parts = (part: Json) => ({
    properties: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`p${i}`, part])),
  });
  const said = { title: 'A part', description: 'What it is for', examples: ['one'], enum: Array(50).fill('a') };
  const message = (schema: JsonObject) => soon(() => errorsOf(sheetOf(['true'], schema)))[0]?.message ?? '';
  assert.match(
    message(parts({ type: 'string', minLength: 1, maxLength: 9, pattern: '^a', format: 'uri' })),
    /costs \d+ to compile/,
  );
  assert.equal(message(parts({ type: 'string', ...said })), '');
});

test('what a keyword lists is compiled into each other, and counted so', () => {
  const many = 50_000;
  const hostile: JsonObject[] = [
    { anyOf: Array(many).fill(true) },
    { oneOf: Array(4_000).fill({}) },
    { dependentRequired: { a: Array(many).fill('b') } },
    { dependentRequired: Object.fromEntries(Array.from({ length: many }, (_, i) => [`x${i}`, ['a', 'b']])) },
    { required: Array.from({ length: many }, (_, i) => `x${i}`) },
    { patternProperties: Object.fromEntries(Array.from({ length: many }, (_, i) => [`^x${i}`, true])) },
    { allOf: [{ properties: Object.fromEntries(Array.from({ length: many }, (_, i) => [`x${i}`, false])) }] },
  ];
  for (const schema of hostile)
    assert.match(
      soon(() => errorsOf(sheetOf(['true'], schema)))[0]?.message ?? '',
      /costs \d+ to compile/,
      JSON.stringify(schema).slice(0, 60),
    );
});
