import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANNUAL_MEMBERSHIP_USD } from '../src/membership.ts';
import { DEFAULT_PRICES, type GpuPrice, Price, priceOfRow, priceTable, showPrice } from '../src/prices.ts';

const row = (gpu_type: string, hourly_rate_usd: string): GpuPrice => ({
  gpu_type,
  gpu_name: `The ${gpu_type}`,
  vram_gb: 0,
  hourly_rate_usd,
});

test('the two nodes and the membership have the published prices', () => {
  const prices = priceTable(DEFAULT_PRICES);
  assert.equal(prices.of('rtx6000_blackwell_96gb')?.hourly_rate_usd, '5.00');
  assert.equal(prices.of('rog_astral_5090_32gb')?.hourly_rate_usd, '2.00');
  assert.equal(ANNUAL_MEMBERSHIP_USD, '100.00');
  assert.deepEqual(
    [prices.of('rtx6000_blackwell_96gb')?.vram_gb, prices.of('rog_astral_5090_32gb')?.gpu_name],
    [96, 'ASUS ROG Astral RTX 5090 32GB'],
  );
});

test('a GPU without a price has none, whatever it is called', () => {
  const prices = priceTable(DEFAULT_PRICES);
  for (const name of ['', 'h100', 'constructor', '__proto__', 'toString']) assert.equal(prices.of(name), null);
});

test('a later row replaces the one of its type, others are added behind', () => {
  const { rows, of } = priceTable([row('a', '1.00'), row('b', '2.00'), row('a', '3.00'), row('c', '4.00')]);
  assert.deepEqual(
    rows.map(({ gpu_type, hourly_rate_usd }) => [gpu_type, hourly_rate_usd]),
    [
      ['a', '3.00'],
      ['b', '2.00'],
      ['c', '4.00'],
    ],
  );
  assert.equal(of('a')?.hourly_rate_usd, '3.00');
});

test('a row goes over the wire and comes back as it was', () => {
  for (const rate of ['0.00', '0.07', '2.00', '19.90', '1000000.00'])
    assert.deepEqual(priceOfRow(Price.parse(showPrice(row('a', rate)))), row('a', rate));
  for (const hourly_rate_usd of [0.001, -1, 1e-7, 1_000_001, Number.NaN])
    assert.equal(Price.safeParse({ ...row('a', '1.00'), hourly_rate_usd }).success, false, String(hourly_rate_usd));
});
