import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '../src/canonical.ts';
import {
  ROUTER_RECEIPT_TYPES,
  RouterLedgerVerifier,
  type RouterRecord,
  sealRouterReceipt,
  verifyRouterLine,
} from '../src/router-ledger.ts';
import { sha256Hex } from '../src/sha256.ts';

const record = (more: object = {}): RouterRecord => ({
  receipt_id: 'rcpt_1',
  receipt_type: 'compute_quote',
  member_id: 'mem_1',
  job_id: null,
  dataset_ids: ['ds_1'],
  amount_usd: '10.00',
  metadata: { hourly_rate_usd: '5.00' },
  created_at: '2026-05-29T20:00:00.000+00:00',
  ...more,
});

/** Sealed without being looked at, as a forger would. */
function sealedAsIs(value: object): string {
  return canonicalize({ ...value, checksum_sha256: sha256Hex(canonicalize(value)) });
}

test('a sealed line is canonical, carries the checksum of the rest, and verifies', () => {
  for (const receipt_type of ROUTER_RECEIPT_TYPES) {
    const line = sealRouterReceipt(record({ receipt_type }));
    const { checksum_sha256, ...rest } = JSON.parse(line);
    assert.equal(checksum_sha256, sha256Hex(canonicalize(rest)));
    assert.equal(line, canonicalize(JSON.parse(line)));
    assert.deepEqual(verifyRouterLine(line), { ok: true, receipt_id: 'rcpt_1', record: rest, violation: null });
  }
});

test('a fraction is not sealed, however deep; a line that holds one from before still verifies', () => {
  for (const [metadata, where] of [
    [{ estimated_hours: 0.5 }, '/metadata/estimated_hours'],
    [{ steps: 3, deep: [{ loss: [1, -2.25e-7] }] }, '/metadata/deep/0/loss/1'],
  ] as const) {
    const old = record({ metadata });
    assert.throws(() => sealRouterReceipt(old), { name: 'ProofError', code: 'invalid_record', path: where });
    assert.equal(verifyRouterLine(sealedAsIs(old)).ok, true);
  }
  const whole = record({
    metadata: { billed_seconds: 9, bytes: Number.MAX_SAFE_INTEGER, hours: '0.50', nothing: null },
  });
  assert.equal(verifyRouterLine(sealRouterReceipt(whole)).ok, true);
});

test('a member missing, unknown or of another form is neither sealed nor verified', () => {
  const wrong: object[] = [
    { receipt_id: 'RCPT-1' },
    { receipt_type: 'refund' },
    { member_id: null },
    { job_id: 5 },
    { dataset_ids: 'ds_1' },
    { dataset_ids: [1] },
    { amount_usd: '10.0' },
    { amount_usd: 10 },
    { amount_usd: '+1.00' },
    { metadata: [] },
    { created_at: '2026-05-29T20:00:00.000Z' },
    { created_at: '' },
    { created_at: null },
    { created_at: '2026-02-30T20:00:00.000+00:00' },
    { seq: 1 },
    { parent_hash: '0'.repeat(64) },
  ];
  for (const change of wrong) {
    const [name] = Object.keys(change);
    const path = `/${name}`;
    assert.throws(() => sealRouterReceipt(record(change)), { code: 'invalid_record', path });
    const { ok, violation } = verifyRouterLine(sealedAsIs(record(change)));
    assert.deepEqual([ok, violation?.kind, violation?.expected], [false, 'payload_altered', name]);
  }
  const { job_id: _, ...incomplete } = record();
  assert.equal(verifyRouterLine(sealedAsIs(incomplete)).violation?.expected, 'job_id');
});

test('a negative amount and an instant without a fraction are well-formed', () => {
  const line = sealRouterReceipt(record({ amount_usd: '-0.50', created_at: '2026-05-29T20:00:00+00:00' }));
  assert(verifyRouterLine(line).ok);
});

test('no change of one character goes unnoticed', () => {
  const line = sealRouterReceipt(record());
  for (let at = 0; at < line.length; at++)
    for (const character of '0a"{}:,x\\') {
      if (line[at] === character) continue;
      const altered = line.slice(0, at) + character + line.slice(at + 1);
      assert.equal(verifyRouterLine(altered).ok, false, altered);
    }
});

test('a line formatted otherwise says the same', () => {
  assert(verifyRouterLine(JSON.stringify(JSON.parse(sealRouterReceipt(record())), null, 1).replaceAll('\n', ' ')).ok);
});

test('a file names what is altered, torn or doubled, with file, line and receipt', () => {
  const lines = ['rcpt_1', 'rcpt_2', 'rcpt_3'].map((receipt_id) => sealRouterReceipt(record({ receipt_id })));
  const verifier = new RouterLedgerVerifier();
  verifier.startFile('2026-05-29.receipts.jsonl');
  verifier.push(lines[0]!);
  verifier.push(lines[1]!.replace('10.00', '10.01'));
  verifier.push(lines[0]!);
  verifier.push('');
  verifier.push(lines[2]!, false);
  verifier.startFile('2026-05-30.receipts.jsonl');
  verifier.push(new TextEncoder().encode(lines[0]!));
  verifier.push(lines[2]!.slice(0, 40), false);
  const { ok, receipts_checked, violation, violations } = verifier.finish();
  assert.deepEqual([ok, receipts_checked, violation], [false, 7, violations[0]]);
  assert.deepEqual(
    violations.map(({ kind, file, line, receipt_id }) => [kind, file.slice(8, 10), line, receipt_id]),
    [
      ['payload_altered', '29', 2, 'rcpt_2'],
      ['duplicate_receipt', '29', 3, 'rcpt_1'],
      ['torn_line', '29', 4, null],
      ['torn_line', '29', 5, 'rcpt_3'],
      ['torn_line', '30', 2, null],
    ],
  );
});
