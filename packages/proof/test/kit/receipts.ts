/** Receipts for tests, and a chain of them that holds. */
import type { JsonObject } from '../../src/canonical.ts';
import { GENESIS_HASH } from '../../src/chain.ts';
import { receiptIdSuffix, seal } from '../../src/receipt.ts';
import type { ReceiptRecord } from '../../src/record.ts';

export interface Row {
  text: string;
  record: Required<ReceiptRecord>;
}

export type Payload = Record<string, unknown> & { org_seq: number; parent_hash: string };

/** A payload of the generic lane. */
export function payloadOf(org_seq: number, parent_hash: string, more: object = {}): Payload {
  const run_id = `run_${org_seq}`;
  return {
    schema: 'service.receipt/v1',
    receipt_id: `RCPT-${String(org_seq).padStart(6, '0')}-${receiptIdSuffix(run_id)}`,
    org_seq,
    parent_hash,
    created_at: '2026-05-29T20:14:33.123Z',
    organization: { id: 'org_1', name: 'Example Laboratories' },
    run: { id: run_id, lane: 'generic', title: 'A title', inputs: { task: 'say "hello"\n' } },
    share_url: `https://ledger.example/share/token_${org_seq}`,
    ...more,
  };
}

/** Sealed, with the columns stored beside it. */
export function rowOf(payload: Payload): Row {
  const { canonical, receipt_sha256 } = seal(payload);
  const { org_seq, parent_hash, receipt_id, schema, created_at } = payload as unknown as Required<ReceiptRecord>;
  const share_token = `token_${org_seq}`;
  const run_id = `run_${org_seq}`;
  const columns = { org_seq, parent_hash, receipt_id, schema, created_at, receipt_sha256, share_token, run_id };
  const record = { ...columns, blocks: blocksOf(payload) };
  return { text: canonical, record };
}

/** As the Run's own records would make them. */
function blocksOf(payload: Payload): JsonObject {
  const { schema, receipt_id, org_seq, parent_hash, created_at, organization, share_url, ...blocks } = payload;
  return structuredClone(blocks) as JsonObject;
}

export function chainOf(length: number, more: (org_seq: number) => object = () => ({})): Row[] {
  const rows: Row[] = [];
  for (let i = 0; i < length; i++) {
    rows.push(rowOf(payloadOf(i, rows.at(-1)?.record.receipt_sha256 ?? GENESIS_HASH, more(i))));
  }
  return rows;
}

/** The stored text with one member changed and nothing resealed. */
export function altered(row: Row, change: object): Row {
  const payload = JSON.parse(row.text);
  const { receipt_sha256, ...rest } = { ...payload, ...change };
  const text = seal(rest).canonical.replace(/"receipt_sha256":"[0-9a-f]{64}"/, `"receipt_sha256":"${receipt_sha256}"`);
  return { text, record: row.record };
}
