import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  add,
  compare,
  costOfHours,
  costOfSeconds,
  type Decimal,
  decimal,
  divide,
  formatDecimal,
  formatUsd,
  hoursOfSeconds,
  multiply,
  round,
  subtract,
  toNumber,
} from '../src/money.ts';

// The same values every time; TEST_SEED=<number> tries others.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

const anyDecimal = fc.record({
  unscaled: fc.bigInt(-(10n ** 30n), 10n ** 30n),
  scale: fc.integer({ min: 0, max: 20 }),
});
const over = (value: Decimal) => [value.unscaled, 10n ** BigInt(value.scale)] as const;
const same = (a: Decimal, b: Decimal) => over(a)[0] * over(b)[1] === over(b)[0] * over(a)[1];

test('a number stands for its shortest decimal string, exponents included', () => {
  for (const [value, text] of [
    [0.1, '0.1'],
    [1e21, '1000000000000000000000'],
    [1.5e-7, '0.00000015'],
    [-0, '0'],
    ['-12.340', '-12.340'],
    ['1E2', '100'],
    ['5e-324', `0.${'0'.repeat(323)}5`],
  ] as const) {
    assert.equal(formatDecimal(decimal(value)), text);
  }
});

test('what is no decimal number is refused, and so is an exponent that would fill the memory', () => {
  for (const value of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    ' 1',
    '0x10',
    '1_000',
    '.',
    '1.',
    '1e999999999',
    '--1',
  ]) {
    assert.throws(() => decimal(value), { code: 'decimal_invalid' }, String(value));
  }
});

test('0.7 − 0.6 is 0.1', () => {
  assert.equal(toNumber(subtract(decimal(0.7), decimal(0.6))), 0.1);
});

test('a half goes to the even neighbour, above and below zero', () => {
  for (const [value, rounded] of [
    ['0.125', '0.12'],
    ['0.375', '0.38'],
    ['0.135', '0.14'],
    ['-0.125', '-0.12'],
    ['-0.375', '-0.38'],
    ['2.675', '2.68'],
    ['0.005', '0.00'],
    ['-0.005', '0.00'],
    ['0.0050000001', '0.01'],
  ] as const) {
    assert.equal(formatUsd(decimal(value)), rounded, value);
  }
});

test('two hours on the larger node cost ten dollars', () => {
  assert.equal(formatUsd(costOfSeconds(decimal('5.00'), decimal(7200))), '10.00');
});

test('a time is priced by its hours to six places, times the rate, to the cent, half to even', () => {
  assert.equal(formatUsd(costOfSeconds(decimal('2.00'), decimal(4.5))), '0.00');
  assert.equal(formatUsd(costOfSeconds(decimal('5.00'), decimal(3.6))), '0.00');
  assert.equal(formatUsd(costOfSeconds(decimal('5.00'), decimal(10.8))), '0.02');
  // 0.00100000003 hours are 0.001000: the half cent goes to the even one.
  assert.equal(formatUsd(costOfSeconds(decimal('5.00'), decimal(3.6000001))), '0.00');
  // 12.6018 s are 0.0035005 hours exactly, to six places 0.003500 (half to even): 0.0175 is 0.02.
  assert.equal(formatDecimal(hoursOfSeconds(decimal(12.6018))), '0.003500');
  assert.equal(formatUsd(costOfSeconds(decimal('5.00'), decimal(12.6018))), '0.02');
  assert.equal(formatDecimal(hoursOfSeconds(decimal(1))), '0.000278');
  assert.equal(formatUsd(costOfHours(decimal('5.00'), decimal('0.342778'))), '1.71');
});

test('addition, subtraction and multiplication are exact', () => {
  fc.assert(
    fc.property(anyDecimal, anyDecimal, (a, b) => {
      assert.ok(same(subtract(add(a, b), b), a));
      const [an, ad] = over(a);
      const [bn, bd] = over(b);
      assert.ok(same(multiply(a, b), { unscaled: an * bn, scale: a.scale + b.scale }) && ad > 0n && bd > 0n);
    }),
  );
});

test('rounding agrees with brute force over all candidates around the exact quotient', () => {
  fc.assert(
    fc.property(anyDecimal, anyDecimal, fc.integer({ min: 0, max: 6 }), (a, b, places) => {
      fc.pre(b.unscaled !== 0n);
      const rounded = divide(a, b, places).unscaled;
      // twice the distance |a/b − r/10^p| as a fraction over a positive denominator
      const denominator = (b.unscaled < 0n ? -b.unscaled : b.unscaled) * 10n ** BigInt(a.scale) * 2n;
      const exact = a.unscaled * 10n ** BigInt(b.scale + places) * (b.unscaled < 0n ? -1n : 1n) * 2n;
      const distance = (r: bigint) => {
        const d = exact - r * denominator;
        return d < 0n ? -d : d;
      };
      for (const other of [rounded - 1n, rounded + 1n]) {
        assert.ok(
          distance(rounded) < distance(other) || (distance(rounded) === distance(other) && rounded % 2n === 0n),
        );
      }
    }),
  );
});

test('rounding twice to the same places changes nothing, and an amount always shows exactly two decimals', () => {
  fc.assert(
    fc.property(anyDecimal, fc.integer({ min: 0, max: 8 }), (a, places) => {
      assert.deepEqual(round(round(a, places), places), round(a, places));
      assert.match(formatUsd(a), /^-?\d+\.\d{2}$/);
      assert.notEqual(formatUsd(a), '-0.00');
    }),
  );
});

test('every finite double survives the way through a decimal', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.equal(toNumber(decimal(value)), value === 0 ? 0 : value);
    }),
  );
});

test('comparison orders like numbers do', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (a, b) => {
      assert.equal(compare(decimal(a), decimal(b)), Math.sign(a - b) === 0 ? 0 : Math.sign(a - b));
    }),
  );
});

test('a division by zero is refused', () => {
  assert.throws(() => divide(decimal(1), decimal(0), 2), { code: 'decimal_invalid' });
});
