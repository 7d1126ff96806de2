/** Every heuristic rule passes, flags and admits that it cannot decide: one work for each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANES } from '../../src/lanes/registry.ts';
import type { LaneName } from '../../src/vocabulary.ts';
import { type Change, CREATED_AT, evidence, SOUND, workOf } from '../kit/works.ts';

/** `pass` is the lane's sound work unless it says otherwise. */
interface Three {
  pass?: Change;
  flag: Change;
  skip: Change;
}

const SECRET = 'the key is AKIAIOSFODNN7EXAMPLE';
const EMPTY = {
  ...evidence('empty.txt'),
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  byte_size: 0,
};
const output = (value: Change['execution']) => ({ execution: { output: value ?? {} } }) as Change;
const attached = { flag: { evidence: [] }, skip: { evidence: [evidence('remembered', 'note')] } };
const known = { flag: { evidence: [{ ...evidence('a'), byte_size: 0 }] }, skip: { evidence: [] } };
const distinct = {
  flag: { evidence: [evidence('a', 'file', 'x'), evidence('b', 'log', 'x')] },
  skip: { evidence: [evidence('a')] },
};
const metrics = (change: object) =>
  ({ execution: { metrics: { ...(SOUND.cook.execution.metrics as object), ...change } } }) as Change;

