/**
 * Looking through a chain without an index of its own, so that minting pays for none: ids, hashes and dates are found by
 * the keys the chain has; titles and lanes are read, newest first, a bounded stretch per call and a window at a time.
 */
import { LANES, laneBySchema } from '@rcpt/contract/lanes/registry.ts';
import type { ReceiptPage, ReceiptQuery, ReceiptSummary } from '@rcpt/contract/ledger/search.ts';
import { type LaneName, Outcome, type SchemaId } from '@rcpt/contract/vocabulary.ts';
import { Instant } from '@rcpt/contract/wire.ts';
import { receiptIdOf } from '@rcpt/proof/receipt.ts';
import type { Queries, Value } from '@rcpt/service/db/db.ts';
import { isPartOf, type Sought, soughtBy } from '../chain/search-terms.ts';
import { ORG_SEQ, readHead } from './audit.ts';
import { readEnd } from './chains.ts';
import { loadSignedEnd } from './logs.ts';
import { STRETCH_ROWS, WINDOW_ROWS } from './page.ts';

/** The most receipts whose hash begins in the same way. */
const SAME_PREFIX = 100;
const DAY_MS = 86_400_000;
/** Instants are compared as text, and a year of five digits would sort first. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A receipt's record, never its payload, which may be large or tampered with. */
interface Receipt {
  org_seq: number;
  run_id: string;
  schema: string;
  receipt_sha256: string;
  parent_hash: string;
  share_token: string;
}

/** Of its Run; null when the Run was deleted. */
interface Row extends Receipt {
  lane: LaneName | null;
  title: string | null;
  verdict: string | null;
  minted_at: string | null;
}

/** The part of the chain that is looked at: `lowest` ≤ org_seq < `before`, of one lane or all. */
interface Span {
  organization_id: string;
  lowest: number;
  before: number;
  schema: SchemaId | null;
}

const SELECT = 'select org_seq, run_id, schema, receipt_sha256, parent_hash, share_token from receipts';

/** Newest first; before them, on the first page, what the search names by an id, a number or a hash. */
export async function searchReceipts(
  db: Queries,
  organization_id: string,
  query: ReceiptQuery,
  base_url: string,
): Promise<ReceiptPage> {
  const head_seq = (await readHead(db, organization_id))?.org_seq ?? null;
  const span = await spanOf(db, organization_id, query, head_seq ?? -1);
  const sought = query.search?.trim() ? soughtBy(query.search) : null;
  const named = sought === null ? [] : await receiptsNamed(db, span, sought);
  const first = query.before_seq === undefined ? named : [];
  const { rows, next_before_seq } =
    sought?.title === null
      ? { rows: first, next_before_seq: null }
      : await readTitles(db, span, { first, named, words: sought?.title ?? '', limit: query.limit });
  return { receipts: rows.map((row) => summaryOf(row, base_url)), next_before_seq, head_seq };
}

interface Wanted {
  /** Stand on this page already. */
  first: Row[];
  /** Stand on the first page, and on no other. */
  named: Row[];
  words: string;
  limit: number;
}

async function readTitles(
  db: Queries,
  span: Span,
  { first, named, words, limit }: Wanted,
): Promise<{ rows: Row[]; next_before_seq: number | null }> {
  const window = words === '' && span.schema === null ? limit + 1 : WINDOW_ROWS;
  const known = new Set(named.map((row) => row.org_seq));
  const rows = [...first];
  let { before } = span;
  for (let read = 0; read < STRETCH_ROWS; read += window) {
    const next = await readWindow(db, { ...span, before }, window);
    for (const row of next.rows) {
      if (rows.length >= limit) return { rows, next_before_seq: row.org_seq + 1 };
      if (!known.has(row.org_seq) && isPartOf(row.title ?? '', words)) rows.push(row);
    }
    if (next.before === null) return { rows, next_before_seq: null };
    before = next.before;
    await new Promise((lap) => setImmediate(lap));
  }
  return { rows, next_before_seq: before };
}

/** Of the span's lane, among the next `most` receipts of the chain; `before` is where to go on, null at the span's end. */
async function readWindow(
  db: Queries,
  { organization_id, lowest, before, schema }: Span,
  most: number,
): Promise<{ rows: Row[]; before: number | null }> {
  const window = await db.all<Receipt>(
    `${SELECT} where organization_id = $1 and org_seq < $2 and org_seq >= $3 order by org_seq desc limit $4`,
    [organization_id, before, lowest, most],
  );
  const ofLane = window.filter((row) => (schema ?? row.schema) === row.schema);
  return {
    rows: await withRuns(db, organization_id, ofLane),
    before: window.length < most ? null : window.at(-1)!.org_seq,
  };
}

/**
 * Not by a join: PostgreSQL would keep the plan it made when both tables were empty. A Run is not changed once its receipt
 * is minted, so `updated_at` is the receipt's `created_at`.
 */
async function withRuns(db: Queries, organization_id: string, receipts: Receipt[]): Promise<Row[]> {
  const runs = await db.all<Pick<Row, 'lane' | 'title' | 'verdict' | 'minted_at'> & { id: string }>(
    `select id, lane, title, verdict, updated_at as minted_at from runs where organization_id = $1 and id ${db.dialect.isAmong('$2')}`,
    [organization_id, JSON.stringify(receipts.map((receipt) => receipt.run_id))],
  );
  const known = new Map(runs.map((run) => [run.id, run]));
  return receipts.map((receipt) => ({ ...NO_RUN, ...known.get(receipt.run_id), ...receipt }));
}

