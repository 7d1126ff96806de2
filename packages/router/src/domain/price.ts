/** What things cost: server-side rates only, exact decimals, whole cents. */
import { costOfHours, costOfSeconds, type Decimal, decimal } from '@rcpt/contract/money.ts';
import type { GpuPrice, PriceTable } from '@rcpt/contract/prices.ts';
import { refuse } from '../problems.ts';

/** Throws `gpu_unpriced`. */
export function priceOf(prices: PriceTable, gpu_sku: string): GpuPrice {
  const price = prices.of(gpu_sku);
  if (price === null)
    throw refuse(
      'gpu_unpriced',
      `There is no price for ${JSON.stringify(gpu_sku)}; GET /compute/prices lists what has one.`,
    );
  return price;
}

/** Rate × hours. */
export function quoteCents(hourly_rate_usd: string, hours: number): number {
  return wholeCents(costOfHours(decimal(hourly_rate_usd), decimal(hours)));
}

/** Rate × hours to six places. */
export function meteredCents(hourly_rate_usd: string, seconds: number): number {
  return wholeCents(costOfSeconds(decimal(hourly_rate_usd), decimal(seconds)));
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
