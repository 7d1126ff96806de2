/** The list of all receipts of a period, a line each, also of those that were altered or are missing. */
import { createHash } from 'node:crypto';
import { printReceipt, textOf } from '@rcpt/contract/lanes/print-receipt.ts';
import { laneBySchema } from '@rcpt/contract/lanes/registry.ts';
import { shownLine } from '@rcpt/contract/shown.ts';
import type { PackRow } from '../store/pack.ts';
import { BYTE_ORDER_MARK, csvLine } from './csv.ts';
import { judge } from './judge.ts';
import { inPages, type Missing, type Packing } from './packing.ts';

const COLUMNS = [
  'org_seq',
  'receipt_id',
  'created_at',
  'lane',
  'schema',
  'title',
  'verdict',
  'approver',
  'approver_id',
  'receipt_sha256',
  'parent_hash',
  'file_sha256',
  'state',
  'share_url',
  'share_state',
  'share_changed_at',
] as const;
type Line = Record<(typeof COLUMNS)[number], string | number>;

const TITLE_CHARACTERS = 500;

export async function* receiptList(packing: Packing): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine(COLUMNS)}`;
  for await (const page of inPages(packing, (place) => lineOf(packing, place))) yield page.join('');
}

async function lineOf(packing: Packing, place: PackRow | Missing): Promise<string> {
  const line = place.payload === null ? missing(place.org_seq) : await stored(packing, place);
  return csvLine(COLUMNS.map((column) => line[column]));
}

function missing(org_seq: number): Line {
  const empty = Object.fromEntries(COLUMNS.map((column) => [column, ''])) as Line;
  return { ...empty, org_seq, state: 'missing' };
}

/** What an altered receipt says is its claim: `state` tells. */
async function stored(packing: Packing, row: PackRow): Promise<Line> {
  const { bytes, verdict, fault } = await judge(packing, row);
  const payload = verdict.payload ?? {};
  const { title, approval } = printReceipt(payload);
  const { outcome } = (payload.verdict ?? {}) as { outcome?: unknown };
  const text = (value: unknown) => shownLine(textOf(value), TITLE_CHARACTERS);
  return {
    org_seq: row.org_seq,
    receipt_id: row.receipt_id,
    created_at: text(payload.created_at),
    lane: laneBySchema(textOf(payload.schema))?.name ?? '',
    schema: text(payload.schema),
    title: text(title),
    verdict: text(outcome),
    approver: text(approval?.by?.name),
    approver_id: text(approval?.by?.id),
    receipt_sha256: text(payload.receipt_sha256),
    parent_hash: text(payload.parent_hash),
    file_sha256: createHash('sha256').update(bytes).digest('hex'),
    state: fault?.state ?? 'intact',
    share_url: `${packing.ledger.base_url}/share/${row.share_token}`,
    share_state: row.share.enabled ? 'on' : 'off',
    share_changed_at: row.share.changed_at ?? '',
  };
}
