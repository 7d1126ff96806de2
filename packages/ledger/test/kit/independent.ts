/**
 * The rules of the chain once more, written from docs/spec.md §4, §5, §7 alone and on node:crypto: a test that holds the ledger against its
 * own hashing would not notice when both are wrong.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Answer, Tenant } from './running.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
export type Receipt = any;

/** The members of every receipt, whatever its lane. */
export const ENVELOPE = [
  'schema',
  'receipt_id',
  'org_seq',
  'parent_hash',
  'created_at',
  'organization',
  'share_url',
  'receipt_sha256',
];

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Keys sorted, no whitespace. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const record = value as Record<string, unknown>;
  return `{${Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalText(record[key])}`)
    .join(',')}}`;
}

/** SHA-256 over the canonical JSON with `receipt_sha256` absent. */
export function hashOf(receipt: object): string {
  const { receipt_sha256: _, ...payload } = receipt as Receipt;
  return sha256(canonicalText(payload));
}

/** `payload` with its hash, as a forger who knows the rules would write it. */
export function sealed(payload: object): string {
  return canonicalText({ ...payload, receipt_sha256: hashOf(payload) });
}

/** Canonical bytes, and their hash. */
export function assertSealed(text: string): Receipt {
  const receipt: Receipt = JSON.parse(text);
  assert.equal(text, canonicalText(receipt), 'a receipt leaves as canonical bytes');
  assert.equal(receipt.receipt_sha256, hashOf(receipt));
  return receipt;
}

/** One receipt by itself: canonical bytes, its hash, the members and formats of the envelope (docs/spec.md §4). */
export function assertReceipt(text: string): Receipt {
  const receipt = assertSealed(text);
  assert.match(receipt.receipt_id, /^RCPT-\d{6,}-[0-9a-f]{8}$/);
  assert.equal(Number(receipt.receipt_id.split('-')[1]), receipt.org_seq);
  assert.equal(new Date(receipt.created_at).toISOString(), receipt.created_at);
  assert.match(receipt.parent_hash, /^[0-9a-f]{64}$/);
  assert.deepEqual(Object.keys(receipt.organization).sort(), ['id', 'name']);
  assert.match(receipt.share_url, /^https?:\/\/.+\/share\/[\w-]{22,}$/);
  for (const member of ENVELOPE) assert.ok(member in receipt, `lacks ${member}`);
  return receipt;
}

/**
 * A chain by its rules (docs/spec.md §7).
 * @param assertOne each by itself
 */
export function assertChain(lines: string[], assertOne = assertReceipt): Receipt[] {
  let parent_hash = '0'.repeat(64);
  return lines.map((line, position) => {
    const receipt = assertOne(line);
    assert.equal(receipt.org_seq, position, 'no gap');
    assert.equal(receipt.parent_hash, parent_hash, 'no fork');
    parent_hash = receipt.receipt_sha256;
    return receipt;
  });
}

/** The tenant's whole chain, verified by the ledger and, independently of it, here. */
export async function wholeChain(tenant: Tenant): Promise<Receipt[]> {
  const exported: Answer = await tenant.ask('auditor', 'GET', '/ledger', {
    headers: { accept: 'application/x-ndjson' },
  });
  assert.equal(exported.status, 200, exported.text);
  const receipts = assertChain(exported.text.split('\n').slice(0, -1));
  const last = receipts.at(-1);
  const report = await tenant.as('auditor')('GET', '/ledger/verify');
  assert.deepEqual(report, {
    ok: true,
    receipts_checked: receipts.length,
    head: last === undefined ? null : { org_seq: last.org_seq, receipt_sha256: last.receipt_sha256 },
    violation: null,
    violations: [],
  });
  for (const receipt of receipts) assert.equal(receipt.organization.id, tenant.organization_id);
  return receipts;
}