/** An evaluation is decided by its sheet. */
const CASES: Record<Exclude<LaneName, 'eval'>, Record<string, Three>> = {
  generic: {
    task_described: { flag: { inputs: { task: 'do' } }, skip: { inputs: { task: 'OPS-1234' } } },
    output_present: {
      flag: output({ text: ' ' }),
      skip: { inputs: { kind: 'dataset' }, execution: { output: undefined as never } },
    },
    output_finished: {
      flag: output({ text: 'Chapter two: TODO' }),
      skip: { inputs: { task: 'List every TODO in the code' }, ...output({ text: 'There is one TODO.' }) },
    },
    output_is_not_the_task: {
      flag: output({ text: 'Summarize the attached quarterly report!' }),
      skip: { inputs: { task: 'Sum it up' } },
    },
    numbers_add_up: {
      flag: output({ total: 10.31, items: [{ amount: 10.1 }, { amount: 0.2 }] }),
      skip: output({ total: 12, tax: 2, items: [{ amount: 10 }] }),
    },
    times_in_order: {
      flag: { execution: { finished_at: '2026-05-29T19:59:59Z' } },
      skip: { execution: { finished_at: 'yesterday' } },
    },
    evidence_attached: attached,
    evidence_bytes_known: known,
    evidence_distinct: distinct,
    evidence_fits_kind: { flag: { evidence: [evidence('thoughts', 'note')] }, skip: { inputs: { kind: 'other' } } },
    output_refers_to_evidence: { flag: { evidence: [evidence('unrelated.csv')] }, skip: { evidence: [evidence('a')] } },
    agent_declared: {
      flag: { agent: { model: 'undeclared' } },
      skip: { inputs: { kind: 'compute' }, agent: { name: 'undeclared' } },
    },
    no_secrets: { flag: output({ text: SECRET }), skip: output({ text: '' }) },
  },
  cook: {
    pairs_positive: { flag: { inputs: { pairs: 0 } }, skip: { inputs: { pairs: 3 } } },
    lift_positive: { flag: { execution: { eval_after: 0.5 } }, skip: { execution: { eval_after: 0.6 } } },
    lift_agrees: { flag: metrics({ lift: 0.2 }), skip: metrics({ lift: null }) },
    scores_comparable: { flag: { execution: { eval_after: 70 } }, skip: { execution: { eval_after: -3 } } },
    metrics_consistent: { flag: metrics({ pairs: 1199 }), skip: { execution: { metrics: {} } } },
    runner_priced: { flag: { execution: { runner: 'my_laptop' } }, skip: { execution: { runner: 'unknown' } } },
    duration_declared: {
      flag: metrics({ duration_seconds: 0 }),
      skip: { execution: { runner: 'my_laptop', metrics: {} } },
    },
    bill_agrees: { flag: metrics({ billed_seconds: 5401 }), skip: metrics({ billed_seconds: null }) },
    declared_cost_agrees: {
      flag: { execution: { compute_usd: 7.51 } },
      skip: { execution: { compute_usd: undefined as never } },
    },
    times_in_order: { flag: metrics({ duration_seconds: 5402 }), skip: metrics({ started_at: null }) },
    evidence_attached: attached,
    evidence_bytes_known: known,
    evidence_distinct: distinct,
  },
  incident: {
    kind_known: { flag: { inputs: { kind: 'weird' } }, skip: { inputs: { kind: 'other' } } },
    tier_known: { flag: { inputs: { tier: 'very' } }, skip: { inputs: { tier: 'sev-1' } } },
    detail_given: {
      flag: { inputs: { detail: 'bad' } },
      skip: { inputs: { detail: 'https://example.com/incident/7' } },
    },
    lane_named: { flag: { inputs: { lane: '' } }, skip: { inputs: { lane: 'treasury' } } },
    response_present: { flag: { inputs: { response: [] } }, skip: { inputs: { response: [], tier: 'low' } } },
    response_restrains: {
      flag: { inputs: { response: ['repair_task_recommended'] } },
      skip: { inputs: { response: ['repair_task_recommended'], tier: 'low' } },
    },
    responses_known: { flag: { inputs: { response: ['shrug'] } }, skip: { inputs: { response: [] } } },
    agent_named: {
      flag: { agent: { name: 'undeclared' } },
      skip: { inputs: { kind: 'outage' }, agent: { name: 'undeclared' } },
    },
    no_secrets: { flag: { inputs: { detail: SECRET } }, skip: { inputs: { detail: '' } } },
    evidence_attached: attached,
    evidence_bytes_known: known,
    evidence_distinct: distinct,
  },
  'dataset-download': {
    expires_later: {
      flag: { inputs: { expires_at: CREATED_AT } },
      skip: { inputs: { expires_at: undefined as never } },
    },
    expires_within_reason: {
      flag: { inputs: { expires_at: '2126-01-01T00:00:00Z' } },
      skip: { inputs: { expires_at: undefined as never } },
    },
    size_and_rows_fit: { flag: { inputs: { row_count: 1_000_000 } }, skip: { inputs: { row_count: 0 } } },
    digest_of_something: {
      flag: { inputs: { sha256: '0'.repeat(64) } },
      skip: { inputs: { sha256: EMPTY.sha256, size_bytes: 0, row_count: 0 } },
    },
    digest_in_evidence: { flag: { inputs: { size_bytes: 17 } }, skip: { evidence: [] } },
    slug_shape: { flag: { inputs: { slug: 'support comments' } }, skip: { inputs: { slug: 'Support-Comments' } } },
    version_fixed: { flag: { inputs: { version: 'latest' } }, skip: { inputs: { version: 'spring edition' } } },
    grantee_named: {
      flag: { inputs: { granted_to: 'Everyone' } },
      skip: { inputs: { granted_to: 'someone@example.com' } },
    },
    purpose_stated: { flag: { inputs: { purpose: '' } }, skip: { inputs: { purpose: 'R7' } } },
    no_secrets: { flag: { inputs: { purpose: SECRET } }, skip: { inputs: { purpose: '' } } },
    evidence_bytes_known: known,
    evidence_distinct: distinct,
  },
  'model-pin': {
    card_hash_agrees: {
      flag: { inputs: { card_sha256: 'a'.repeat(64) } },
      skip: { inputs: { card: undefined as never } },
    },
    card_names_the_model: {
      flag: { inputs: { card: { name: 'something else' } } },
      skip: { inputs: { card: undefined as never } },
    },
    slug_shape: { flag: { inputs: { slug: 'llama 3.1' } }, skip: { inputs: { slug: 'Llama-3.1-8B' } } },
    params_plausible: { flag: { inputs: { params_b: 8_030_000_000 / 1000 } }, skip: { inputs: { params_b: 0 } } },
    params_match_name: {
      flag: { inputs: { params_b: 70 } },
      skip: { inputs: { slug: 'mixtral-8x7b', name: 'Mixtral' } },
    },
    base_differs: { flag: { inputs: { base: 'llama-3.1-8b' } }, skip: { inputs: { base: '' } } },
    declaration_given: { flag: { inputs: { declaration: 'yes' } }, skip: { inputs: { declaration: '' } } },
    no_secrets: { flag: { inputs: { declaration: SECRET } }, skip: { inputs: { declaration: '', client_ref: '' } } },
    evidence_bytes_known: known,
    evidence_distinct: distinct,
  },
};

