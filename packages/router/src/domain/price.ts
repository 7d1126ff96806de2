/** What things cost: server-side rates only, exact decimals, whole cents. */
import { type Decimal, decimal, multiply, round } from '@rcpt/contract/money.ts';
import { gpuPrice } from '@rcpt/contract/prices.ts';
import { refuse } from '../problems.ts';

export { type Decimal, decimal, divide, formatDecimal, multiply } from '@rcpt/contract/money.ts';

/** The rate in cents per hour. Throws `gpu_unpriced`. */
export function hourlyCents(gpu_sku: string): Decimal {
  return multiply(decimal(priceOf(gpu_sku).hourly_rate_usd), decimal(100));
}

/** Throws `gpu_unpriced`. */
export function priceOf(gpu_sku: string) {
  const price = gpuPrice(gpu_sku);
  if (price === null)
    throw refuse(
      'gpu_unpriced',
      `There is no price for ${JSON.stringify(gpu_sku)}; GET /compute/inventory lists what there is.`,
    );
  return price;
}

/** Rate × hours. Throws `gpu_unpriced`. */
export function quoteCents(gpu_sku: string, hours: number): number {
  return toCents(multiply(hourlyCents(gpu_sku), decimal(hours)));
}

/** Whole cents, half to even. */
export function toCents(cents: Decimal): number {
  return Number(round(cents, 0).unscaled);
}

/** `"10.00"`. */
export function usd(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The JSON number of a whole number of cents. */
export function usdNumber(cents: number): number {
  return Number(usd(cents));
}
