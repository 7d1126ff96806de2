/** JSON somebody else shaped, as names and values: what is left out is said, and nothing reads like something else. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Section } from '../src/lanes/lane.ts';
import { printReceipt } from '../src/lanes/print-receipt.ts';
import { inJson, membersOf } from '../src/members.ts';
import type { Json, JsonObject } from '../src/wire.ts';

type Facts = Extract<Section, { kind: 'facts' }>;

function inputsOf(inputs: JsonObject): Facts | undefined {
  const run = { id: 'run_1', lane: 'generic', title: 'Digest', inputs: { task: 'Collect.', ...inputs } };
  const print = printReceipt({ schema: 'service.receipt/v1', run });
  return print.sections.find((section): section is Facts => section.kind === 'facts' && section.title === 'Inputs');
}

/** What a person reads of it, as one text. */
const read = (value: JsonObject) =>
  JSON.stringify(membersOf(value, 1_000).members.map(({ path, value: said }) => [path, inJson(said)]));

test('more members than are shown are counted', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
  assert.deepEqual([inputsOf(many(100))?.facts.length, inputsOf(many(100))?.left_out], [100, 0]);
  assert.deepEqual([inputsOf(many(101))?.facts.length, inputsOf(many(101))?.left_out], [100, 1]);
  const nested = inputsOf({ ...many(99), deep: { a: { b: 1 }, c: [1, 2], d: {} }, last: 1 });
  assert.deepEqual([nested?.facts.at(-1)?.label, nested?.left_out], ['deep.a.b', 3]);
});

test('names that could be taken for others are quoted', () => {
  const labels = (inputs: JsonObject) => inputsOf(inputs)?.facts.map(({ label }) => label);
  assert.deepEqual(labels({ 'a.b': 1, a: { b: 1 } }), ['"a.b"', 'a.b']);
  assert.deepEqual(labels({ 'a b': { '"c"': { '': { größe_2: 1 } } } }), ['"a b"."\\"c\\""."".größe_2']);
  assert.deepEqual(labels({ 'x[0]': 1, "it's": 2, 'a\nb': 3 }), ['"x[0]"', '"it\'s"', '"a\\nb"']);
});

test('values that could be taken for others are quoted, numbers are as they are sealed', () => {
  const said: [Json, string][] = [
    [0.9999999999999999, '0.9999999999999999'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1234567, '1234567'],
    [1e21, '1e+21'],
    ['1', '"1"'],
    ['1,234', '1,234'],
    [true, 'true'],
    ['true', '"true"'],
    ['yes', 'yes'],
    [null, 'null'],
    ['', '""'],
    ['—', '"—"'],
    [['a', 'b'], '["a","b"]'],
    [['a, b'], '["a, b"]'],
    ['["a"]', '"[\\"a\\"]"'],
    [{}, '{}'],
    ['{}', '"{}"'],
  ];
  for (const [value, shown] of said) assert.equal(inputsOf({ value })?.facts[0]?.value, shown);
});

test('two objects never read alike', () => {
  const name = fc.constantFrom('a', 'b', 'a.b', '"a"', 'a"', '', ' ', '.', '"a".b');
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>('1', 1, 'true', true, null, 'null', '', '""', '[1]', [1], ['1'], '{}', {}, 'a', '"a"', '—'),
      fc.dictionary(name, tie('any') as fc.Arbitrary<Json>, { maxKeys: 3 }),
    ),
  })).any as fc.Arbitrary<Json>;
  const object = fc.dictionary(name, value, { maxKeys: 3 }) as fc.Arbitrary<JsonObject>;
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(object, (made) => {
      const whole = JSON.stringify(made);
      const before = seen.get(read(made));
      assert.equal(before ?? whole, whole);
      seen.set(read(made), whole);
    }),
    { numRuns: 20_000, seed: 1 },
  );
});
