/** What hours on a GPU will cost, before the router is asked: the same rates, the same exact arithmetic. Pure. */
import { decimal, formatUsd, multiply } from '@rcpt/contract/money.ts';
import type { Price } from '@rcpt/contract/prices.ts';

/** Typed hours; null unless they are more than none and at most a year. */
export function hoursOf(typed: string): number | null {
  const hours = Number(typed.trim().replace(',', '.'));
  return typed.trim() !== '' && hours > 0 && hours <= 8784 ? hours : null;
}

/** `10.00` */
export function costOf({ hourly_rate_usd }: Pick<Price, 'hourly_rate_usd'>, hours: number): string {
  return formatUsd(multiply(decimal(hourly_rate_usd), decimal(hours)));
}

/** A row of the price table, and whether any node is of that type. */
export interface Offer extends Price {
  there: boolean;
}

/** What is there goes first: a rate alone is no machine. */
export function offersOf(prices: readonly Price[], nodes: readonly { gpu_type: string }[]): Offer[] {
  const there = new Set(nodes.map(({ gpu_type }) => gpu_type));
  const offers = prices.map((price) => ({ ...price, there: there.has(price.gpu_type) }));
  return [...offers.filter((offer) => offer.there), ...offers.filter((offer) => !offer.there)];
}

/** `5.00 USD/h` */
export function rateWords(hourly_rate_usd: number): string {
  return `${hourly_rate_usd.toFixed(2)} USD/h`;
}

/** A typed JSON object, or a sentence where it is none. An empty text is an empty object. */
export function payloadOf(typed: string): { payload: Record<string, unknown> } | { wrong: string } {
  if (typed.trim() === '') return { payload: {} };
  try {
    const payload: unknown = JSON.parse(typed);
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload))
      return { payload: payload as Record<string, unknown> };
    return { wrong: 'This has to be a JSON object, such as {"base_model": "acme/tiny-1b"}.' };
  } catch (error) {
    return { wrong: `This is no JSON: ${(error as Error).message}` };
  }
}
