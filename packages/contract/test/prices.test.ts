import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUsd } from '../src/money.ts';
import { ANNUAL_MEMBERSHIP_USD, gpuPrice, hourlyRate } from '../src/prices.ts';

test('the two nodes and the membership have the published prices', () => {
  assert.equal(formatUsd(hourlyRate('rtx6000_blackwell_96gb')!), '5.00');
  assert.equal(formatUsd(hourlyRate('rog_astral_5090_32gb')!), '2.00');
  assert.equal(ANNUAL_MEMBERSHIP_USD, '100.00');
  assert.deepEqual(
    [gpuPrice('rtx6000_blackwell_96gb')?.vram_gb, gpuPrice('rog_astral_5090_32gb')?.gpu_name],
    [96, 'ASUS ROG Astral RTX 5090 32GB'],
  );
});

test('a GPU without a price has none, whatever it is called', () => {
  for (const name of ['', 'h100', 'constructor', '__proto__', 'toString']) assert.equal(hourlyRate(name), null);
});
