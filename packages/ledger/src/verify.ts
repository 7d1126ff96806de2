/** Verification of one organization's chain: one snapshot, one pass, constant memory. */
import type { VerifyProgress } from '@rcpt/contract/ledger/live.ts';
import { type ChainReport, ChainVerifier, MAX_VIOLATIONS } from '@rcpt/proof/chain.ts';
import type { Db, Queries, Snapshot } from '@rcpt/service/db.ts';
import { Refusal } from '@rcpt/service/error.ts';
import { PinsSoFar, recordWithRun } from './recorded.ts';
import {
  type AuditRow,
  auditRow,
  countMinted,
  missingReceipts,
  readHead,
  receiptIdAt,
  SCAN_CHAIN,
  SCAN_PINS,
} from './store/audit.ts';
import { seqOfReceiptId } from './store/chains.ts';
import { loadRunsAsStored } from './store/runs.ts';

/** Told so often at most while a chain is walked. */
const PROGRESS_MS = 100;
/** Runs read at a time: each may hold megabytes. */
const RUNS_AT_ONCE = 64;
/** Chains walked at a time by one process, and how many may wait for that. */
const AT_ONCE = 2;
const MAY_WAIT = 32;
/** One organization leaves room for the others. */
const OF_ONE_ORGANIZATION = 12;

export interface Verifier {
  /**
   * Every receipt of the chain against its own bytes, its record and its Run, its predecessor and, at the end, the recorded
   * head. Throws `overloaded`, `database_unavailable`, and `request_timeout` when `signal` aborts before the end.
   */
  verify(organization_id: string, signal: AbortSignal, progress?: Progress): Promise<ChainReport>;
}

/** Hears how far a walk has come, first when it begins; nobody waits for it. */
export type Progress = (walked: VerifyProgress) => void;

export function createVerifier(db: Db): Verifier {
  let walking = 0;
  const waiting: (() => void)[] = [];
  const asked = new Map<string, number>();

  /** Whoever ends hands over its place, so that nobody takes it in between. False: `signal` aborted first. */
  function takePlace(signal: AbortSignal): Promise<boolean> {
    if (walking < AT_ONCE) {
      walking++;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const turn = () => {
        signal.removeEventListener('abort', gone);
        resolve(true);
      };
      const gone = () => {
        const at = waiting.indexOf(turn);
        if (at !== -1) waiting.splice(at, 1);
        resolve(false);
      };
      waiting.push(turn);
      signal.addEventListener('abort', gone);
      if (signal.aborted) gone();
    });
  }

  function leavePlace(): void {
    const next = waiting.shift();
    if (next === undefined) walking--;
    else next();
  }

  return {
    async verify(organization_id, signal, progress) {
      const before = asked.get(organization_id) ?? 0;
      if (waiting.length >= MAY_WAIT || before >= OF_ONE_ORGANIZATION)
        throw new Refusal('overloaded', 'Many chains are being verified. Try again shortly.');
      asked.set(organization_id, before + 1);
      try {
        // What was not walked to its end has no report: an aborted verification never says that a chain holds.
        if (!(await takePlace(signal))) throw stopped();
        return await walk(db, organization_id, signal, progress).finally(leavePlace);
      } finally {
        const left = asked.get(organization_id)! - 1;
        if (left === 0) asked.delete(organization_id);
        else asked.set(organization_id, left);
      }
    },
  };
}

function walk(
  db: Db,
  organization_id: string,
  signal: AbortSignal,
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
    for await (const batch of read.scan(SCAN_CHAIN, [organization_id])) {
      for (let at = 0; at < batch.length; at += RUNS_AT_ONCE) {
        if (signal.aborted) throw stopped();
        await verifyGroup(read, organization_id, batch.slice(at, at + RUNS_AT_ONCE).map(auditRow), verifier, pins);
      }
      receipts_checked += batch.length;
      if (performance.now() - told_at < PROGRESS_MS) continue;
      told_at = performance.now();
      progress({ receipts_checked, receipts });
    }
    if (signal.aborted) throw stopped();
    // Of a chain that is not whole its pins are not known: it is blamed for what it lacks.
    const isWhole = verifier.endsAt(head);
    if (isWhole && verifier.isUnbroken) {
      await comparePins(read, organization_id, pins, verifier);
      await compareRuns(read, organization_id, receipts_checked, verifier);
    }
    if (head === null || isWhole) return verifier.finish(head);
    return verifier.finish({ ...head, receipt_id: await receiptIdAt(read, organization_id, head.org_seq) });
  });
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
    verifier.push(payload, await recordWithRun(record, payload, run, pins, verifier.isUnbroken));
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
  const unseen = new Map(places);
  const differing: [slug: string, place: number | null, recorded: number | null][] = [];
  for await (const batch of read.scan(SCAN_PINS, [organization_id]))
    for (const [slug, recorded] of batch as [string, number | null][]) {
      const place = places.get(slug) ?? null;
      if (place === null || place !== recorded) differing.push([slug, place, recorded]);
      unseen.delete(slug);
    }
  for (const [slug, place] of unseen) differing.push([slug, place, null]);
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

function stopped(): Refusal {
  return new Refusal('request_timeout', 'The caller has gone. The verification was stopped before its end.');
}
