/** The sheets we ship: each passes its good submission, and its bad one breaks exactly the rules named here. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import { FlightSheet } from '@rcpt/contract/ledger/flight-sheet.ts';
import { verdict } from '@rcpt/contract/verdict.ts';
import type { JsonObject } from '@rcpt/contract/wire.ts';
import type { Check, EvidenceFact } from '@rcpt/contract/work.ts';
import { sha256Hex } from '@rcpt/proof/sha256.ts';
import { compileSheet } from '../../src/flight-sheets/compile.ts';

const BROKEN: Record<string, string[]> = {
  'machine-benchmark': ['rate_is_count_over_time', 'times_fit', 'log_attached', 'log_has_lines'],
  'debt-service-memo': ['expenses_sum', 'dscr_is_ratio', 'covenant_compared', 'statement_attached'],
  'dataset-quality': [
    'rows_add_up',
    'null_rates_right',
    'few_duplicates',
    'splits_make_whole',
    'shares_right',
    'licence_known',
    'dataset_attached',
  ],
};

interface Submission {
  title: string;
  inputs: JsonObject;
  evidence: { kind: EvidenceFact['kind']; label: string; content: string; content_type?: string }[];
  execution: JsonObject & { output: JsonObject };
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../flight-sheets/${path}.json`, import.meta.url), 'utf8'));
}

function findings(name: string, submission: Submission): Check[] {
  const evidence = submission.evidence.map(({ kind, label, content, content_type = 'text/plain' }) => ({
    kind,
    label,
    sha256: sha256Hex(content),
    content_type,
    byte_size: Buffer.byteLength(content),
  }));
  const lane = LANES.eval;
  const run = { id: 'run_1', lane: 'eval' as const, title: submission.title, created_at: '2026-05-29T20:14:33.123Z' };
  const agent_profile = { name: 'a', capability_tier: 'undeclared', harness: 'undeclared', model: 'm' };
  const [inputs, execution] = [lane.inputs.parse(submission.inputs), lane.execution.parse(submission.execution)];
  const work = { run, inputs, execution, evidence, agent_profile, price: null };
  return lane.checks(work, compileSheet(FlightSheet.parse(read(name))));
}

for (const [name, broken] of Object.entries(BROKEN)) {
  const sheet = FlightSheet.parse(read(name));
  const good = read(`submissions/${name}--good`) as Submission;
  const bad = read(`submissions/${name}--bad`) as Submission;
  const waiting = sheet.rules.filter((rule) => !('expr' in rule)).map((rule) => rule.id);
  const answered = (checks: Check[]) =>
    checks.map((check) => (check.status === 'open' ? { ...check, status: 'pass' as const } : check));

  test(`${name}: the good submission passes every rule that a machine can decide`, () => {
    const checks = findings(name, good);
    const rest = checks.filter((check) => check.status !== 'pass');
    assert.deepEqual(
      rest.map((check) => [check.key, check.status]),
      waiting.map((id) => [id, 'open']),
    );
    assert.deepEqual(
      [verdict(answered(checks), sheet).outcome, verdict(answered(checks), sheet).score_100],
      ['pass', 100],
    );
  });

  test(`${name}: the bad submission breaks ${broken.join(', ')} and nothing else`, () => {
    const checks = findings(name, bad);
    assert.deepEqual(
      checks.filter((check) => check.status === 'flag').map((check) => check.key),
      broken,
    );
    assert.ok(
      checks.filter((check) => check.status === 'flag').every((check) => check.detail.startsWith('Does not hold: ')),
    );
    assert.equal(verdict(answered(checks), sheet).outcome, 'fail');
  });

  test(`${name}: a submission without its members is described, not thrown at`, () => {
    const checks = findings(name, { ...good, execution: { ...good.execution, output: {} } });
    assert.equal(checks.find((check) => check.key === 'output_schema')?.status, 'flag');
    assert.equal(verdict(answered(checks), sheet).outcome, 'fail');
  });
}

test('machine-benchmark needs no person, so that a demonstration can run alone', () => {
  assert.ok(FlightSheet.parse(read('machine-benchmark')).rules.every((rule) => 'expr' in rule));
  assert.ok(FlightSheet.parse(read('debt-service-memo')).rules.some((rule) => !('expr' in rule)));
});
