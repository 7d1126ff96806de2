/** What the console says and sends, without a browser. */
import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { address, answerOf } from '@rcpt/contract/client/call.ts';
import { whyNotPrivate } from '@rcpt/contract/lanes/private.ts';
import { LANES } from '@rcpt/contract/lanes/registry.ts';
import type { Run } from '@rcpt/contract/ledger/runs.ts';
import type { LaneName } from '@rcpt/contract/vocabulary.ts';
import { LANE_NAMES } from '@rcpt/contract/words.ts';
import { problemOf } from '../src/api/problem.ts';
import type { WorkingSession } from '../src/api/queries.ts';
import { exact, exactToTheMillisecond, relative } from '../src/format/instant.ts';
import { amount, byteSize, usd } from '../src/format/numbers.ts';
import { deniedDecision, deniedReason } from '../src/format/permissions.ts';
import { runStatus } from '../src/format/run-status.ts';
import {
  EXECUTION_TEMPLATE,
  inputsOf,
  LANE_FIELDS,
  LANE_SEALS,
  mayBePrivate,
  parsedJson,
} from '../src/pages/runs/lane-fields.ts';

/** What a person could type into every field of a lane. */
const TYPED: Record<LaneName, Record<string, string>> = {
  generic: { task: 'Summarize the visit notes', kind: 'agent' },
  eval: { flight_sheet: 'roof-survey\n1.2.0', '': '{"budget_eur": 1500}' },
  cook: { base_model: 'acme/base-8b', dataset: 'support chats', pairs: '1,200', eval_before: '0.61' },
  incident: { kind: 'tool_misuse', tier: 'low', response: 'lane_locked\n\nhuman_approval_required\n' },
  'dataset-download': {
    name: 'Roof photos',
    slug: 'roof-photos',
    version: '2026.1',
    granted_to: 'insurer',
    sha256: 'a3'.repeat(32),
    size_bytes: '48200112',
    row_count: '1204',
    expires_at: '2027-01-31T00:00:00Z',
  },
  'model-pin': { name: 'Support Chat', slug: 'acme/chat', params_b: '8', card: '{"license": "apache-2.0"}' },
};

describe('the forms of a Run', () => {
  for (const lane of LANE_NAMES)
    test(`what is typed for ${lane} is what the ledger takes`, () => {
      const inputs = inputsOf(lane, TYPED[lane]);
      const parsed = LANES[lane].inputs.safeParse(inputs);
      assert.ok(parsed.success, parsed.error?.message);
      for (const { name, optional } of LANE_FIELDS[lane]) assert.ok(optional || inputs[name] !== undefined, name);
    });

  test('the template of an execution lacks nothing but what a person fills in', () => {
    for (const lane of LANE_NAMES) {
      const filled = Object.entries(EXECUTION_TEMPLATE[lane]).map(([name, value]) => [
        name,
        value === '' ? 'x' : value,
      ]);
      const parsed = LANES[lane].execution.safeParse(Object.fromEntries(filled));
      assert.ok(parsed.success, `${lane}: ${parsed.error?.message}`);
    }
  });

  test('what a receipt tells of verdict and approval is what its lane seals', () => {
    for (const lane of LANE_NAMES) {
      const { verdict, approval, ownership } = LANES[lane].blocks.shape;
      const sealed = approval ? 'signed' : ownership ? 'stated' : 'nothing';
      assert.deepEqual([LANE_SEALS[lane].verdict, LANE_SEALS[lane].approval], [verdict !== undefined, sealed], lane);
    }
  });

  test('lines become a list without its empty ones', () => {
    assert.deepEqual(inputsOf('incident', TYPED.incident).response, ['lane_locked', 'human_approval_required']);
  });

  test('what is no number and no JSON is said, with its line', () => {
    assert.throws(() => inputsOf('cook', { pairs: 'many' }), /Training pairs: many is no number/);
    for (const comma of ['0,61', '0,933', '1,2', '12,3456'])
      assert.throws(() => inputsOf('cook', { eval_before: comma }), /no number; decimals take a point/);
    assert.equal(inputsOf('cook', { eval_before: '-1,234,567.5' }).eval_before, -1_234_567.5);
    for (const json of ['[1, 2]', 'null', '"text"'])
      assert.throws(() => inputsOf('eval', { '': json }), /has to be an object/);
    assert.deepEqual(inputsOf('model-pin', { card: '["any", "JSON"]' }).card, ['any', 'JSON']);
    assert.throws(() => parsedJson('{\n  "a": 1,\n  oops\n}', 'This'), /This is not JSON yet: look at line 3/);
  });
});

