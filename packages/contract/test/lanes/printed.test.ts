import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printReceipt } from '../../src/lanes/print-receipt.ts';
import { instant } from '../../src/lanes/printed.ts';

test('an instant is printed with all digits that were sealed', () => {
  assert.equal(instant('2026-05-29T20:14:33.123Z'), '29 May 2026, 20:14:33.123 UTC');
  assert.equal(instant('2026-05-29T20:14:33.000Z'), '29 May 2026, 20:14:33.000 UTC');
  assert.equal(instant('2026-05-29T20:14:33Z'), '29 May 2026, 20:14:33 UTC');
  assert.notEqual(instant('2026-05-29T20:14:33.123Z'), instant('2026-05-29T20:14:33.124Z'));
});

test('what is no instant is printed as it stands', () => {
  for (const text of ['2026-13-29T20:14:33.123Z', '2026-05-29T20:14:33.Z', 'yesterday'])
    assert.equal(instant(text), text);
  assert.equal(instant(7), '—');
});

test('each instant that a lane seals is printed to the millisecond', () => {
  const at = '2026-05-29T20:14:33.123Z';
  const said = (schema: string, blocks: object) => JSON.stringify(printReceipt({ schema, ...blocks }));
  for (const printed of [
    said('service.receipt/v1', { approval: { approved_at: at } }),
    said('service.incident-receipt/v1', { incident: { opened_at: at } }),
    said('service.dataset-download-receipt/v1', { package: { expires_at: at } }),
    said('service.model-pin-receipt/v1', { model: { pinned_at: at } }),
    said('service.cook-receipt/v1', { pinned_model: { pinned_at: at } }),
  ])
    assert.match(printed, /29 May 2026, 20:14:33\.123 UTC/);
});