const NO_RUN = { lane: null, title: null, verdict: null, minted_at: null };

/** What the search names by an id, a number or a hash, newest first. */
async function receiptsNamed(db: Queries, span: Span, sought: Sought): Promise<Row[]> {
  const found: number[] = [];
  const add = async (sql: string, ...params: Value[]) => {
    const rows = await db.all<{ org_seq: number }>(sql, [span.organization_id, ...params]);
    found.push(...rows.map((row) => row.org_seq));
  };
  const { org_seq, hash_prefix, run_id, share_token } = sought;
  const of = 'from receipts where organization_id = $1 and';
  if (org_seq !== null) found.push(org_seq);
  if (run_id !== null) await add(`select org_seq ${of} run_id = $2`, run_id);
  if (share_token !== null) await add(`select org_seq ${of} share_token = $2`, share_token);
  if (hash_prefix !== null) {
    // Who has this hash is said by the receipt that names it as its parent, and of the last one by the head.
    const after = [hash_prefix, `${hash_prefix}g`];
    await add(
      `select ${ORG_SEQ} - 1 as org_seq ${of} parent_hash >= $2 and parent_hash < $3 limit ${SAME_PREFIX}`,
      ...after,
    );
    const head = await readHead(db, span.organization_id);
    if (head?.receipt_sha256.startsWith(hash_prefix)) found.push(head.org_seq);
  }
  const rows = await rowsAt(db, span, found);
  return rows.filter((row) => receiptIdOf(row.org_seq, row.run_id).toLowerCase().startsWith(sought.receipt_id));
}

async function rowsAt(db: Queries, { organization_id, lowest, before, schema }: Span, seqs: number[]): Promise<Row[]> {
  const found: Receipt[] = [];
  for (const seq of new Set(seqs)) {
    const row = await db.get<Receipt>(`${SELECT} where organization_id = $1 and org_seq = $2`, [organization_id, seq]);
    if (row !== undefined && seq >= lowest && seq < before && (schema ?? row.schema) === row.schema) found.push(row);
  }
  return withRuns(
    db,
    organization_id,
    found.sort((a, b) => b.org_seq - a.org_seq),
  );
}

async function spanOf(
  db: Queries,
  organization_id: string,
  { lane, from, to, before_seq = Number.MAX_SAFE_INTEGER }: ReceiptQuery,
  head_seq: number,
): Promise<Span> {
  const firstAt = (ms: number) =>
    firstMintedAt(db, organization_id, head_seq, new Date(Math.min(ms, LAST_MS)).toISOString());
  const lowest = from === undefined ? 0 : await firstAt(Date.parse(from));
  const end = to === undefined ? null : await firstAt(Date.parse(to) + (to.includes('T') ? 0 : DAY_MS));
  const before = end === null ? before_seq : Math.min(end, before_seq);
  return { organization_id, lowest, before, schema: lane === undefined ? null : LANES[lane].schema };
}

/** The positions minted in `from_at` ≤ instant < `to_at`: from the first up to, not including, the second. */
export async function positionsBetween(
  db: Queries,
  organization_id: string,
  { from_at, to_at }: { from_at: string; to_at: string },
): Promise<{ from: number; before: number }> {
  const { head, last_seq } = await readEnd(db, organization_id);
  const signed = await loadSignedEnd(db, organization_id, 'receipts');
  // Also those that were deleted since they were signed; a head or a row that was put far out does not count.
  const known = Math.max(last_seq, (signed?.size ?? 0) - 1);
  const last = Math.min(head?.org_seq ?? known, known);
  const from = await firstMintedAt(db, organization_id, last, from_at);
  return { from, before: Math.max(from, await firstMintedAt(db, organization_id, last, to_at)) };
}

/**
 * The lowest position minted at or after `instant`, by bisection: positions grow with time. Where the service's clock was
 * set back, receipts around that instant may stand on the other side.
 */
async function firstMintedAt(db: Queries, organization_id: string, head_seq: number, instant: string): Promise<number> {
  let low = 0;
  let high = head_seq + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [receipt] = await db.all<Receipt>(
      `${SELECT} where organization_id = $1 and org_seq <= $2 order by org_seq desc limit 1`,
      [organization_id, middle],
    );
    const [row] = receipt === undefined ? [] : await withRuns(db, organization_id, [receipt]);
    if ((row?.minted_at ?? '') < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

function summaryOf(row: Row, base_url: string): ReceiptSummary {
  const { org_seq, run_id, schema, receipt_sha256, parent_hash, share_token } = row;
  const lane = laneBySchema(schema);
  return {
    receipt_id: receiptIdOf(org_seq, run_id),
    org_seq,
    run_id,
    lane: lane?.name ?? row.lane ?? 'generic',
    schema: schema as SchemaId,
    title: row.title ?? '',
    outcome: lane !== undefined && 'verdict' in lane.blocks.shape ? outcomeOf(row.verdict) : null,
    created_at: Instant.safeParse(row.minted_at).data ?? NO_INSTANT,
    receipt_sha256,
    parent_hash,
    share_url: `${base_url}/share/${share_token}`,
  };
}

/** Null as well where the Run was altered. */
function outcomeOf(verdict: string | null): Outcome | null {
  try {
    return Outcome.safeParse(JSON.parse(verdict ?? '{}').outcome).data ?? null;
  } catch {
    return null;
  }
}

/** Of a receipt whose Run was deleted: it is listed nevertheless. */
const NO_INSTANT = '1970-01-01T00:00:00.000Z';