describe('words', () => {
  test('instants near and far', () => {
    const now = Date.parse('2026-05-29T12:00:00.000Z');
    assert.equal(relative('2026-05-29T11:59:30.000Z', now), 'just now');
    assert.equal(relative('2026-05-29T11:56:00.000Z', now), '4 min ago');
    assert.equal(relative('2026-05-28T11:00:00.000Z', now), '1 day ago');
    assert.equal(relative('2025-05-29T12:00:00.000Z', now), '29 May 2025');
    assert.equal(relative('2026-05-29T14:00:00.000Z', now), 'in 2 h');
    assert.equal(exact('2026-05-29T20:14:33.123Z'), '29 May 2026, 20:14:33 UTC');
    assert.equal(exactToTheMillisecond('2026-05-29T20:14:33.123Z'), '29 May 2026, 20:14:33.123 UTC');
  });

  test('numbers, sizes and money', () => {
    assert.equal(amount(0.933333), '0.933333');
    assert.equal(amount(1_234_567), '1,234,567');
    assert.equal(byteSize(999), '999 bytes');
    assert.equal(byteSize(12_000_000), '12 MB');
    assert.equal(usd(1234.5), '1,234.50 USD');
  });

  test('a refused act names the role and what it takes', () => {
    assert.equal(deniedReason('owner', 'administer'), null);
    assert.equal(deniedReason('auditor', 'approve'), 'Your role here is auditor; this takes approver or owner.');
  });

  test('who did the work decides on none of it where four eyes are wanted, whatever their role', () => {
    const run = { stages: [{ stage: 'Execution', at: '', by: 'user_1' }] } as unknown as Run;
    const disabledReason = (id: string, role: string, four_eyes: boolean) =>
      deniedDecision({ id, role, organization: { four_eyes } } as unknown as WorkingSession, run);
    assert.equal(disabledReason('user_1', 'approver', false), null);
    assert.match(disabledReason('user_1', 'owner', true)!, /Four eyes: you posted the execution/);
    assert.equal(disabledReason('user_2', 'approver', true), null);
    assert.match(disabledReason('user_2', 'agent', false)!, /takes approver or owner/);
  });

  test('a Run stands where a person would say it does', () => {
    const run = { stage: 'Checks', checks: [{ status: 'open' }, { status: 'pass' }], approval: null, receipt_id: null };
    const status = (change: object) => runStatus({ ...run, ...change } as unknown as Run).words;
    assert.equal(status({}), '1 open check');
    assert.equal(status({ stage: 'Verdict', checks: [] }), 'Waiting for approval');
    assert.equal(status({ stage: 'Approval', approval: { decision: 'rejected' } }), 'Rejected');
    assert.equal(status({ stage: 'Approval', approval: { decision: 'approved' } }), 'Approved, not sealed');
    assert.equal(status({ stage: 'Receipt', receipt_id: 'RCPT-000001-0a1b2c3d' }), 'Sealed');
  });
});

describe('calls', () => {
  test('an address carries what was asked for and nothing that was not', () => {
    assert.equal(address('/runs', { lane: 'eval', search: undefined, after: '' }), '/runs?lane=eval');
    assert.equal(address('/runs', { search: 'a&b=c' }), '/runs?search=a%26b%3Dc');
  });

  test('whatever is answered, a failure is a problem with its request id', () => {
    const of = (status: number, text: string) => {
      try {
        return answerOf('GET /', status, text, 'r-1');
      } catch (error) {
        const { code, request_id } = problemOf(error);
        return [code, request_id];
      }
    };
    assert.deepEqual(of(200, '{"ok": true}'), { ok: true });
    assert.deepEqual(of(502, '<html>Bad gateway</html>'), ['unreadable_answer', 'r-1']);
    const problem = { type: 'x', title: 'Not found', status: 404, code: 'not_found', detail: 'No.', request_id: 'r-2' };
    assert.deepEqual(of(404, JSON.stringify(problem)), ['not_found', 'r-2']);
    assert.deepEqual(of(200, '<html>Signed out</html>'), ['unreadable_answer', 'r-1']);
  });
});

describe('what may be private', () => {
  test('is what the lane commits, of what is asked', () => {
    for (const lane of LANE_NAMES) {
      const { commits } = LANES[lane];
      const inputs = inputsOf(lane, TYPED[lane]);
      const asked = mayBePrivate(lane).map(({ path }) => path);
      const there = asked.filter((path) => !path.startsWith('/inputs/') || path.slice('/inputs/'.length) in inputs);
      assert.equal(whyNotPrivate(LANES[lane], { title: 'T', inputs }, there), null, lane);
      assert.equal(asked.length > 0, commits !== undefined, lane);
      if (commits !== undefined && commits.inputs !== 'any')
        for (const { name } of LANE_FIELDS[lane])
          assert.equal(asked.includes(`/inputs/${name}`), commits.inputs.includes(name), `${lane} ${name}`);
    }
  });
});