for (const [name, cases] of Object.entries(CASES) as [LaneName, Record<string, Three>][]) {
  const decide = (key: string, change: Change = {}) => {
    const found = LANES[name].checks(workOf(name, change), null).find((check) => check.key === key);
    assert.ok(found, `${name} has no rule ${key}`);
    return found;
  };

  test(`${name}: a sound work passes every rule, and every rule is tried three ways here`, () => {
    const checks = LANES[name].checks(workOf(name), null);
    assert.deepEqual(
      checks.filter((check) => check.status !== 'pass'),
      [],
    );
    assert.deepEqual(checks.map((check) => check.key).sort(), Object.keys(cases).sort());
  });

  for (const [key, three] of Object.entries(cases)) {
    test(`${name}: ${key} passes, flags, and says when it cannot be decided`, () => {
      for (const status of ['pass', 'flag', 'skip'] as const) {
        const check = decide(key, three[status]);
        assert.equal(check.status, status, check.detail);
        assert.match(check.detail, /[.?]$/, 'a detail is a sentence');
        assert.ok(check.detail.length <= 400, check.detail);
      }
    });
  }
}

test('a detail never states another number than the one that is sealed', () => {
  const said = (key: string, change: Change) =>
    LANES.cook.checks(workOf('cook', change), null).find((check) => check.key === key)!.detail;
  const scores = (eval_before: number, eval_after: number, lift = 0) =>
    ({ inputs: { eval_before }, execution: { eval_after, metrics: { lift } } }) as Change;
  const near = scores(0.9999999, 0.99999999);
  assert.equal(said('lift_positive', near), 'From 0.9999999 to 0.99999999: 0 to 6 places.');
  assert.equal(said('lift_positive', scores(1, 1)), 'The score is 1 before and after.');
  assert.match(said('lift_agrees', scores(0.5, 0.6, 0.10000004)), /^Reported 0\.10000004, computed 0\.1: the same/);
  assert.match(said('scores_comparable', scores(-1, 0.9999999999999999)), /0\.9999999999999999/);
  assert.match(
    said('declared_cost_agrees', { execution: { compute_usd: 7.5049 } }),
    /^Declared 7\.5049 USD; .* 7\.50 USD/,
  );
  assert.equal(said('declared_cost_agrees', { execution: { compute_usd: 7.5 } }), 'Declared and computed: 7.50 USD.');
  assert.match(said('metrics_consistent', metrics({ pairs: '1200' })), /^metrics\.pairs is "1200", declared is 1200\./);
  const responses = Array.from({ length: 7 }, (_, i) => `answer_${i}`);
  const incident = LANES.incident.checks(workOf('incident', { inputs: { response: responses } }), null);
  assert.match(
    incident.find(({ key }) => key === 'response_present')!.detail,
    /^7 responses: .*answer_4 and 2 more\.$/,
  );
});

test('a secret is flagged by what it is, and never repeated', () => {
  const samples = {
    'a private key': '-----BEGIN RSA PRIVATE KEY-----',
    'a GitHub token': `ghp_${'a1B2'.repeat(9)}`,
    'an API key': `sk-${'x'.repeat(24)}`,
    'a key of this ledger': `rk_${'Q'.repeat(43)}`,
    'a signed web token': `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`,
    'a password in an address': 'postgres://app:hunter22@db.example.com/app',
  };
  for (const [kind, secret] of Object.entries(samples)) {
    const check = LANES.generic
      .checks(workOf('generic', { execution: { output: `see ${secret} here` } }), null)
      .find(({ key }) => key === 'no_secrets');
    assert.equal(check?.status, 'flag', kind);
    assert.ok(check?.detail.includes(kind), check?.detail);
    assert.ok(!check?.detail.includes(secret));
  }
});

test('totals are added in decimals, counts are counted, at any depth', () => {
  const sums = (value: Change['execution']) =>
    LANES.generic.checks(workOf('generic', output(value)), null).find(({ key }) => key === 'numbers_add_up')?.status;
  assert.equal(sums({ report: [{ total: 0.3, parts: [0.1, 0.2] }] } as never), 'pass');
  assert.equal(sums({ count: 3, rows: ['a', 'b'] } as never), 'flag');
  assert.equal(sums({ row_count: 2, rows: ['a', 'b'], other: [1] } as never), 'pass');
  assert.equal(sums({ count: 2, rows: ['a', 'b'], other: [1] } as never), 'skip');
  assert.equal(sums({ text: 'nothing to add' } as never), 'skip');
});
