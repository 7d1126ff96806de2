/** Verification of one organization's chain: one snapshot, one pass, constant memory. */
import type { VerifyProgress } from '@rcpt/contract/ledger/live.ts';
import { type ChainReport, ChainVerifier, MAX_VIOLATIONS } from '@rcpt/proof/chain.ts';
import type { Db, Queries, Snapshot } from '@rcpt/service/db/db.ts';
import {
  type AuditRow,
  auditRow,
  countMinted,
  missingReceipts,
  readHead,
  receiptIdAt,
  SCAN_CHAIN,
  SCAN_PINS,
} from '../store/audit.ts';
import { seqOfReceiptId } from '../store/chains.ts';
import { loadRunsAsStored } from '../store/runs.ts';
import { compareErasures } from './erasures.ts';
import { PinsSoFar, recordWithRun } from './run-record.ts';

/** Told so often at most while a chain is walked. */
const PROGRESS_MS = 100;
/** Receipts whose Runs are read together: so many at most, and fewer when they are large. */
const RUNS_AT_ONCE = 64;
const CHARACTERS_AT_ONCE = 262_144;

/** Is told how far a walk has come, first when it begins. The walk does not wait for it. */
export type Progress = (walked: VerifyProgress) => void;

/**
 * Every receipt of the chain against its own bytes, its record and its Run, its predecessor and, at the end, the recorded
 * head. Holds its thread as long as a receipt takes. Throws `database_unavailable`.
 */
export function verifyChain(
  db: Pick<Db, 'snapshot'>,
  organization_id: string,
  progress: Progress = () => {},
): Promise<ChainReport> {
  return db.snapshot(async (read) => {
    const head = await readHead(read, organization_id);
    const verifier = new ChainVerifier(organization_id);
    const pins = new PinsSoFar(read, organization_id);
    const receipts = head === null ? 0 : head.org_seq + 1;
    let receipts_checked = 0;
    let told_at = performance.now();
    progress({ receipts_checked, receipts });
    for await (const batch of read.scan(SCAN_CHAIN, [organization_id]))
      for (const rows of groupsOf(batch.map(auditRow))) {
        await verifyGroup(read, organization_id, rows, verifier, pins);
        receipts_checked += rows.length;
        if (performance.now() - told_at < PROGRESS_MS) continue;
        told_at = performance.now();
        progress({ receipts_checked, receipts });
      }
    // Of a chain that is not whole its pins are not known: it is blamed for what it lacks.
    const isWhole = verifier.endsAt(head);
    if (isWhole && verifier.isUnbroken) {
      await comparePins(read, organization_id, pins, verifier);
      await compareRuns(read, organization_id, receipts_checked, verifier);
    }
    await compareErasures(read, organization_id, verifier);
    if (head === null || isWhole) return verifier.finish(head);
    return verifier.finish({ ...head, receipt_id: await receiptIdAt(read, organization_id, head.org_seq) });
  });
}

function* groupsOf(rows: AuditRow[]): Generator<AuditRow[]> {
  let group: AuditRow[] = [];
  let characters = 0;
  for (const row of rows) {
    group.push(row);
    characters += row.payload.length;
    if (group.length < RUNS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield group;
    group = [];
    characters = 0;
  }
  if (group.length > 0) yield group;
}

/** Each receipt against its bytes, its predecessor, its columns and its Run. */
async function verifyGroup(
  read: Queries,
  organization_id: string,
  rows: AuditRow[],
  verifier: ChainVerifier,
  pins: PinsSoFar,
): Promise<void> {
  const ids = rows.map(({ record }) => record.run_id!);
  const runs = await loadRunsAsStored(read, organization_id, ids);
  for (const { payload, record } of rows) {
    const run = runs.get(record.run_id!);
    const beside = await recordWithRun(record, payload, run, pins, verifier.isUnbroken);
    verifier.push(payload, beside);
    if (verifier.isUnbroken && typeof payload === 'string') pins.passed(payload, record.org_seq!);
  }
}

/** The mint looks up the most recent pin in a table of its own: that must name the last pin of each slug, and no other. */
async function comparePins(
  read: Snapshot,
  organization_id: string,
  { places, isWhole }: PinsSoFar,
  verifier: ChainVerifier,
): Promise<void> {
  if (!isWhole) return;
  const unrecorded = new Map(places);
  const differing: [slug: string, place: number | null, recorded: number | null][] = [];
  for await (const batch of read.scan(SCAN_PINS, [organization_id]))
    for (const [slug, recorded] of batch as [string, number | null][]) {
      const place = places.get(slug) ?? null;
      if (place === null || place !== recorded) differing.push([slug, place, recorded]);
      unrecorded.delete(slug);
    }
  for (const [slug, place] of unrecorded) differing.push([slug, place, null]);
  for (const [slug, expected, actual] of differing.slice(0, MAX_VIOLATIONS)) {
    const receipt_id = expected === null ? null : await receiptIdAt(read, organization_id, expected);
    const detail = `the last pin of ${slug} stands elsewhere than recorded`;
    verifier.blame({ org_seq: expected, receipt_id }, { expected, actual, detail });
  }
}

/** A tail that was cut off together with its head: the Runs still say that they have a receipt. */
async function compareRuns(
  read: Queries,
  organization_id: string,
  receipts_checked: number,
  verifier: ChainVerifier,
): Promise<void> {
  if ((await countMinted(read, organization_id)) === receipts_checked) return;
  for (const receipt_id of await missingReceipts(read, organization_id, MAX_VIOLATIONS)) {
    const detail = 'a Run has this receipt, and the chain does not';
    const org_seq = seqOfReceiptId(receipt_id);
    verifier.blame(
      { org_seq: org_seq < 0 ? null : org_seq, receipt_id },
      { expected: receipt_id, actual: null, detail },
    );
  }
}
