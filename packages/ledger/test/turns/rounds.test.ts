import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inRounds } from '../../src/turns/rounds.ts';

test('of each organization one is served, then the next of each', () => {
  const served = (waiting: string) => inRounds(waiting.split(' '), ([whose]) => whose!).join(' ');
  assert.equal(served('a1'), 'a1');
  assert.equal(served('a1 a2 a3'), 'a1 a2 a3');
  assert.equal(served('a1 a2 a3 a4 b1 b2 c1'), 'a1 b1 c1 a2 b2 a3 a4');
  assert.deepEqual(inRounds([], String), []);
});
