/** A flight sheet while it is written: what is said to be wrong, what is sent to be tried, and where a fault stands. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { FlightSheet, FlightSheetTrial } from '@rcpt/contract/ledger/flight-sheet.ts';
import {
  draftOf,
  emptyDraft,
  faultsOf,
  freeVersion,
  newRule,
  nextVersion,
  sheetOf,
  slugOf,
  trialOf,
} from '../../src/pages/settings/sheets/draft.ts';
import { lineAndColumn, placeOf, placesOf, readJson } from '../../src/pages/settings/sheets/json-places.ts';
import { EMPTY_SUBMISSION, submissionOf, trialFacts } from '../../src/pages/settings/sheets/submission.ts';

const FOLDER = new URL('../../../ledger/flight-sheets/', import.meta.url);
const SHEETS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, text: readFileSync(new URL(file, FOLDER), 'utf8') }));
const paths = (faults: { path: string }[]) => faults.map(({ path }) => path);

describe('a draft', () => {
  test('of every sheet that comes with the ledger is that sheet again', () => {
    assert.ok(SHEETS.length >= 3);
    for (const { file, text } of SHEETS) {
      const sheet = FlightSheet.parse(JSON.parse(text));
      const draft = draftOf(sheet);
      assert.deepEqual(sheetOf(draft), sheet, file);
      assert.deepEqual(faultsOf(draft), [], file);
    }
  });

  test('says everything that is missing, and what is sent meanwhile is a sheet', () => {
    const draft = { ...emptyDraft(), pass_threshold: '40', fail_threshold: '60' };
    const rules = [
      { ...newRule(), expr: 'true' },
      newRule(),
      { ...newRule(), id: 'read', label: 'It was read', checklist: true, category: 'nonsense' },
      { ...newRule(), id: 'read', label: 'Twice', expr: 'submission.a >' },
    ];
    const faults = faultsOf({ ...draft, rules });
    assert.deepEqual(paths(faults), [
      'name',
      'title',
      'assignment.title',
      'rules.0.label',
      'rules.0.id',
      'rules.1.label',
      'rules.1.id',
      'rules.1.expr',
      'rules.2.category',
      'rules.3.id',
      'fail_threshold',
    ]);
    const trial = trialOf({ ...draft, rules })!;
    assert.deepEqual(trial.places, [0, 2, 3], 'the rule without an expression is not tried');
    const sent = FlightSheetTrial.parse({ flight_sheet: trial.flight_sheet, ...trialFacts(EMPTY_SUBMISSION) });
    assert.equal(new Set(sent.flight_sheet.rules.map(({ id }) => id)).size, 3);
  });

  test('what the ledger would refuse is a fault here, and nothing else is', () => {
    const sheet = FlightSheet.parse(JSON.parse(SHEETS[0]!.text));
    const changes: [string, object][] = [
      ['name', { name: 'A b' }],
      ['version', { version: '-1' }],
      ['title', { title: ' ' }],
      ['pass_threshold', { pass_threshold: 101 }],
      ['pass_threshold', { pass_threshold: 1.5 }],
      ['rules', { rules: [] }],
      ['rules.0.label', { rules: [{ ...sheet.rules[0], label: 'a\u0007b' }] }],
      ['rules.0.id', { rules: [{ ...sheet.rules[0], id: 'output_schema' }] }],
      ['output_schema', { output_schema: [] }],
      ['assignment.instructions', { assignment: { title: 'x', instructions: 'x'.repeat(20_001) } }],
    ];
    for (const [path, change] of changes) {
      const changed = { ...sheet, ...change };
      assert.deepEqual(paths(faultsOf(draftOf(changed))), [path]);
      if (path !== 'rules.0.id') assert.equal(FlightSheet.safeParse(changed).success, false, path);
    }
  });

  test('of JSON that is no sheet is a draft all the same', () => {
    for (const value of [null, 1, 'text', [], {}, { rules: [null, 1, {}], assignment: 3, output_schema: null }])
      assert.ok(faultsOf(draftOf(value as unknown as FlightSheet)).length > 0);
  });

  test('the next version counts on, and an id is made of words', () => {
    const counted = ['1.0.0', '1.9.3', '3', '2026-05', 'beta'].map(nextVersion);
    assert.deepEqual(counted, ['1.1.0', '1.10.0', '4', '2026-6', 'beta.1']);
    const taken = new Set(['report@1.1.0', 'report@1.2.0', 'other@1.3.0']);
    assert.equal(freeVersion('report', '1.0.0', taken), '1.3.0');
    const draft = { ...draftOf(JSON.parse(SHEETS[0]!.text)), name: 'report', version: '1.2.0' };
    assert.deepEqual(paths(faultsOf(draft, taken)), ['version']);
    assert.deepEqual(['A + b is the sum', ' Économies: 5 % ', '—', 'x'.repeat(99)].map(slugOf), [
      'a-b-is-the-sum',
      'economies-5',
      '',
      'x'.repeat(60),
    ]);
  });
});

describe('places in JSON', () => {
  test('every value stands where its path says', () => {
    for (const { text } of SHEETS) {
      const places = placesOf(text);
      const whole = JSON.parse(text);
      for (const [index, rule] of whole.rules.entries()) {
        const place = places.get(`rules.${index}.id`)!;
        assert.ok(text.startsWith(JSON.stringify(rule.id), place));
      }
      assert.ok(text.startsWith(`${whole.pass_threshold}`, places.get('pass_threshold')));
    }
  });

  test('a position inside a text counts its quotes and escapes; a path that is not there is its nearest', () => {
    const text = JSON.stringify({ rules: [{ expr: 'a == "x"\n&& b', id: 'r' }] }, null, 2);
    const expr = 'a == "x"\n&& b';
    assert.ok(text.startsWith('&& b', placeOf(text, 'rules.0.expr', expr.slice(0, 9))));
    assert.equal(placeOf(text, 'rules.0.nothing.more'), placeOf(text, 'rules.0'));
    assert.equal(placeOf(text, 'elsewhere'), 0);
  });

  test('text that is not JSON says what is wrong and where', () => {
    const at = (text: string) => {
      const { fault } = readJson(text);
      return fault === null ? null : [fault.message, fault.offset && lineAndColumn(text, fault.offset)];
    };
    assert.equal(at('{"a": [1, null]}'), null);
    assert.deepEqual(at('{\n  "a": 1,\n}'), ['unexpected "}"', { line: 3, column: 1 }]);
    assert.deepEqual(at('{"a": '), ['the JSON ends too early', { line: 1, column: 6 }]);
    assert.match(String(at('{"a": 1, "a": 2}')), /the same member twice/);
  });
});

describe('a submission', () => {
  test('is sent as JSON or as the text it is, and its faults are told apart', () => {
    const json = trialFacts({ ...EMPTY_SUBMISSION, output: '{"a": 1}', inputs: '{"b": 2}' });
    assert.deepEqual([json.output, json.inputs, json.faults], [{ a: 1 }, { b: 2 }, { output: null, inputs: null }]);
    assert.equal(trialFacts({ ...EMPTY_SUBMISSION, kind: 'text', output: '{"a": 1}' }).output, '{"a": 1}');
    const faulty = trialFacts({ ...EMPTY_SUBMISSION, output: '{"a"', inputs: '[1]' });
    assert.deepEqual([faulty.output, faulty.inputs], [null, undefined]);
    assert.ok(faulty.faults.output && faulty.faults.inputs);
  });

  test('of a Run is its output, its inputs without what the ledger adds, and its evidence', () => {
    const fact = {
      kind: 'note',
      label: 'n',
      sha256: '0'.repeat(64),
      content_type: 'text/plain',
      byte_size: 3,
    } as const;
    const run = {
      execution: { agent_name: 'a', output: { a: 1 } },
      inputs: { flight_sheet: { name: 'x', version: '1' }, notify: ['a@example.org'], client: 'Acme' },
      evidence: [{ ...fact, id: 'ev_1', stored: true }],
    } as unknown as Parameters<typeof submissionOf>[0];
    const facts = trialFacts(submissionOf(run)!);
    assert.deepEqual([facts.output, facts.inputs, facts.evidence], [{ a: 1 }, { client: 'Acme' }, [fact]]);
    assert.equal(submissionOf({ ...run, execution: null }), null);
  });
});
