/** Work made to be slow: whatever stands in a megabyte, its lane decides it in time that grows with its length alone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANES } from '../src/lanes/registry.ts';
import { secretsIn } from '../src/lanes/secrets.ts';
import type { LaneName } from '../src/vocabulary.ts';
import type { Json, JsonObject } from '../src/wire.ts';
import type { EvidenceFact } from '../src/work.ts';

const MEGABYTE = 1_000_000;
/** Of this process's own time, not the clock's. Generous: a pattern or a loop that is quadratic in a megabyte takes minutes. */
const SOON_MS = 60_000;

const filled = (part: string, length = MEGABYTE) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const numbered = (count: number, entries: (n: number) => [string, Json][]) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => entries(n)).flat());

/** Beginnings of what is searched for, over and over, and never the end of it. */
const TEASERS = [
  'eyJ-',
  'eyJ.',
  'eyJaaaaaaaaaa.',
  'eyJaaaaaaaaaaaa.eyJbbbbbbbbbbbb ',
  'a://b:',
  'a://b:c ',
  'a+',
  'ab.cd+ef-gh:/',
  '-----BEGIN RSA ',
  '-----BEGIN AA BB ',
  'sk-',
  'xoxb-',
  'github_pat_',
  'rk_live_',
  'AKIA',
  '[insert ',
  '[your ',
  '<your-',
  '{{a',
  '{',
  '.',
  '\n',
  ' ',
  'lorem ipsu',
  'as an ai language ',
  'e\u0301',
  '\u202e',
  '😀',
  'aB',
];

const LISTS: [string, Json][] = [
  [
    'as many counts as lists',
    numbered(40_000, (n) => [
      [`n${n}`, n],
      [`l${n}`, []],
    ]),
  ],
  ['as many totals as members', numbered(60_000, (n) => [[`total_${n}`, n]])],
  [
    'numbers whose sum has hundreds of digits',
    { total: 1, items: Array.from({ length: 100_000 }, (_, n) => (n % 2 ? 1e-300 : 9e15)) },
  ],
  ['lists in lists', Array.from({ length: 200_000 }, () => [])],
  [
    'sixty levels of text',
    Array.from({ length: 60 }).reduce<Json>((inner) => ({ inner, text: filled('a', 16_000) }), 1),
  ],
];

function evidence(label: (n: number) => string): EvidenceFact[] {
  return Array.from({ length: 500 }, (_, n) => ({
    kind: 'file',
    label: label(n),
    sha256: n.toString(16).padStart(64, '0'),
    content_type: 'text/plain',
    byte_size: 1,
  }));
}

function check(lane: LaneName, inputs: JsonObject, execution: JsonObject, attached: EvidenceFact[] = []): number {
  const { inputs: Inputs, execution: Execution, checks } = LANES[lane];
  const began = process.cpuUsage();
  checks(
    {
      run: { id: `run_${'0'.repeat(32)}`, lane, title: 'A Run', created_at: '2026-01-01T00:00:00.000Z' },
      inputs: Inputs.parse(inputs),
      execution: Execution.parse(execution),
      evidence: attached,
      agent_profile: { name: 'a', capability_tier: 'b', harness: 'c', model: 'd' },
      price: null,
    },
    null,
  );
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000;
}

function soon(took: number, what: string): void {
  assert.ok(took < SOON_MS, `${what}: ${Math.round(took)} ms`);
}

test('a megabyte of half a secret, of half a placeholder or of nothing is searched soon', () => {
  for (const teaser of TEASERS)
    soon(check('generic', { task: 'Search this through' }, { output: filled(teaser) }), JSON.stringify(teaser));
});

test('a megabyte of lists, counts and totals is added up soon', () => {
  for (const [what, output] of LISTS) soon(check('generic', { task: 'Add this up' }, { output }), what);
  for (const [what, value] of LISTS) {
    const metrics = { value };
    soon(
      check(
        'cook',
        { base_model: 'a', dataset: 'b', pairs: 1, eval_before: 1 },
        { eval_after: 2, runner: 'c', metrics },
      ),
      what,
    );
  }
});

test('five hundred long labels are looked for in a megabyte soon', () => {
  const labels = [
    (n: number) => `${'a'.repeat(490)}${n}`,
    (n: number) => `${n}${'a'.repeat(490)}`,
    (n: number) => `${'a'.repeat(240)}${n}${'a'.repeat(240)}`,
    (n: number) => `${'a/'.repeat(240)}${n}.a`,
  ];
  for (const label of labels)
    soon(check('generic', { task: 'Look for these' }, { output: filled('a') }, evidence(label)), label(1).slice(0, 20));
});

test('the other lanes decide the longest texts they take soon', () => {
  for (const teaser of TEASERS) {
    const [prose, line] = [filled(teaser, 20_000), filled(teaser.replaceAll('\n', 'n'), 400).trim() || 'a'];
    const slug = line.slice(0, 150).trim();
    soon(check('incident', { kind: line, tier: line, detail: prose, response: Array(50).fill(line) }, {}), teaser);
    soon(
      check(
        'dataset-download',
        {
          slug,
          name: line,
          version: line.slice(0, 100).trim(),
          sha256: 'a'.repeat(64),
          size_bytes: 1,
          row_count: 1,
          granted_to: line,
          purpose: prose,
        },
        {},
      ),
      teaser,
    );
    soon(
      check(
        'model-pin',
        { slug, name: line, params_b: 1, card: { card: filled(teaser) }, declaration: prose },
        {},
        evidence(() => line),
      ),
      teaser,
    );
  }
});

test('a signed web token is still found where one begins', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLW9mLWl0';
  for (const text of [token, `token=${token}`, `"${token}"`, `Bearer ${token}`, `eyJ ${token}`])
    assert.deepEqual(secretsIn(text), ['a signed web token'], text);
});
