/** What things cost: server-side rates only, exact decimals, whole cents. */
import { costOfHours, costOfSeconds, type Decimal, decimal } from '@rcpt/contract/money.ts';
import { gpuPrice } from '@rcpt/contract/prices.ts';
import { refuse } from '../problems.ts';

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
  return wholeCents(costOfHours(rateOf(gpu_sku), decimal(hours)));
}

/** Rate × hours to six places. Throws `gpu_unpriced`. */
export function meteredCents(gpu_sku: string, seconds: number): number {
  return wholeCents(costOfSeconds(rateOf(gpu_sku), decimal(seconds)));
}

/** USD per hour. Throws `gpu_unpriced`. */
function rateOf(gpu_sku: string): Decimal {
  return decimal(priceOf(gpu_sku).hourly_rate_usd);
}

/** Of an amount with two decimals. */
function wholeCents({ unscaled }: Decimal): number {
  return Number(unscaled);
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
