import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openChecks, verdict } from '../src/verdict.ts';
import type { Check } from '../src/work.ts';
import { Verdict } from '../src/work.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const WEIGHT = { high: 5, medium: 3, low: 1 };
let nth = 0;

function check(status: Check['status'], severity: Check['severity']): Check {
  return {
    key: `rule-${nth++}`,
    label: `Rule ${nth}`,
    category: 'math',
    status,
    severity,
    detail: '',
    decided_by: 'rule',
  };
}

const decidedCheck = fc
  .record({
    status: fc.constantFrom('pass', 'flag', 'skip'),
    severity: fc.constantFrom('high', 'medium', 'low'),
  } as const)
  .map(({ status, severity }) => check(status, severity));
const checks = fc.array(decidedCheck, { maxLength: 30 });
const thresholds = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 })).map(([a, b]) => ({
  pass_threshold: Math.max(a, b),
  fail_threshold: Math.min(a, b),
}));

test('any high flag fails, any medium flag needs review, and otherwise the work passes', () => {
  fc.assert(
    fc.property(checks, (all) => {
      const decided = all.filter((one) => one.status !== 'skip');
      fc.pre(decided.length > 0);
      const flagged = (severity: string) => decided.some((one) => one.status === 'flag' && one.severity === severity);
      const expected = flagged('high')
        ? ['fail', 'no']
        : flagged('medium')
          ? ['review', 'after_edits']
          : ['pass', 'yes'];
      const given = verdict(all);
      assert.deepEqual([given.outcome, given.client_ready], expected);
      const highest = flagged('high') ? 'high' : flagged('medium') ? 'medium' : flagged('low') ? 'low' : 'none';
      assert.equal(given.severity, highest);
    }),
  );
});

test('the score is the rounded share of decided rules passed, weighted five, three and one', () => {
  fc.assert(
    fc.property(checks, (all) => {
      const weigh = (list: Check[]) => list.reduce((sum, one) => sum + WEIGHT[one.severity], 0);
      const decided = all.filter((one) => one.status !== 'skip');
      fc.pre(decided.length > 0);
      const share = (100 * weigh(decided.filter((one) => one.status === 'pass'))) / weigh(decided);
      assert.ok(Math.abs(verdict(all).score_100 - share) <= 0.5 + 1e-9);
    }),
  );
});

test('a score below the fail threshold fails, below the pass threshold it is at best a review', () => {
  fc.assert(
    fc.property(checks, thresholds, (all, limits) => {
      fc.pre(all.some((one) => one.status !== 'skip'));
      const [free, bound] = [verdict(all), verdict(all, limits)];
      assert.equal(free.score_100, bound.score_100);
      const rank = { pass: 0, review: 1, fail: 2 };
      assert.ok(rank[bound.outcome] >= rank[free.outcome], 'thresholds never make an outcome better');
      if (bound.score_100 < limits.fail_threshold) assert.equal(bound.outcome, 'fail');
      else if (bound.score_100 < limits.pass_threshold) assert.notEqual(bound.outcome, 'pass');
      else assert.equal(bound.outcome, free.outcome);
    }),
  );
});

test('turning a passed rule into a flag never makes the verdict better', () => {
  fc.assert(
    fc.property(checks, fc.nat(), (all, at) => {
      fc.pre(all.some((one) => one.status === 'pass'));
      const passing = all.filter((one) => one.status === 'pass');
      const turned = passing[at % passing.length];
      const worse = all.map((one) => (one === turned ? { ...one, status: 'flag' as const } : one));
      const rank = { pass: 0, review: 1, fail: 2 };
      assert.ok(rank[verdict(worse).outcome] >= rank[verdict(all).outcome]);
      assert.ok(verdict(worse).score_100 <= verdict(all).score_100);
    }),
  );
});

test('skipped rules change neither score nor outcome', () => {
  fc.assert(
    fc.property(checks, (all) => {
      fc.pre(all.some((one) => one.status !== 'skip'));
      const { outcome, score_100, severity } = verdict([...all, check('skip', 'high')]);
      const without = verdict(all);
      assert.deepEqual([outcome, score_100, severity], [without.outcome, without.score_100, without.severity]);
    }),
  );
});

test('the same checks give the same verdict, and it is one that can be sealed', () => {
  fc.assert(
    fc.property(checks, fc.option(thresholds), (all, limits) => {
      assert.deepEqual(verdict(all, limits), verdict(structuredClone(all), limits));
      assert.ok(Verdict.safeParse(verdict(all, limits)).success);
    }),
  );
});

test('where no rule could be decided, a person has to review: nothing was passed', () => {
  for (const limits of [null, { pass_threshold: 80, fail_threshold: 50 }]) {
    const given = verdict([check('skip', 'high'), check('skip', 'low')], limits);
    assert.deepEqual(
      [given.outcome, given.score_100, given.severity, given.client_ready],
      ['review', 0, 'none', 'after_edits'],
    );
    assert.equal(given.summary, 'None of 2 rules could be decided.');
  }
  assert.equal(verdict([]).outcome, 'review');
});

test('there is no verdict while a rule waits for a person', () => {
  const waiting = [check('pass', 'high'), check('open', 'low')];
  assert.deepEqual(openChecks(waiting), [waiting[1]]);
  assert.throws(() => verdict(waiting), { code: 'checks_open' });
});

test('the verdict says in words what to do first', () => {
  const [high, low] = [check('flag', 'high'), check('flag', 'low')];
  const given = verdict([low, check('pass', 'medium'), high, check('skip', 'low')]);
  assert.equal(given.recommended_action, `Do not use this work. Put right first: "${high.label}", "${low.label}".`);
  assert.equal(given.summary, '1 of 3 decided rules passed; flagged: 1 high, 1 low; 1 did not apply. Score 33 of 100.');
});
