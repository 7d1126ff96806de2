/** The receipts ledger once more, written from docs/spec.md §9 alone: a test that used the router's own sealing would not notice its mistakes. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalText, sha256 } from '../../../ledger/test/kit/independent.ts';

export interface Receipt {
  receipt_id: string;
  receipt_type: string;
  member_id: string;
  job_id: string | null;
  dataset_ids: string[];
  amount_usd: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what it reads
  metadata: any;
  created_at: string;
  checksum_sha256: string;
}

const MEMBERS = [
  'amount_usd',
  'checksum_sha256',
  'created_at',
  'dataset_ids',
  'job_id',
  'member_id',
  'metadata',
  'receipt_id',
  'receipt_type',
];
const FILE = /^\d{4}-\d{2}-\d{2}\.receipts\.jsonl$/;

/** Every receipts file of the folder, by name. */
export function filesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => FILE.test(name))
        .sort()
    : [];
}

/** One line: canonical bytes, exactly the members of docs/spec.md §9.1, and the checksum recomputed. */
export function assertReceiptLine(line: string): Receipt {
  const receipt = JSON.parse(line) as Receipt;
  assert.equal(line, canonicalText(receipt), 'a line is canonical bytes');
  assert.deepEqual(Object.keys(receipt), MEMBERS);
  const { checksum_sha256, ...rest } = receipt;
  assert.equal(checksum_sha256, sha256(canonicalText(rest)));
  assert.match(receipt.receipt_id, /^rcpt_[A-Za-z0-9]+$/);
  assert.match(receipt.amount_usd, /^\d+\.\d{2}$/);
  assert.match(receipt.created_at, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}\+00:00$/);
  return receipt;
}

/** All receipts of a folder in file order; each stands in the file of its own UTC date, and nowhere a second time. */
export function receiptsIn(folder: string): Receipt[] {
  const seen = new Set<string>();
  return filesIn(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    assert.ok(text === '' || text.endsWith('\n'), `${name} ends in a torn line`);
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const receipt = assertReceiptLine(line);
        assert.equal(`${receipt.created_at.slice(0, 10)}.receipts.jsonl`, name);
        assert.ok(!seen.has(receipt.receipt_id), `${receipt.receipt_id} stands twice`);
        seen.add(receipt.receipt_id);
        return receipt;
      });
  });
}

/** `fine_tune_job created 10.00`, `job_leased 0.00`: what the contract's table says of a receipt. */
export function inShort({ receipt_type, metadata, amount_usd }: Receipt): string {
  const phase = receipt_type.endsWith('_job') ? ` ${metadata.phase}` : '';
  return `${receipt_type}${phase} ${amount_usd}`;
}
