import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { median, percentile, readable } from './src/numbers.ts';

describe('the arithmetic of the bench', () => {
  test('a percentile is the smallest value that this share does not exceed', () => {
    assert.equal(percentile([5, 1, 4, 2, 3], 0.5), 3);
    assert.equal(percentile([1, 2, 3, 4], 0.5), 2);
    assert.equal(percentile([1, 2, 3, 4], 0.99), 4);
    assert.equal(percentile([7], 0), 7);
    assert.ok(Number.isNaN(percentile([], 0.5)));
  });

  test('a median of an even number of values lies between the two in the middle', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 2, 3]), 2.5);
  });

  test('figures are written with three digits that count', () => {
    assert.equal(readable(6450.4), '6,450');
    assert.equal(readable(12.345), '12.3');
    assert.equal(readable(0.09123), '0.0912');
    assert.equal(readable(0), '0.00');
    assert.equal(readable(Number.NaN), 'n/a');
  });
});
