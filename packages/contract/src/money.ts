/**
 * Exact decimals on BigInt. Money, scores and durations pass through here so that 0.7 − 0.6 is 0.1 and no cent
 * depends on binary floats. A number stands for its shortest decimal string, as JSON wrote it.
 */
import { ContractError } from './error.ts';

/** `unscaled × 10^-scale`, `scale` ≥ 0. */
export interface Decimal {
  readonly unscaled: bigint;
  readonly scale: number;
}

const SHAPE = /^([+-]?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,4}))?$/;
/** Every finite double fits; a longer exponent is an attempt to fill the memory. */
const MAX_EXPONENT = 400;

/** Throws `decimal_invalid` for NaN, infinities and strings that are no decimal number. */
export function decimal(value: number | string): Decimal {
  const match = SHAPE.exec(String(value));
  const exponent = Number(match?.[4] ?? 0);
  if (!match || Math.abs(exponent) > MAX_EXPONENT) {
    throw new ContractError('decimal_invalid', 'not a decimal number');
  }
  const [, sign, whole = '', fraction = ''] = match;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const scale = fraction.length - exponent;
  return scale >= 0 ? { unscaled: digits, scale } : { unscaled: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { unscaled: widen(a, scale) + widen(b, scale), scale };
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  return add(a, { unscaled: -b.unscaled, scale: b.scale });
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale };
}

/** −1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const { unscaled } = subtract(a, b);
  return unscaled < 0n ? -1 : unscaled > 0n ? 1 : 0;
}

/** `a / b` to `places`, rounded half to even once, from the exact quotient. Throws `decimal_invalid` when `b` is 0. */
export function divide(a: Decimal, b: Decimal, places: number): Decimal {
  if (b.unscaled === 0n) throw new ContractError('decimal_invalid', 'division by zero');
  const numerator = a.unscaled * 10n ** BigInt(b.scale + places);
  const denominator = b.unscaled * 10n ** BigInt(a.scale);
  return { unscaled: halfEven(numerator, denominator), scale: places };
}

/** To `places` decimals, half to even: 0.125 → 0.12, 0.375 → 0.38. */
export function round(value: Decimal, places: number): Decimal {
  if (value.scale <= places) return { unscaled: widen(value, places), scale: places };
  return { unscaled: halfEven(value.unscaled, 10n ** BigInt(value.scale - places)), scale: places };
}

/** Exactly two decimals, half to even: `10.00`. */
export function formatUsd(value: Decimal): string {
  return formatDecimal(round(value, 2));
}

/** Every digit of the scale, never an exponent, never `-0`. */
export function formatDecimal({ unscaled, scale }: Decimal): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const sign = unscaled < 0n ? '-' : '';
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** The JSON number closest to the decimal; exact for up to 15 digits. */
export function toNumber(value: Decimal): number {
  return Number(formatDecimal(value));
}

/** Hours of a time in seconds, to 6 places, half to even. */
export function hoursOfSeconds(seconds: Decimal): Decimal {
  return divide(seconds, { unscaled: 3600n, scale: 0 }, 6);
}

/** Plain multiplication of an hourly rate by hours, to the cent, half to even (docs/spec.md §3.2). */
export function costOfHours(hourlyRateUsd: Decimal, hours: Decimal): Decimal {
  return round(multiply(hourlyRateUsd, hours), 2);
}

/** What a time costs: the one function by which both the router and the ledger price seconds. */
export function costOfSeconds(hourlyRateUsd: Decimal, seconds: Decimal): Decimal {
  return costOfHours(hourlyRateUsd, hoursOfSeconds(seconds));
}

function widen(value: Decimal, scale: number): bigint {
  return value.unscaled * 10n ** BigInt(scale - value.scale);
}

function halfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return halfEven(-numerator, -denominator);
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  const twice = rest < 0n ? -2n * rest : 2n * rest;
  const away = twice > denominator || (twice === denominator && quotient % 2n !== 0n);
  return away ? quotient + (numerator < 0n ? -1n : 1n) : quotient;
}
